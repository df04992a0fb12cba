/* SPDX-License-Identifier: GPL-2.0 */
/* Periods: the number of events from one sample to the next. */
#ifndef LBRSCOPE_PACE_H
#define LBRSCOPE_PACE_H

#include <linux/types.h>

/* The distance of samples that SESSION_SET asked for. */
struct ls_pace_config {
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
struct ls_pace {
	u64 period;	/* the current one, with jitter */
	u64 random;	/* state of the generator */
	u32 low, width;	/* periods are drawn from low to low + width - 1 */
	/* Low and width are computed anew after this many samples, or by one that is late. */
	u32 samples;
	u32 base;	/* the period, before jitter */
	u64 due;	/* ns: a sample is late after this */
	u64 events;	/* the periods that have ended since low was computed */
	u64 since;	/* ns: when that was, later by the time of all rests */
	u64 rested;	/* ns: the last rest began */
};

void ls_pace_init(struct ls_pace *pace, const struct ls_pace_config *config, u32 who);

/* Computes from which periods the next ones are drawn: see pace.c. */
void ls_pace_adapt(struct ls_pace *pace, const struct ls_pace_config *config, u64 now);

/* The CPU or task starts (run) or stops (rest) counting; now in ns. */
static inline void ls_pace_run(struct ls_pace *pace, u64 now)
{
	pace->since += now - pace->rested;
	pace->due += now - pace->rested;
	pace->rested = now;
}

static inline void ls_pace_rest(struct ls_pace *pace, u64 now)
{
	pace->rested = now;
}

/*
 * Returns 32 random bits: the upper ones of Knuth's linear congruential generator for 64
 * bits (MMIX).
 */
static __always_inline u32 ls_pace_random(u64 *state)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return *state >> 32;
}

/*
 * Returns where in its first period a CPU or task begins: the number of events to its end, evenly
 * distributed.  Context: after ls_pace_init().
 */
u64 ls_pace_phase(struct ls_pace *pace);

/* Whether periods differ, so that each sample has to state its own. */
static inline bool ls_pace_varies(const struct ls_pace_config *config)
{
	return config->frequency || config->jitter;
}

/* Begins the next period of an event whose periods vary.  Arguments as below. */
static __always_inline u64 ls_pace_vary(struct ls_pace *pace,
					const struct ls_pace_config *config, u64 now)
{
	pace->events += pace->period;
	if (unlikely(--pace->samples == 0 || now > pace->due))
		ls_pace_adapt(pace, config, now);
	pace->period = pace->low + ((u64)ls_pace_random(&pace->random) * pace->width >> 32);
	return pace->period;
}

/* Begins the next period and returns it.  now: ns; 0 without a frequency. */
static inline u64 ls_pace_next(struct ls_pace *pace,
			       const struct ls_pace_config *config, u64 now)
{
	if (ls_pace_varies(config))
		return ls_pace_vary(pace, config, now);
	pace->period = pace->base;
	return pace->period;
}

#endif
