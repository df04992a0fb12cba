/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBRSCOPE_CLOCK_H
#define LBRSCOPE_CLOCK_H

#include <linux/types.h>

/*
 * CLOCK_MONOTONIC of one CPU by its TSC, for a short time after it was read: of a
 * sample that says little, reading it would be the dearest part.  The NMI's alone.
 */
struct clock {
	u64 tsc, ns;	/* when it was read, and what it was */
	u64 window;	/* cycles: so long is it believed; 0: each time read */
	u64 mult;	/* ns in 2^32 cycles */
};

/* The first time reads it.  On the CPU, when a session begins there. */
void ls_clock_begin(struct clock *clock);

u64 ls_clock_read(struct clock *clock);

/* What it was in ns when the TSC was tsc, which is now. */
static __always_inline u64 ls_clock_ns(struct clock *clock, u64 tsc)
{
	u64 ran = tsc - clock->tsc;

	if (unlikely(ran > clock->window))
		return ls_clock_read(clock);
	return clock->ns + (ran * clock->mult >> 32);
}

#endif
