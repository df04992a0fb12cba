// SPDX-License-Identifier: GPL-2.0
/*
 * How many events there are from one sample to the next: a fixed number, one
 * that keeps a number of samples a second, and each of these with a random
 * part, so that samples do not fall into step with a loop of the program.
 *
 * All of it is arithmetic on one CPU's or one task's state, for the NMI.
 */
#include <linux/kprobes.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "caps.h"
#include "pace.h"

#define PACE_PERIOD_MAX		((1ULL << 31) - 1)	/* pmu.c loads no more */
#define PACE_NS_A_SECOND	1000000000ULL
/* Where the events a second are not known yet: those of a CPU of 2 GHz. */
#define PACE_GUESS		2000000000ULL
/* A gap that is longer says only that there was nothing to count. */
#define PACE_GAP_MAX		(10 * PACE_NS_A_SECOND)

static u64 pace_clamp(u64 period)
{
	return min_t(u64, max_t(u64, period, CAPS_PERIOD_MIN), PACE_PERIOD_MAX);
}

/* xorshift64: Marsaglia, "Xorshift RNGs"; its upper half is good enough here. */
u32 ls_pace_random(u64 *state)
{
	u64 x = *state;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	*state = x;
	return x >> 32;
}

/* Evenly from base - jitter to base + jitter. */
static u64 pace_draw(struct pace *pace, u32 jitter)
{
	u64 span = pace->base * jitter / 1000;

	return pace_clamp(pace->base - span +
			  ((u64)ls_pace_random(&pace->random) * (2 * span + 1) >> 32));
}
NOKPROBE_SYMBOL(pace_draw);

/*
 * The period that would have taken the right time, if events go on coming as
 * they did, half of the way to which is gone.  It falls by a quarter at most:
 * after a pause events seem rare, and a period that believes it at once ends in
 * a burst of samples.
 */
static void pace_adapt(struct pace *pace, u32 frequency, u64 now)
{
	u64 ran = min_t(u64, pace->ran + (now - pace->since), PACE_GAP_MAX);
	u64 fit = div64_u64(pace->period * PACE_NS_A_SECOND,
			    max_t(u64, ran, 1) * frequency);

	fit = min_t(u64, max_t(u64, fit, pace->base / 2), 8 * pace->base);
	pace->base = pace_clamp((pace->base + fit) / 2);
	pace->ran = 0;
	pace->since = now;
}

u64 ls_pace_vary(struct pace *pace, const struct pace_config *config, u64 now)
{
	if (config->frequency)
		pace_adapt(pace, config->frequency, now);
	return config->jitter ? pace_draw(pace, config->jitter) : pace->base;
}
NOKPROBE_SYMBOL(ls_pace_vary);

/* "who" keeps CPUs, and tasks, from all drawing the same. */
void ls_pace_init(struct pace *pace, const struct pace_config *config, u32 who)
{
	pace->base = pace_clamp(config->frequency ?
				div64_u64(PACE_GUESS, config->frequency) :
				config->period);
	pace->random = (config->seed ^ (who + 1) * 0x9e3779b97f4a7c15ULL) | 1;
	pace->ran = 0;
	pace->since = 0;
	pace->period = config->jitter ? pace_draw(pace, config->jitter) :
					pace->base;
}
