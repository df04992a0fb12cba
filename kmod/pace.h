/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBRSCOPE_PACE_H
#define LBRSCOPE_PACE_H

#include <linux/types.h>

/* How far samples are apart, as SESSION_SET asked for it. */
struct pace_config {
	u64 period;	/* events; 0: what comes out of frequency */
	u32 frequency;	/* samples a second, 0: not asked for */
	u32 jitter;	/* thousandths of a period, 0: none */
	u64 seed;	/* of the jitter */
};

/*
 * Where a CPU, or a task, is in its samples.  Written where the counter of that
 * CPU or task runs, interrupts off; by the NMI too, but only while it counts.
 */
struct pace {
	u64 base;	/* the period, before jitter */
	u64 period;	/* the one that is running */
	u64 since;	/* ns: when it began, or went on */
	u64 ran;	/* ns: how long it had run before that */
	u64 random;	/* state of the generator, never 0 */
};

void ls_pace_init(struct pace *pace, const struct pace_config *config, u32 who);

/* Of a pace that varies. */
u64 ls_pace_vary(struct pace *pace, const struct pace_config *config, u64 now);

/* Its CPU or task goes on running, or stops. */
static inline void ls_pace_run(struct pace *pace, u64 now)
{
	pace->since = now;
}

static inline void ls_pace_rest(struct pace *pace, u64 now)
{
	pace->ran += now - pace->since;
}

/* 32 random bits; the state is never 0. */
u32 ls_pace_random(u64 *state);

/* Samples say for how many events each stands. */
static inline bool ls_pace_varies(const struct pace_config *config)
{
	return config->frequency || config->jitter;
}

/* The period that begins now; times in ns, 0 where no frequency is kept. */
static inline u64 ls_pace_next(struct pace *pace,
			       const struct pace_config *config, u64 now)
{
	pace->period = ls_pace_varies(config) ?
		       ls_pace_vary(pace, config, now) : pace->base;
	return pace->period;
}

#endif
