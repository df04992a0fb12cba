// SPDX-License-Identifier: GPL-2.0
/*
 * The counter that samples: IA32_PMC0 of an Intel PerfMon version 4 or 5, SDM
 * vol. 3 "Performance Monitoring".
 *
 * All other counters stand still while a session runs, because only bit 0 of
 * IA32_PERF_GLOBAL_CTRL is set; their own registers are not touched.
 */
#include <linux/bits.h>
#include <asm/apic.h>
#include <asm/perf_event.h>

#include "caps.h"
#include "msr.h"
#include "pmu.h"

#define PMU_COUNTER	BIT_ULL(0)	/* in GLOBAL_CTRL, STATUS, OVF_CTRL */

/*
 * Has anybody a general counter running?  Fixed counters do not count here:
 * Linux leaves their control bits behind when its last event has gone.
 */
bool ls_pmu_in_use(void)
{
	u64 on = msr_read(MSR_CORE_PERF_GLOBAL_CTRL);
	u32 i;

	for (i = 0; i < ls_caps.gp_counters; i++)
		if (on & BIT_ULL(i) &&
		    msr_read(MSR_ARCH_PERFMON_EVENTSEL0 + i) &
		    ARCH_PERFMON_EVENTSEL_ENABLE)
			return true;
	return false;
}

/*
 * A write to IA32_PMC0 takes 32 bits and extends their sign, on every CPU,
 * which holds any period: they are below 2^31.
 */
static __always_inline void pmu_load(u64 left)
{
	msr_write(MSR_ARCH_PERFMON_PERFCTR0, (u32)-left);
}

/*
 * Lets the next PMI through, as an NMI, or puts back what was there before us.
 * The local APIC masks the entry each time it delivers one (SDM vol. 3 "Local
 * Vector Table").  Through the driver's own method, because apic_write() cannot
 * be linked into modules everywhere.
 */
void ls_pmu_unmask(const struct pmu_saved *saved)
{
	apic->write(APIC_LVTPC, saved ? saved->lvtpc : APIC_DM_NMI);
}

/* Claims the registers, with the counter configured and not yet running. */
void ls_pmu_start(struct pmu_saved *saved, u64 evtsel, u64 left)
{
	saved->global_ctrl = msr_read(MSR_CORE_PERF_GLOBAL_CTRL);
	saved->evtsel = msr_read(MSR_ARCH_PERFMON_EVENTSEL0);
	saved->lvtpc = apic->read(APIC_LVTPC);
	msr_write(MSR_CORE_PERF_GLOBAL_CTRL, 0);
	msr_write(MSR_CORE_PERF_GLOBAL_OVF_CTRL, PMU_COUNTER);
	pmu_load(left);
	msr_write(MSR_ARCH_PERFMON_EVENTSEL0,
		  evtsel | ARCH_PERFMON_EVENTSEL_INT |
		  ARCH_PERFMON_EVENTSEL_ENABLE);
	ls_pmu_unmask(NULL);
}

/* After ls_pmu_pause(). */
void ls_pmu_stop(const struct pmu_saved *saved)
{
	msr_write(MSR_ARCH_PERFMON_EVENTSEL0, saved->evtsel);
	msr_write(MSR_ARCH_PERFMON_PERFCTR0, 0);
	ls_pmu_unmask(saved);
	msr_write(MSR_CORE_PERF_GLOBAL_CTRL, saved->global_ctrl);
}

void ls_pmu_resume(u64 left)
{
	pmu_load(left);
	msr_write(MSR_CORE_PERF_GLOBAL_CTRL, PMU_COUNTER);
}

/* Returns what is left of the period; 0 if it is over and no NMI came yet. */
u64 ls_pmu_pause(void)
{
	u64 value;

	msr_write(MSR_CORE_PERF_GLOBAL_CTRL, 0);
	value = msr_read(MSR_ARCH_PERFMON_PERFCTR0);
	return value & BIT_ULL(ls_caps.gp_width - 1) ?
	       BIT_ULL(ls_caps.gp_width) - value : 0;
}

bool ls_pmu_overflowed(void)
{
	return msr_read(MSR_CORE_PERF_GLOBAL_STATUS) & PMU_COUNTER;
}

/* Of our own bit only: PT and DS have theirs in the same register. */
void ls_pmu_acknowledge(void)
{
	msr_write(MSR_CORE_PERF_GLOBAL_OVF_CTRL, PMU_COUNTER);
}

/*
 * From the NMI: the next period begins, and only then the interrupt is let
 * through again, which avoids spurious ones since Haswell (late_ack in
 * arch/x86/events/intel/core.c).
 */
void ls_pmu_rearm(u64 period)
{
	pmu_load(period);
	ls_pmu_acknowledge();
	ls_pmu_unmask(NULL);
}
