/* SPDX-License-Identifier: GPL-2.0 */
/* Periods: the number of events from one sample to the next. */
#ifndef LBRSCOPE_PACE_H
#define LBRSCOPE_PACE_H

#include <linux/types.h>

/* The distance of samples that SESSION_SET asked for. */
struct pace_config {
	u64 period;	/* events; 0: follows from frequency */
	u32 frequency;	/* samples a second, 0: none */
	u32 jitter;	/* thousandths of a period, 0: none */
	u64 seed;	/* of the jitter */
};

/*
 * The state of an event's samples, for one CPU or task.
 * Locks: written on the CPU where the counter runs, interrupts off; by the NMI only
 * while the counter counts.
 */
struct pace {
	u64 base;	/* the period, before jitter */
	u64 period;	/* the current one, with jitter */
	u64 since;	/* ns: the current period began or continued */
	u64 ran;	/* ns: it had run before since */
	u64 random;	/* state of the generator, never 0 */
};

void ls_pace_init(struct pace *pace, const struct pace_config *config, u32 who);

/* ls_pace_next() for a frequency or jitter. */
u64 ls_pace_vary(struct pace *pace, const struct pace_config *config, u64 now);

/* The CPU or task starts (run) or stops (rest) counting; now in ns. */
static inline void ls_pace_run(struct pace *pace, u64 now)
{
	pace->since = now;
}

static inline void ls_pace_rest(struct pace *pace, u64 now)
{
	pace->ran += now - pace->since;
}

/* Returns 32 random bits.  *state must not be 0, and never becomes 0. */
u32 ls_pace_random(u64 *state);

/*
 * Returns where in its first period a CPU or task begins: the number of events to its end, evenly
 * distributed.  Context: after ls_pace_init().
 */
u64 ls_pace_phase(struct pace *pace);

/* Whether periods differ, so that each sample has to state its own. */
static inline bool ls_pace_varies(const struct pace_config *config)
{
	return config->frequency || config->jitter;
}

/* Begins the next period and returns it.  now: ns; 0 without a frequency. */
static inline u64 ls_pace_next(struct pace *pace,
			       const struct pace_config *config, u64 now)
{
	pace->period = ls_pace_varies(config) ?
		       ls_pace_vary(pace, config, now) : pace->base;
	return pace->period;
}

#endif
