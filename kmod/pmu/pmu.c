// SPDX-License-Identifier: GPL-2.0
/*
 * The counters' registers of an Intel PMU (SDM vol. 3 "Performance Monitoring") or an AMD
 * one (APM vol. 2 "Performance Monitoring Counters").  Their differences are data.
 *
 * Counters that a session does not use stand still while it runs: the global control has
 * only the session's bits; without a global control nobody else has enabled a counter
 * (ls_pmu_in_use()).  The registers of unused counters are not written, but for
 * ls_pmu_reset().
 *
 * A struct ls_pmu_regs describes the registers of a PMU.  It is chosen at load: Intel
 * since version 2 (global control, status, acknowledgement) and, as some hypervisors show
 * newer CPUs, version 1; AMD's PerfMonV2, the six core counters before it, and the four
 * that remain where a hypervisor hides these.  Without global registers, a counter has its
 * own enable bit, and its sign tells an overflow.  A PMI masks Intel's LVTPC and not AMD's.
 * Before Haswell the handler unmasks it first, later last.
 */
#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/minmax.h>
#include <asm/apic.h>
#include <asm/perf_event.h>

#include "pmu/caps.h"
#include "pmu/msr.h"
#include "pmu/pmu.h"

/*
 * Status bit 58: the branch records are frozen.  On Intel from version 4 on,
 * and on AMD, its acknowledgement lets them go on.
 */
#define PMU_LBR_FROZEN	BIT_ULL(58)

/* AMD's registers, which not all kernels name. */
enum {
	PMU_AMD_LEGACY_CTL	= 0xc0010000,
	PMU_AMD_LEGACY_CTR	= 0xc0010004,
	PMU_AMD_CTL		= 0xc0010200,
	PMU_AMD_CTR		= 0xc0010201,
	PMU_AMD_GLOBAL_STATUS	= 0xc0000300,
	PMU_AMD_GLOBAL_CTL	= 0xc0000301,
	PMU_AMD_GLOBAL_CLR	= 0xc0000302,
};

struct ls_pmu_regs ls_pmu_regs;

/*
 * On every CPU a write to IA32_PMCn takes 32 bits and extends their sign, which is enough
 * for any period: periods are below 2^31.
 */
static const struct ls_pmu_regs pmu_intel = {
	.evtsel = MSR_ARCH_PERFMON_EVENTSEL0,
	.counter = MSR_ARCH_PERFMON_PERFCTR0,
	.stride = 1,
	.global_ctrl = MSR_CORE_PERF_GLOBAL_CTRL,
	.global_status = MSR_CORE_PERF_GLOBAL_STATUS,
	.global_ack = MSR_CORE_PERF_GLOBAL_OVF_CTRL,
	.load_mask = U32_MAX,
	.unmask = PMU_UNMASK_LATE,
};

/* A PMI does not mask the local APIC's entry: arch/x86/events/amd/core.c. */
static const struct ls_pmu_regs pmu_amd = {
	.evtsel = PMU_AMD_CTL,
	.counter = PMU_AMD_CTR,
	.stride = 2,
	.global_ctrl = PMU_AMD_GLOBAL_CTL,
	.global_status = PMU_AMD_GLOBAL_STATUS,
	.global_ack = PMU_AMD_GLOBAL_CLR,
	.load_mask = GENMASK_ULL(47, 0),
};

/* The four of K7, which are the first four of the others: see ls_caps_probe_amd_pmu(). */
static const struct ls_pmu_regs pmu_amd_legacy = {
	.evtsel = PMU_AMD_LEGACY_CTL,
	.counter = PMU_AMD_LEGACY_CTR,
	.stride = 1,
	.load_mask = GENMASK_ULL(47, 0),
};

/*
 * Intel's CPUs for which intel_pmu_init() in arch/x86/events/intel/core.c sets
 * neither late_ack nor mid_ack: the big cores before Haswell, the small ones
 * before Tremont.  No others will come.
 */
static bool ls_pmu_unmasks_early(void)
{
	switch (boot_cpu_data.x86_model) {
	case 0x1a: case 0x1e: case 0x1f: case 0x2e:	/* Nehalem */
	case 0x25: case 0x2c: case 0x2f:		/* Westmere */
	case 0x2a: case 0x2d: case 0x3a: case 0x3e:	/* Sandy, Ivy Bridge */
	case 0x37: case 0x4a: case 0x4c: case 0x4d: case 0x5a: case 0x5d:
	case 0x75:					/* Silvermont, Airmont */
	case 0x57: case 0x85:				/* Knights */
	case 0x5c: case 0x5f: case 0x7a:		/* Goldmont */
		return boot_cpu_data.x86 == 6;
	}
	return false;
}

/* Nehalem and Westmere: those of intel_pmu_nhm_enable_all(), see ls_pmu_reset(). */
static bool ls_pmu_resets(void)
{
	switch (boot_cpu_data.x86_model) {
	case 0x1a: case 0x1e: case 0x1f: case 0x2e:
	case 0x25: case 0x2c: case 0x2f:
		return boot_cpu_data.x86 == 6;
	}
	return false;
}

/* Context: load, when ls_caps is known.  Global registers exist since version 2. */
void ls_pmu_init(void)
{
	bool intel = boot_cpu_data.x86_vendor == X86_VENDOR_INTEL;

	if (intel)
		ls_pmu_regs = pmu_intel;
	else if (boot_cpu_has(X86_FEATURE_PERFCTR_CORE))
		ls_pmu_regs = pmu_amd;
	else
		ls_pmu_regs = pmu_amd_legacy;
	if (intel && ls_pmu_unmasks_early())
		ls_pmu_regs.unmask = PMU_UNMASK_EARLY;
	ls_pmu_regs.resets = intel && ls_caps.pmu_version >= 2 && ls_pmu_resets();
	if (ls_caps.pmu_version < 2) {
		ls_pmu_regs.global_ctrl = 0;
		ls_pmu_regs.global_status = 0;
		ls_pmu_regs.global_ack = 0;
	}
	if (intel ? ls_caps.pmu_version >= 4 : ls_caps.lbr_freeze)
		ls_pmu_regs.ack_more = PMU_LBR_FROZEN;
	ls_pmu_regs.mask = BIT_ULL(ls_caps.gp_width) - 1;
	ls_pmu_regs.fixed_mask = BIT_ULL(ls_caps.fixed_width) - 1;
}

/* Takes the lowest counter out of a set; false: it is empty. */
static __always_inline bool ls_pmu_take(u64 *counters, u32 *counter)
{
	if (!*counters)
		return false;
	*counter = __ffs64(*counters);
	*counters &= *counters - 1;
	return true;
}

static __always_inline u32 ls_pmu_evtsel(u32 counter)
{
	return ls_pmu_regs.evtsel + counter * ls_pmu_regs.stride;
}

/*
 * Whether a general counter runs.  Fixed counters tell nothing: Linux leaves their control
 * bits set after its last event.
 */
bool ls_pmu_in_use(void)
{
	const struct ls_caps *caps = ls_caps_here();
	u64 on = ls_pmu_regs.global_ctrl ?
		 msr_read(ls_pmu_regs.global_ctrl) : U64_MAX;
	u32 i;

	on &= ~(u64)caps->gp_reserved;
	for (i = 0; i < caps->gp_counters; i++)
		if (on & BIT_ULL(i) &&
		    msr_read(ls_pmu_evtsel(i)) &
		    ARCH_PERFMON_EVENTSEL_ENABLE)
			return true;
	return false;
}

u64 ls_pmu_value(u32 counter)
{
	return msr_read(ls_pmu_register(counter));
}
NOKPROBE_SYMBOL(ls_pmu_value);

void ls_pmu_switch(u64 counters, bool on)
{
	u32 counter;

	while (ls_pmu_take(&counters, &counter)) {
		u64 evtsel = msr_read(ls_pmu_evtsel(counter)) &
			     ~ARCH_PERFMON_EVENTSEL_ENABLE;

		msr_write(ls_pmu_evtsel(counter), evtsel |
			     (on ? ARCH_PERFMON_EVENTSEL_ENABLE : 0));
	}
}
NOKPROBE_SYMBOL(ls_pmu_switch);

static u64 ls_pmu_general(u64 counters)
{
	return counters & (BIT_ULL(PMU_FIXED) - 1);
}

static bool ls_pmu_has_fixed(u64 counters)
{
	return counters >> PMU_FIXED;
}

/* Saves the registers of these counters and stops them. */
void ls_pmu_start(struct ls_pmu_saved *saved, u64 counters)
{
	u64 general = ls_pmu_general(counters);
	u32 counter;

	saved->counters = counters;
	if (ls_pmu_regs.global_ctrl)
		saved->global_ctrl = msr_read(ls_pmu_regs.global_ctrl);
	if (ls_pmu_has_fixed(counters)) {
		saved->fixed_ctrl = msr_read(MSR_CORE_PERF_FIXED_CTR_CTRL);
		saved->selected_fixed = saved->fixed_ctrl;
	}
	while (ls_pmu_take(&general, &counter)) {
		saved->evtsel[counter] = msr_read(ls_pmu_evtsel(counter));
		saved->selected[counter] = saved->evtsel[counter];
	}
	saved->lvtpc = apic->read(APIC_LVTPC);
	ls_pmu_halt(ls_pmu_general(counters));
	ls_pmu_acknowledge(counters);
	ls_pmu_unmask(NULL);
}

/* Returns: those of these counters that nobody else has written. */
static u64 ls_pmu_ours(const struct ls_pmu_saved *saved, u64 counters)
{
	u64 general = ls_pmu_general(counters), ours = counters;
	u32 counter;

	if (ls_pmu_has_fixed(counters) &&
	    msr_read(MSR_CORE_PERF_FIXED_CTR_CTRL) != saved->selected_fixed)
		ours = general;
	while (ls_pmu_take(&general, &counter))
		if ((msr_read(ls_pmu_evtsel(counter)) ^ saved->selected[counter]) &
		    ~ARCH_PERFMON_EVENTSEL_ENABLE)
			ours &= ~BIT_ULL(counter);
	return ours;
}
NOKPROBE_SYMBOL(ls_pmu_ours);

bool ls_pmu_taken(const struct ls_pmu_saved *saved, u64 counters)
{
	return ls_pmu_ours(saved, counters) != counters;
}
NOKPROBE_SYMBOL(ls_pmu_taken);

u64 ls_pmu_leave(struct ls_pmu_saved *saved, u64 counters)
{
	u64 ours = ls_pmu_ours(saved, counters), general = ls_pmu_general(ours);
	u32 counter;

	while (ls_pmu_take(&general, &counter))
		msr_write(ls_pmu_evtsel(counter), saved->selected[counter] &
			     ~ARCH_PERFMON_EVENTSEL_ENABLE);
	if (ls_pmu_has_fixed(ours))
		ls_pmu_select_fixed(saved, 0);
	return ours;
}
NOKPROBE_SYMBOL(ls_pmu_leave);

/* perf's handler sets all bits of the control if Intel PT is in use. */
bool ls_pmu_reassert(u64 counters)
{
	u64 control;

	if (!ls_pmu_regs.global_ctrl)
		return false;
	control = msr_read(ls_pmu_regs.global_ctrl);
	if (control != counters)
		ls_pmu_run(counters);
	return counters & ~control;
}
NOKPROBE_SYMBOL(ls_pmu_reassert);

/* Called after ls_pmu_halt().  Registers that others have written are left alone. */
void ls_pmu_stop(const struct ls_pmu_saved *saved)
{
	u64 ours = ls_pmu_ours(saved, saved->counters), general = ls_pmu_general(ours);
	u32 counter;

	while (ls_pmu_take(&general, &counter))
		msr_write(ls_pmu_evtsel(counter), saved->evtsel[counter]);
	if (ls_pmu_has_fixed(ours))
		msr_write(MSR_CORE_PERF_FIXED_CTR_CTRL, saved->fixed_ctrl);
	while (ls_pmu_take(&ours, &counter))
		msr_write(ls_pmu_register(counter), 0);
	ls_pmu_unmask(saved);
	if (ls_pmu_regs.global_ctrl)
		msr_write(ls_pmu_regs.global_ctrl, saved->global_ctrl);
}

/*
 * A counter that is given another event may count wrongly (errata AAK100, AAP53, BD53)
 * unless three events that count next to nothing have been on the counters before.
 * The steps are those of intel_pmu_nhm_workaround() in arch/x86/events/intel/core.c.
 * They take all four counters, also those of no event: no one else has any, since all
 * are reserved from the kernel, and their event selects are put back.
 */
void ls_pmu_reset(void)
{
	static const u32 magic[] = { 0x4300b5, 0x4300d2, 0x4300b1, 0x4300b1 };
	u32 i, nr = min_t(u32, ls_caps.gp_counters, ARRAY_SIZE(magic));
	u64 evtsel[ARRAY_SIZE(magic)];

	if (!ls_pmu_regs.resets)
		return;
	for (i = 0; i < nr; i++) {
		evtsel[i] = msr_read(ls_pmu_evtsel(i));
		msr_write(ls_pmu_evtsel(i), magic[i]);
		msr_write(ls_pmu_register(i), 0);
	}
	msr_write(ls_pmu_regs.global_ctrl, BIT_ULL(nr) - 1);
	msr_write(ls_pmu_regs.global_ctrl, 0);
	for (i = 0; i < nr; i++) {
		msr_write(ls_pmu_evtsel(i), evtsel[i]);
		msr_write(ls_pmu_register(i), 0);
	}
}

/* The fixed counters have one register for all of them. */
void ls_pmu_select(struct ls_pmu_saved *saved, u32 counter, u64 config)
{
	if (counter >= PMU_FIXED)
		return;
	config |= ARCH_PERFMON_EVENTSEL_INT;
	if (ls_pmu_regs.global_ctrl)
		config |= ARCH_PERFMON_EVENTSEL_ENABLE;
	msr_write(ls_pmu_evtsel(counter), config);
	saved->selected[counter] = config;
}

void ls_pmu_select_fixed(struct ls_pmu_saved *saved, u64 fixed_ctrl)
{
	msr_write(MSR_CORE_PERF_FIXED_CTR_CTRL, fixed_ctrl);
	saved->selected_fixed = fixed_ctrl;
}
NOKPROBE_SYMBOL(ls_pmu_select_fixed);

u64 ls_pmu_signs(u64 counters)
{
	u64 found = 0;
	u32 counter;

	while (ls_pmu_take(&counters, &counter))
		if (ls_pmu_wrapped(counter, ls_pmu_value(counter)))
			found |= BIT_ULL(counter);
	return found;
}
NOKPROBE_SYMBOL(ls_pmu_signs);

void ls_pmu_turn_signs(u64 counters)
{
	u32 counter;

	while (ls_pmu_take(&counters, &counter))
		if (ls_pmu_wrapped(counter, ls_pmu_value(counter)))
			ls_pmu_load(counter, 1);
}
NOKPROBE_SYMBOL(ls_pmu_turn_signs);
