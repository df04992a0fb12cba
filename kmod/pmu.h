/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBRSCOPE_PMU_H
#define LBRSCOPE_PMU_H

#include <linux/types.h>

/*
 * Where a family of PMUs has its registers, and how they behave.  Chosen once
 * at load.
 */
struct pmu_regs {
	u32 evtsel, counter;	/* of counter 0 */
	u32 stride;		/* from one counter's to the next one's */
	/* Of all counters; 0: there are none, each is by itself. */
	u32 global_ctrl, global_status, global_ack;
	u64 ack;		/* what one of our PMIs sets in global_status */
	u64 load_mask;		/* a write to the counter takes these bits */
	bool lvtpc_masks;	/* a PMI masks the local APIC's entry */
};

extern struct pmu_regs ls_pmu_regs;

/* What ls_pmu_start() found, for ls_pmu_stop() to put back. */
struct pmu_saved {
	u64 global_ctrl, evtsel;
	u32 lvtpc;
};

void ls_pmu_init(void);

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
