/* SPDX-License-Identifier: GPL-2.0 */
/* The timers of a CPU's clock events. */
#ifndef LBRSCOPE_TIMER_H
#define LBRSCOPE_TIMER_H

#include <linux/hrtimer.h>
#include <linux/types.h>

#include <linux/lbrscope.h>

struct ls_cpu_ctx;

/*
 * The timers of one CPU, one for each clock event with samples.
 * Locks: interrupts off, on that CPU; the NMI does not use them.
 */
struct ls_timers {
	u32 nr;		/* number of the session's clocks */
	struct ls_timer_slot {
		struct hrtimer hrtimer;	/* expires when the next sample is due */
		u32 event;		/* index in struct ls_events */
	} slots[LBRSCOPE_CLOCKS_MAX];
};

/* Start and stop the timers with the counters of the owner.  now: ns, CLOCK_MONOTONIC. */
void ls_timer_start(struct ls_cpu_ctx *cpu, u64 now);
void ls_timer_stop(struct ls_cpu_ctx *cpu, u64 now);

/*
 * Moves a timer that has expired to the end of its next period.  Returns how many periods
 * have ended since then, which count as lost.  Context: the timer's callback.
 */
u64 ls_timer_forward(struct ls_cpu_ctx *cpu, struct ls_timer_slot *slot);

#endif
