// SPDX-License-Identifier: GPL-2.0
/*
 * Who owns the PMU: the kernel's reservation of counters.
 *
 * perf takes all of them with its first hardware event and gives them back
 * with its last, the NMI watchdog and KVM's vPMU go through perf, and so does
 * everybody here.  While they are reserved, opening such an event fails with
 * EBUSY, and perf's NMI handler returns before it touches a register.  Both
 * halves are taken: with full-width writes perf reserves counters under
 * addresses that the kernel does not arbitrate, so only the event selects
 * count.  The kernel does not record who the owner is.
 */
#include <linux/errno.h>
#include <asm/nmi.h>
#include <asm/perf_event.h>

#include "caps.h"
#include "own.h"
#include "pmu.h"

static u32 own_evtsel(u32 nr)
{
	return ls_pmu_regs.evtsel + nr * ls_pmu_regs.stride;
}

static u32 own_counter(u32 nr)
{
	return ls_pmu_regs.counter + nr * ls_pmu_regs.stride;
}

static void own_release_first(u32 nr)
{
	while (nr--) {
		release_evntsel_nmi(own_evtsel(nr));
		release_perfctr_nmi(own_counter(nr));
	}
}

/* 0, or -EBUSY with nothing taken. */
int ls_own_claim(void)
{
	u32 i;

	for (i = 0; i < ls_caps.gp_claim; i++) {
		if (!reserve_perfctr_nmi(own_counter(i)))
			break;
		if (!reserve_evntsel_nmi(own_evtsel(i))) {
			release_perfctr_nmi(own_counter(i));
			break;
		}
	}
	if (i == ls_caps.gp_claim)
		return 0;
	own_release_first(i);
	return -EBUSY;
}

void ls_own_release(void)
{
	own_release_first(ls_caps.gp_claim);
}
