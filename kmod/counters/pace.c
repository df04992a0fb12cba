// SPDX-License-Identifier: GPL-2.0
/*
 * Periods: the number of events from one sample to the next.  A period is fixed or
 * follows a frequency, and may have a random part (jitter), so that samples do not
 * fall into step with a loop of the program.
 *
 * With a frequency, the module computes from time to time which period would have fitted:
 * the events since the last computation, by the time that they took.  This is the time of
 * the CPU where everything is sampled, else the time that the task ran.
 *
 * - If the period is right to an eighth, the fitting one replaces it, and stays for eight
 *   samples.  These cost no division.  If they take the time of ten, the period is
 *   computed early.
 * - Else the period moves half of the way, at each sample.  So it approaches its target
 *   from one side and does not oscillate.  A sample lowers it by a quarter at most,
 *   because events seem rare after a pause, and raises it by a factor of 4.5 at most.
 *
 * The first period of a frequency is 1,000 events, which is also the shortest one.  So a
 * rare event has samples at once, and the first sample of a CPU or task weighs less than
 * its later ones.  This costs a few additional samples at each start.
 *
 * Either kind may have jitter, evenly distributed, from a generator that is seeded by the
 * session and by the CPU or thread.  A sample whose period varies states its number of
 * events.
 *
 * Context: NMI.  Everything is arithmetic on the state of one CPU or task.
 */
#include <linux/kprobes.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "counters/pace.h"
#include "pmu/caps.h"

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
/*
 * A period of a frequency that fits stays for this many samples.  A sample is late if they
 * take the time of two more.
 */
#define PACE_BATCH		8U
#define PACE_LATE		2
static_assert(PACE_BATCH * PACE_PERIOD_MAX <= U64_MAX / PACE_NS_A_SECOND);

/* A time that never comes, for periods that do not follow the time. */
#define PACE_NEVER		(1ULL << 62)

static u64 ls_pace_clamp(const struct ls_pace_config *config, u64 period)
{
	u64 least = config->frequency ? PACE_FIRST : CAPS_PERIOD_MIN;

	return min_t(u64, max_t(u64, period, least), PACE_PERIOD_MAX);
}

/* Periods are drawn from base - jitter to base + jitter, evenly. */
static void ls_pace_spread(struct ls_pace *pace, const struct ls_pace_config *config)
{
	u64 span = (u64)pace->base * config->jitter / 1000;

	pace->low = ls_pace_clamp(config, pace->base - span);
	pace->width = ls_pace_clamp(config, pace->base + span) - pace->low + 1;
}
NOKPROBE_SYMBOL(ls_pace_spread);

/* Returns the period that would have taken the right time, by the samples of the batch. */
static u64 ls_pace_fit(const struct ls_pace *pace, const struct ls_pace_config *config, u64 now)
{
	u64 ran = now > pace->since ? min_t(u64, now - pace->since, PACE_GAP_MAX) : 0;

	return div64_u64(pace->events * PACE_NS_A_SECOND,
			 max_t(u64, ran, 1) * config->frequency);
}
NOKPROBE_SYMBOL(ls_pace_fit);

/*
 * A period that is nearly right becomes the one that fits, and stays for a batch of samples.
 * Any other one moves half of the way, for one sample.  So a sample lowers the period by a
 * quarter at most: after a pause events seem rare, and a period that followed at once would
 * end in a burst of samples.  A sample raises it up to 4.5 times.  So a burst is short: one
 * sample undoes five that came too slowly.
 */
static void ls_pace_follow(struct ls_pace *pace, const struct ls_pace_config *config, u64 now)
{
	u64 base = pace->base, fit = ls_pace_fit(pace, config, now);

	pace->samples = 1;
	if (fit >= base - base / 8 && fit <= base + base / 8)
		pace->samples = PACE_BATCH;
	else
		fit = (base + min_t(u64, max_t(u64, fit, base / 2), 8 * base)) / 2;
	pace->base = ls_pace_clamp(config, fit);
	pace->events = 0;
	pace->since = now;
	pace->due = now + (PACE_BATCH + PACE_LATE) * PACE_NS_A_SECOND / config->frequency;
	ls_pace_spread(pace, config);
}
NOKPROBE_SYMBOL(ls_pace_follow);

/* A fixed period stays as it is. */
void ls_pace_adapt(struct ls_pace *pace, const struct ls_pace_config *config, u64 now)
{
	if (config->frequency) {
		ls_pace_follow(pace, config, now);
		return;
	}
	pace->samples = U32_MAX;
	pace->due = PACE_NEVER;
}
NOKPROBE_SYMBOL(ls_pace_adapt);

/* "who" makes CPUs and tasks draw different numbers. */
void ls_pace_init(struct ls_pace *pace, const struct ls_pace_config *config, u32 who)
{
	*pace = (struct ls_pace){
		.base = config->frequency ? PACE_FIRST :
					    ls_pace_clamp(config, config->period),
		.random = config->seed ^ (who + 1) * 0x9e3779b97f4a7c15ULL,
		.samples = config->frequency ? 1 : U32_MAX,
		.due = PACE_NEVER,
	};
	ls_pace_spread(pace, config);
	pace->period = pace->low + ((u64)ls_pace_random(&pace->random) * pace->width >> 32);
}

u64 ls_pace_phase(struct ls_pace *pace)
{
	return 1 + ((u64)ls_pace_random(&pace->random) * pace->period >> 32);
}
