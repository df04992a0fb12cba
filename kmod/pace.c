// SPDX-License-Identifier: GPL-2.0
/*
 * Periods: the number of events from one sample to the next.  A period is fixed or
 * follows a frequency, and may have a random part (jitter), so that samples do not
 * fall into step with a loop of the program.
 *
 * Context: NMI.  Everything is arithmetic on the state of one CPU or task.
 */
#include <linux/kprobes.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "caps.h"
#include "pace.h"

#define PACE_PERIOD_MAX		((1ULL << 31) - 1)	/* the most that pmu.c loads */
#define PACE_NS_A_SECOND	1000000000ULL
/*
 * The first period of a frequency, and the shortest.  The rate of the event is
 * not known yet: a period that is too long would hide a rare event and give one
 * sample the weight of many, one that is too short costs a few samples, since
 * it grows by up to 4.5 times a sample.  It may be shorter than
 * CAPS_PERIOD_MIN: a period can only stay short while samples are rare.
 */
#define PACE_FIRST		1000ULL
/* A longer gap counts as this long: it only shows that there was nothing to count. */
#define PACE_GAP_MAX		(10 * PACE_NS_A_SECOND)

static u64 ls_pace_clamp(const struct pace_config *config, u64 period)
{
	u64 least = config->frequency ? PACE_FIRST : CAPS_PERIOD_MIN;

	return min_t(u64, max_t(u64, period, least), PACE_PERIOD_MAX);
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
NOKPROBE_SYMBOL(ls_pace_random);

/* Returns a period that is evenly distributed from base - jitter to base + jitter. */
static u64 ls_pace_draw(struct pace *pace, const struct pace_config *config)
{
	u64 span = pace->base * config->jitter / 1000;

	return ls_pace_clamp(config, pace->base - span +
			     ((u64)ls_pace_random(&pace->random) * (2 * span + 1) >> 32));
}
NOKPROBE_SYMBOL(ls_pace_draw);

/*
 * Moves the period half of the way to the one that would have taken the right time.  A
 * sample lowers the period by a quarter at most: after a pause events seem rare, and a
 * period that followed at once would end in a burst of samples.  A sample raises it up to
 * 4.5 times.  So a burst is short: one sample undoes five that came too slowly.
 */
static void ls_pace_adapt(struct pace *pace, const struct pace_config *config,
			  u64 now)
{
	u64 ran = min_t(u64, pace->ran + (now - pace->since), PACE_GAP_MAX);
	u64 fit = div64_u64(pace->period * PACE_NS_A_SECOND,
			    max_t(u64, ran, 1) * config->frequency);

	fit = min_t(u64, max_t(u64, fit, pace->base / 2), 8 * pace->base);
	pace->base = ls_pace_clamp(config, (pace->base + fit) / 2);
	pace->ran = 0;
	pace->since = now;
}

u64 ls_pace_vary(struct pace *pace, const struct pace_config *config, u64 now)
{
	if (config->frequency)
		ls_pace_adapt(pace, config, now);
	return config->jitter ? ls_pace_draw(pace, config) : pace->base;
}
NOKPROBE_SYMBOL(ls_pace_vary);

/* "who" makes CPUs and tasks draw different numbers. */
void ls_pace_init(struct pace *pace, const struct pace_config *config, u32 who)
{
	pace->base = config->frequency ? PACE_FIRST :
					 ls_pace_clamp(config, config->period);
	pace->random = (config->seed ^ (who + 1) * 0x9e3779b97f4a7c15ULL) | 1;
	pace->ran = 0;
	pace->since = 0;
	pace->period = config->jitter ? ls_pace_draw(pace, config) : pace->base;
}

u64 ls_pace_phase(struct pace *pace)
{
	return 1 + ((u64)ls_pace_random(&pace->random) * pace->period >> 32);
}
