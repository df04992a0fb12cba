// SPDX-License-Identifier: GPL-2.0
/* kmod/pmu_intel.c and kmod/own.c against a model of what they drive. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

#include "../../../kmod/pmu_intel.c"
#include "../../../kmod/own.c"

enum { COUNTERS = 8 };
#define WIDTH_MASK	((1ULL << 48) - 1)

struct caps ls_caps = { .gp_counters = COUNTERS, .gp_width = 48 };

static struct {
	u64 evtsel[COUNTERS], pmc[COUNTERS], ctrl, status;
	u32 lvtpc;
} cpu;

u64 shim_rdmsr(u32 msr)
{
	if (msr - MSR_ARCH_PERFMON_EVENTSEL0 < COUNTERS)
		return cpu.evtsel[msr - MSR_ARCH_PERFMON_EVENTSEL0];
	if (msr - MSR_ARCH_PERFMON_PERFCTR0 < COUNTERS)
		return cpu.pmc[msr - MSR_ARCH_PERFMON_PERFCTR0];
	if (msr == MSR_CORE_PERF_GLOBAL_CTRL)
		return cpu.ctrl;
	if (msr == MSR_CORE_PERF_GLOBAL_STATUS)
		return cpu.status;
	fail_msg("#GP: RDMSR 0x%x", msr);
	return 0;
}

void shim_wrmsr(u32 msr, u64 value)
{
	if (msr - MSR_ARCH_PERFMON_EVENTSEL0 < COUNTERS)
		cpu.evtsel[msr - MSR_ARCH_PERFMON_EVENTSEL0] = value;
	else if (msr - MSR_ARCH_PERFMON_PERFCTR0 < COUNTERS)
		/* 32 bits, their sign extended: SDM vol. 3 */
		cpu.pmc[msr - MSR_ARCH_PERFMON_PERFCTR0] =
			(u64)(int32_t)value & WIDTH_MASK;
	else if (msr == MSR_CORE_PERF_GLOBAL_CTRL)
		cpu.ctrl = value;
	else if (msr == MSR_CORE_PERF_GLOBAL_OVF_CTRL)
		cpu.status &= ~value;
	else
		fail_msg("#GP: WRMSR 0x%x", msr);
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

static struct shim_apic model = { apic_get, apic_put };
struct shim_apic *apic = &model;

static void count(u64 events)
{
	u64 value = cpu.pmc[0] + (cpu.ctrl & 1 ? events : 0);

	if (value >> 48)
		cpu.status |= 1;
	cpu.pmc[0] = value & WIDTH_MASK;
}

static int setup(void **state)
{
	(void)state;
	memset(&cpu, 0, sizeof(cpu));
	return 0;
}

/* Control registers read as before, and nobody else's bit was touched. */
static void test_start_stop(void **state)
{
	struct pmu_saved saved;

	(void)state;
	cpu.ctrl = 0x7000000ff;
	cpu.lvtpc = 0x10400;
	cpu.evtsel[0] = 0x13c;
	cpu.evtsel[5] = 0x4c5;
	cpu.pmc[5] = 55;
	cpu.status = 1ULL << 55 | 1;
	ls_pmu_start(&saved, 0x1003c, 100000);
	assert_int_equal(cpu.ctrl, 0);
	assert_int_equal(cpu.status, 1ULL << 55);
	assert_int_equal(cpu.evtsel[0], 0x1003c | 1 << 20 | 1 << 22);
	assert_int_equal(cpu.lvtpc, APIC_DM_NMI);
	ls_pmu_resume(100000);
	assert_int_equal(cpu.ctrl, 1);
	assert_int_equal(ls_pmu_pause(), 100000);
	ls_pmu_stop(&saved);
	assert_int_equal(cpu.ctrl, 0x7000000ff);
	assert_int_equal(cpu.lvtpc, 0x10400);
	assert_int_equal(cpu.evtsel[0], 0x13c);
	assert_int_equal(cpu.pmc[0], 0);
	assert_int_equal(cpu.evtsel[5], 0x4c5);
	assert_int_equal(cpu.pmc[5], 55);
	assert_int_equal(cpu.status, 1ULL << 55);
}

/* A period survives being interrupted anywhere, the shortest and longest. */
static void test_pause_resume(void **state)
{
	static const u64 periods[] = { 1, 2, CAPS_PERIOD_MIN, 1 << 30,
				       (1ULL << 31) - 1 };
	struct pmu_saved saved;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(periods) / sizeof(periods[0]); i++) {
		u64 period = periods[i], left;

		ls_pmu_start(&saved, 0x1003c, period);
		ls_pmu_resume(period);
		count(period / 2);
		left = ls_pmu_pause();
		assert_int_equal(left, period - period / 2);
		count(1000);		/* stopped */
		ls_pmu_resume(left);
		count(left - 1);
		assert_false(ls_pmu_overflowed());
		count(1);
		assert_true(ls_pmu_overflowed());
		/* over, and its interrupt has not been taken */
		assert_int_equal(ls_pmu_pause(), 0);
		cpu.lvtpc |= 1 << 16;
		ls_pmu_rearm(period);
		assert_false(ls_pmu_overflowed());
		assert_int_equal(ls_pmu_pause(), period);
		assert_int_equal(cpu.lvtpc, APIC_DM_NMI);
		ls_pmu_stop(&saved);
	}
}

static void test_in_use(void **state)
{
	(void)state;
	assert_false(ls_pmu_in_use());
	cpu.evtsel[7] = ARCH_PERFMON_EVENTSEL_ENABLE;
	assert_false(ls_pmu_in_use());	/* enabled, but not globally */
	cpu.ctrl = 0xff;
	assert_true(ls_pmu_in_use());
}

/* The kernel's reservation: which registers, and who refuses the nth. */
static unsigned int reserved[0x200];
static int refuse_in;

static int reserve(unsigned int msr)
{
	if (!refuse_in--)
		return 0;
	assert_int_equal(reserved[msr], 0);
	reserved[msr] = 1;
	return 1;
}

static void release(unsigned int msr)
{
	assert_int_equal(reserved[msr], 1);
	reserved[msr] = 0;
}

int reserve_perfctr_nmi(unsigned int msr)
{
	return reserve(msr);
}

void release_perfctr_nmi(unsigned int msr)
{
	release(msr);
}

int reserve_evntsel_nmi(unsigned int msr)
{
	return reserve(msr);
}

void release_evntsel_nmi(unsigned int msr)
{
	release(msr);
}

static unsigned int reserved_count(void)
{
	unsigned int i, n = 0;

	for (i = 0; i < 0x200; i++)
		n += reserved[i];
	return n;
}

/* All of them, or none, whichever is refused. */
static void test_claim(void **state)
{
	int i;

	(void)state;
	for (i = 0; i < 2 * COUNTERS; i++) {
		refuse_in = i;
		assert_int_equal(ls_own_claim(), -EBUSY);
		assert_int_equal(reserved_count(), 0);
	}
	refuse_in = -1;
	assert_int_equal(ls_own_claim(), 0);
	assert_int_equal(reserved_count(), 2 * COUNTERS);
	for (i = 0; i < COUNTERS; i++)
		assert_true(reserved[MSR_ARCH_PERFMON_EVENTSEL0 + i]);
	ls_own_release();
	assert_int_equal(reserved_count(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_start_stop, setup),
		cmocka_unit_test_setup(test_pause_resume, setup),
		cmocka_unit_test_setup(test_in_use, setup),
		cmocka_unit_test(test_claim),
	};

	return cmocka_run_group_tests_name("kmod/pmu_intel", tests, NULL, NULL);
}
