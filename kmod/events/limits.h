/* SPDX-License-Identifier: GPL-2.0 */
/* The limits and errata of events on each CPU generation. */
#ifndef LBRSCOPE_LIMITS_H
#define LBRSCOPE_LIMITS_H
/*
 * The limits of an event on a CPU generation: the counters that count it correctly,
 * the errata that concern it, and the bits of the register that describes it.
 */
#include <linux/types.h>

struct ls_caps;

struct ls_limits {
	u64 counters;	/* general counters that count it correctly, bit n: counter n */
	const char *refused;	/* why no counter does, in one sentence; or NULL */
	bool one_thread;	/* disturbs the other threads' counters of its core */
	/*
	 * A counter must be loaded with at least this many events before the
	 * overflow, and with a multiple of grain (a power of two, of which least
	 * is a multiple).  0 and 0: any number.
	 */
	u32 least, grain;
	bool extras_known;	/* all events that have an extra register are known */
	u32 extra_msr;		/* the event's extra register, or 0 */
	u64 extra_valid;	/* the bits of it that may be set */
	bool extra_shared;	/* the threads of a core may share it */
};

/*
 * Fills in the limits of an event on the CPU that caps describes.  config is an
 * event select as in LBRSCOPE_EVENT_A_CONFIG.  An unknown CPU has no limits.
 */
void ls_limits_find(const struct ls_caps *caps, u64 config, struct ls_limits *limits);

#endif
