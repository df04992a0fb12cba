/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBRSCOPE_PMU_H
#define LBRSCOPE_PMU_H

#include <linux/types.h>

/* What ls_pmu_start() found, for ls_pmu_stop() to put back. */
struct pmu_saved {
	u64 global_ctrl, evtsel;
	u32 lvtpc;
};

/*
 * One sampling counter a CPU.  All of these act on the CPU they run on,
 * preemption off; "left" is the number of events to the next sample.
 */
bool ls_pmu_in_use(void);
void ls_pmu_start(struct pmu_saved *saved, u64 evtsel, u64 left);
void ls_pmu_stop(const struct pmu_saved *saved);

void ls_pmu_resume(u64 left);
u64 ls_pmu_pause(void);
bool ls_pmu_overflowed(void);
void ls_pmu_acknowledge(void);
void ls_pmu_rearm(u64 period);
void ls_pmu_unmask(const struct pmu_saved *saved);

#endif
