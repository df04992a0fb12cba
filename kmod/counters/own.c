// SPDX-License-Identifier: GPL-2.0
/*
 * Takes and releases the kernel's reservation of the counters.
 *
 * perf reserves all counters with its first hardware event and gives them back with
 * its last.  The NMI watchdog and KVM's vPMU go through perf.  While the module holds
 * the reservation, opening such an event fails with EBUSY, and so does Intel BTS
 * (bts_event_init() asks for the reservation).  Both halves are taken: with full-width
 * writes perf reserves counters under addresses that the kernel does not arbitrate, so
 * only the event selects count.  The kernel does not record who the owner is.
 *
 * Intel PT does not ask for the reservation (pt_event_init(), x86_add_exclusive() in
 * arch/x86/events/).  With its first event active_events is no longer 0, so that perf's
 * NMI handler goes on behind ours: intel_pmu_handle_irq() clears the global control,
 * acknowledges all that has overflowed meanwhile, ours as well, and sets all bits of
 * the global control.  ls_counters_overdue() and ls_counters_reassert() find that, and
 * ls_lbr_lost() where PT excludes the branch records.
 */
#include <linux/errno.h>
#include <asm/nmi.h>
#include <asm/perf_event.h>

#include "counters/own.h"
#include "pmu/caps.h"
#include "pmu/msr.h"
#include "pmu/pmu.h"

static u32 ls_own_evtsel(u32 nr)
{
	return ls_pmu_regs.evtsel + nr * ls_pmu_regs.stride;
}

static u32 ls_own_counter(u32 nr)
{
	return ls_pmu_regs.counter + nr * ls_pmu_regs.stride;
}

static void ls_own_release_first(u32 nr)
{
	while (nr--) {
		release_evntsel_nmi(ls_own_evtsel(nr));
		release_perfctr_nmi(ls_own_counter(nr));
	}
}

/* Returns: 0; -EBUSY: another owner has a counter, and none is reserved. */
int ls_own_claim(void)
{
	u32 i;

	for (i = 0; i < ls_caps.gp_claim; i++) {
		if (!reserve_perfctr_nmi(ls_own_counter(i)))
			break;
		if (!reserve_evntsel_nmi(ls_own_evtsel(i))) {
			release_perfctr_nmi(ls_own_counter(i));
			break;
		}
	}
	if (i == ls_caps.gp_claim)
		return 0;
	ls_own_release_first(i);
	return -EBUSY;
}

void ls_own_release(void)
{
	ls_own_release_first(ls_caps.gp_claim);
}

/*
 * Whether Intel PT traces on this CPU.  Before Goldmont and Ice Lake an access to the branch
 * records faults then (lbr_pt_coexist in arch/x86/events/intel/core.c); on all CPUs perf's
 * handler interferes, see above.  If PT traces single tasks, this is true only while one of
 * them runs.
 * Context: preemption off.
 */
bool ls_own_traced(void)
{
	return boot_cpu_has(X86_FEATURE_INTEL_PT) &&
	       msr_read(MSR_IA32_RTIT_CTL) & RTIT_CTL_TRACEEN;
}
