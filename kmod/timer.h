/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBRSCOPE_TIMER_H
#define LBRSCOPE_TIMER_H

#include <linux/hrtimer.h>
#include <linux/types.h>

#include <linux/lbrscope.h>

struct cpu_ctx;

/*
 * The timers of one CPU, one for each clock event with samples.
 * Locks: interrupts off, on that CPU; the NMI does not use them.
 */
struct timers {
	u32 nr;		/* of the session on the CPU */
	struct timer_slot {
		struct hrtimer hrtimer;	/* expires when the next sample is due */
		u32 event;		/* index in struct events */
	} slots[LBRSCOPE_CLOCKS_MAX];
};

/* See ls_timer_run() and ls_timer_halt(). */
void ls_timer_start(struct cpu_ctx *cpu, u64 now);
void ls_timer_stop(struct cpu_ctx *cpu, u64 now);

/*
 * Begins the next period of a timer whose period ended late ns ago.  Returns how many
 * periods have ended since then; *left: ns from now to the end of the next one.
 */
u64 ls_timer_next(struct cpu_ctx *cpu, const struct timer_slot *slot, u64 late, u64 *left);

#endif
