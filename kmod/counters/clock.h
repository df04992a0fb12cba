/* SPDX-License-Identifier: GPL-2.0 */
/* The time, as the NMI reads it. */
#ifndef LBRSCOPE_CLOCK_H
#define LBRSCOPE_CLOCK_H

#include <linux/types.h>

/*
 * CLOCK_MONOTONIC of one CPU, extrapolated by its TSC for a short time after it was
 * read: reading it would be the most expensive part of a small sample.
 * Written and read by the NMI of its CPU only, while a session runs there.
 */
struct ls_clock {
	u64 tsc, ns;	/* the last reading */
	u64 window;	/* TSC cycles that it holds for; 0: read each time */
	u64 mult;	/* ns in 2^32 TSC cycles */
};

/* Context: on the CPU, when a session begins there.  The first sample reads the clock. */
void ls_clock_begin(struct ls_clock *clock);

u64 ls_clock_read(struct ls_clock *clock);

/* Returns: CLOCK_MONOTONIC in ns; tsc: that of now, or of when this interrupt began. */
static __always_inline u64 ls_clock_ns(struct ls_clock *clock, u64 tsc)
{
	u64 ran = tsc - clock->tsc;

	if (unlikely(ran > clock->window))
		return ls_clock_read(clock);
	return clock->ns + (ran * clock->mult >> 32);
}

#endif
