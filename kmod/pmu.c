// SPDX-License-Identifier: GPL-2.0
/*
 * The counter that samples: counter 0 of an Intel PMU (SDM vol. 3 "Performance
 * Monitoring") or an AMD one (APM vol. 2 "Performance Monitoring Counters").
 * All that differs between them is data, below.
 *
 * All other counters stand still while a session runs: with global registers
 * only bit 0 of the control is set, without them nobody else has enabled one
 * (ls_pmu_in_use).  Their own registers are not touched.
 */
#include <linux/bits.h>
#include <asm/apic.h>
#include <asm/perf_event.h>

#include "caps.h"
#include "msr.h"
#include "pmu.h"

#define PMU_COUNTER	BIT_ULL(0)	/* in the global registers */

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

struct pmu_regs ls_pmu_regs;

/*
 * A write to IA32_PMC0 takes 32 bits and extends their sign, on every CPU,
 * which holds any period: they are below 2^31.
 */
static const struct pmu_regs pmu_intel = {
	.evtsel = MSR_ARCH_PERFMON_EVENTSEL0,
	.counter = MSR_ARCH_PERFMON_PERFCTR0,
	.stride = 1,
	.global_ctrl = MSR_CORE_PERF_GLOBAL_CTRL,
	.global_status = MSR_CORE_PERF_GLOBAL_STATUS,
	.global_ack = MSR_CORE_PERF_GLOBAL_OVF_CTRL,
	.load_mask = U32_MAX,
	.lvtpc_masks = true,
};

/* The local APIC's entry is not masked by a PMI: arch/x86/events/amd/core.c. */
static const struct pmu_regs pmu_amd = {
	.evtsel = PMU_AMD_CTL,
	.counter = PMU_AMD_CTR,
	.stride = 2,
	.global_ctrl = PMU_AMD_GLOBAL_CTL,
	.global_status = PMU_AMD_GLOBAL_STATUS,
	.global_ack = PMU_AMD_GLOBAL_CLR,
	.load_mask = GENMASK_ULL(47, 0),
};

static const struct pmu_regs pmu_amd_legacy = {
	.evtsel = PMU_AMD_LEGACY_CTL,
	.counter = PMU_AMD_LEGACY_CTR,
	.stride = 1,
	.load_mask = GENMASK_ULL(47, 0),
};

/* At load, when ls_caps is known.  The global registers came with version 2. */
void ls_pmu_init(void)
{
	bool intel = boot_cpu_data.x86_vendor == X86_VENDOR_INTEL;

	if (intel)
		ls_pmu_regs = pmu_intel;
	else if (boot_cpu_has(X86_FEATURE_PERFCTR_CORE))
		ls_pmu_regs = pmu_amd;
	else
		ls_pmu_regs = pmu_amd_legacy;
	if (ls_caps.pmu_version < 2) {
		ls_pmu_regs.global_ctrl = 0;
		ls_pmu_regs.global_status = 0;
		ls_pmu_regs.global_ack = 0;
	}
	ls_pmu_regs.ack = PMU_COUNTER;
	if (intel ? ls_caps.pmu_version >= 4 : ls_caps.lbr_freeze)
		ls_pmu_regs.ack |= PMU_LBR_FROZEN;
}

/*
 * Has anybody a general counter running?  Fixed counters do not count here:
 * Linux leaves their control bits behind when its last event has gone.
 */
bool ls_pmu_in_use(void)
{
	u64 on = ls_pmu_regs.global_ctrl ?
		 msr_read(ls_pmu_regs.global_ctrl) : U64_MAX;
	u32 i;

	for (i = 0; i < ls_caps.gp_counters; i++)
		if (on & BIT_ULL(i) &&
		    msr_read(ls_pmu_regs.evtsel + i * ls_pmu_regs.stride) &
		    ARCH_PERFMON_EVENTSEL_ENABLE)
			return true;
	return false;
}

static __always_inline void pmu_load(u64 left)
{
	msr_write(ls_pmu_regs.counter, -left & ls_pmu_regs.load_mask);
}

/* The counter runs, or does not: by the switch of all, or its own. */
static __always_inline void pmu_enable(bool on)
{
	u64 evtsel;

	if (likely(ls_pmu_regs.global_ctrl)) {
		msr_write(ls_pmu_regs.global_ctrl, on ? PMU_COUNTER : 0);
		return;
	}
	evtsel = msr_read(ls_pmu_regs.evtsel) & ~ARCH_PERFMON_EVENTSEL_ENABLE;
	msr_write(ls_pmu_regs.evtsel,
		  evtsel | (on ? ARCH_PERFMON_EVENTSEL_ENABLE : 0));
}

/*
 * Lets the next PMI through, as an NMI, or puts back what was there before us.
 * Through the driver's own method, because apic_write() cannot be linked into
 * modules everywhere.
 */
void ls_pmu_unmask(const struct pmu_saved *saved)
{
	apic->write(APIC_LVTPC, saved ? saved->lvtpc : APIC_DM_NMI);
}

/* Claims the registers, with the counter configured and not yet running. */
void ls_pmu_start(struct pmu_saved *saved, u64 evtsel, u64 left)
{
	saved->global_ctrl = ls_pmu_regs.global_ctrl ?
			     msr_read(ls_pmu_regs.global_ctrl) : 0;
	saved->evtsel = msr_read(ls_pmu_regs.evtsel);
	saved->lvtpc = apic->read(APIC_LVTPC);
	pmu_enable(false);
	pmu_load(left);
	ls_pmu_acknowledge();
	msr_write(ls_pmu_regs.evtsel,
		  evtsel | ARCH_PERFMON_EVENTSEL_INT |
		  (ls_pmu_regs.global_ctrl ? ARCH_PERFMON_EVENTSEL_ENABLE : 0));
	ls_pmu_unmask(NULL);
}

/* After ls_pmu_pause(). */
void ls_pmu_stop(const struct pmu_saved *saved)
{
	msr_write(ls_pmu_regs.evtsel, saved->evtsel);
	msr_write(ls_pmu_regs.counter, 0);
	ls_pmu_unmask(saved);
	if (ls_pmu_regs.global_ctrl)
		msr_write(ls_pmu_regs.global_ctrl, saved->global_ctrl);
}

void ls_pmu_resume(u64 left)
{
	pmu_load(left);
	pmu_enable(true);
}

/* A counter on its way to the next overflow is negative. */
static __always_inline bool pmu_wrapped(u64 value)
{
	return !(value & BIT_ULL(ls_caps.gp_width - 1));
}

/* Returns what is left of the period; 0 if it is over and no NMI came yet. */
u64 ls_pmu_pause(void)
{
	u64 value;

	pmu_enable(false);
	value = msr_read(ls_pmu_regs.counter);
	return pmu_wrapped(value) ? 0 : BIT_ULL(ls_caps.gp_width) - value;
}

bool ls_pmu_overflowed(void)
{
	if (likely(ls_pmu_regs.global_status))
		return msr_read(ls_pmu_regs.global_status) & PMU_COUNTER;
	return pmu_wrapped(msr_read(ls_pmu_regs.counter));
}

/*
 * Of our own bits only: PT and DS have theirs in the same register.  Without
 * such a register the counter itself tells, which is to be negative again.
 */
void ls_pmu_acknowledge(void)
{
	if (likely(ls_pmu_regs.global_ack))
		msr_write(ls_pmu_regs.global_ack, ls_pmu_regs.ack);
	else if (pmu_wrapped(msr_read(ls_pmu_regs.counter)))
		pmu_load(1);
}

/*
 * From the NMI: the next period begins, and only then the interrupt is let
 * through again, which avoids spurious ones since Haswell (late_ack in
 * arch/x86/events/intel/core.c).  Intel's local APIC masks the entry each time
 * it delivers one (SDM vol. 3 "Local Vector Table").
 */
void ls_pmu_rearm(u64 period)
{
	pmu_load(period);
	ls_pmu_acknowledge();
	if (ls_pmu_regs.lvtpc_masks)
		ls_pmu_unmask(NULL);
}
