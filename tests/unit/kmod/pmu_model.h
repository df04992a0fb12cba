/* SPDX-License-Identifier: GPL-2.0 */
/* Models of the PMUs and of the local APIC that kmod/pmu/pmu.c drives. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

#include "../../../kmod/pmu/pmu.c"
#include "../../../kmod/counters/own.c"

enum { COUNTERS = 8, FIXED = 4 };
#define WIDTH_MASK	((1ULL << 48) - 1)

struct ls_caps ls_caps;

const struct ls_caps *ls_caps_here(void)
{
	return &ls_caps;
}

struct shim_cpuinfo boot_cpu_data;

/* The registers of a PMU, by the manuals; 0: absent. */
static const struct model {
	const char *name;
	int vendor;
	struct ls_caps caps;
	u32 evtsel, counter, stride, ctrl, status, ack;
	u64 frozen;		/* a status bit that is acknowledged with ours */
	bool sign_extends;	/* a write to a counter takes 32 bits */
	bool masks;
} models[] = {
	{ "PerfMon v4", X86_VENDOR_INTEL,
	  { .pmu_version = 4, .gp_counters = COUNTERS, .gp_width = 48,
	    .fixed_counters = FIXED, .fixed_width = 48 },
	  0x186, 0xc1, 1, 0x38f, 0x38e, 0x390, 1ULL << 58, true, true },
	{ "PerfMon v2", X86_VENDOR_INTEL,
	  { .pmu_version = 2, .gp_counters = 2, .gp_width = 40,
	    .fixed_counters = 3, .fixed_width = 40 },
	  0x186, 0xc1, 1, 0x38f, 0x38e, 0x390, 0, true, true },
	{ "PerfMon v1", X86_VENDOR_INTEL,
	  { .pmu_version = 1, .gp_counters = 2, .gp_width = 40 },
	  0x186, 0xc1, 1, 0, 0, 0, 0, true, true },
	{ "PerfMonV2", X86_VENDOR_AMD,
	  { .pmu_version = 2, .gp_counters = 6, .gp_width = 48,
	    .lbr_freeze = true },
	  0xc0010200, 0xc0010201, 2, 0xc0000301, 0xc0000300, 0xc0000302,
	  1ULL << 58, false, false },
	{ "PERFCTR_CORE", X86_VENDOR_AMD,
	  { .pmu_version = 1, .gp_counters = 6, .gp_width = 48 },
	  0xc0010200, 0xc0010201, 2, 0, 0, 0, 0, false, false },
	{ "K7", X86_VENDOR_AMD,
	  { .pmu_version = 1, .gp_counters = 4, .gp_width = 48 },
	  0xc0010000, 0xc0010004, 1, 0, 0, 0, 0, false, false },
};
static const struct model *model;

static struct {
	u64 evtsel[COUNTERS], pmc[COUNTERS], fixed[FIXED], fixed_ctrl, ctrl, status;
	u64 rtit_ctl;
	u32 lvtpc;
	bool has_pt;
} cpu;

bool boot_cpu_has(int feature)
{
	if (feature == X86_FEATURE_INTEL_PT)
		return cpu.has_pt;
	assert_int_equal(feature, X86_FEATURE_PERFCTR_CORE);
	return model->evtsel == 0xc0010200;
}

static u64 width_mask(void)
{
	return (1ULL << model->caps.gp_width) - 1;
}

static u64 *indexed(u32 msr, u32 base, u64 *regs)
{
	u32 i = (msr - base) / model->stride;

	return msr >= base && (msr - base) % model->stride == 0 &&
	       i < model->caps.gp_counters ? &regs[i] : NULL;
}

static u64 *find(u32 msr)
{
	u64 *reg = indexed(msr, model->evtsel, cpu.evtsel);

	if (!reg)
		reg = indexed(msr, model->counter, cpu.pmc);
	if (!reg && msr - 0x309 < model->caps.fixed_counters)
		reg = &cpu.fixed[msr - 0x309];
	if (!reg && model->caps.fixed_counters && msr == 0x38d)
		reg = &cpu.fixed_ctrl;
	if (!reg && msr && msr == model->ctrl)
		reg = &cpu.ctrl;
	if (!reg && msr && msr == model->status)
		reg = &cpu.status;
	if (!reg && cpu.has_pt && msr == 0x570)
		reg = &cpu.rtit_ctl;
	return reg;
}

u64 shim_rdmsr(u32 msr)
{
	u64 *reg = find(msr);

	if (!reg)
		fail_msg("#GP: RDMSR 0x%x", msr);
	return *reg;
}

/* The first writes since nr_writes was cleared, in order. */
static struct { u32 msr; u64 value; } writes[64];
static unsigned int nr_writes;

void shim_wrmsr(u32 msr, u64 value)
{
	u64 *reg = find(msr);

	if (nr_writes < 64) {
		writes[nr_writes].msr = msr;
		writes[nr_writes++].value = value;
	}
	if (msr && msr == model->ack) {
		if (value & ~(model->frozen | width_mask()))
			fail_msg("#GP: acknowledging 0x%llx", value);
		cpu.status &= ~value;
	} else if (!reg || reg == &cpu.status) {
		fail_msg("#GP: WRMSR 0x%x", msr);
	} else if (reg >= cpu.pmc && reg < cpu.pmc + COUNTERS) {
		if (!model->sign_extends && value & ~width_mask())
			fail_msg("#GP: counter 0x%llx", value);
		*reg = (model->sign_extends ? (u64)(int32_t)value : value) &
		       width_mask();
	} else {
		*reg = value;
	}
}

static u32 apic_get(u32 reg)
{
	assert_int_equal(reg, APIC_LVTPC);
	return cpu.lvtpc;
}

static void apic_put(u32 reg, u32 value)
{
	assert_int_equal(reg, APIC_LVTPC);
	cpu.lvtpc = value;
}

static struct shim_apic apic_model = { apic_get, apic_put };
struct shim_apic *apic = &apic_model;

static bool counts(u32 counter)
{
	if (model->ctrl && !(cpu.ctrl & 1ULL << counter))
		return false;
	if (counter >= 32)
		return cpu.fixed_ctrl >> (counter - 32) * 4 & 3;
	return cpu.evtsel[counter] & ARCH_PERFMON_EVENTSEL_ENABLE;
}

static void count(u32 counter, u64 events)
{
	u64 *reg = counter >= 32 ? &cpu.fixed[counter - 32] : &cpu.pmc[counter];
	u64 value = *reg + (counts(counter) ? events : 0);

	if (value > width_mask() && model->status)
		cpu.status |= 1ULL << counter | model->frozen;
	*reg = value & width_mask();
}

static void use(const struct model *chosen)
{
	model = chosen;
	memset(&cpu, 0, sizeof(cpu));
	ls_caps = model->caps;
	ls_caps.gp_claim = model->caps.gp_counters;
	boot_cpu_data.x86_vendor = model->vendor;
	ls_pmu_init();
}

static int setup(void **state)
{
	(void)state;
	use(&models[0]);
	return 0;
}
