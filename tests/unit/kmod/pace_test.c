// SPDX-License-Identifier: GPL-2.0
/* kmod/counters/pace.c against a program whose events come at a known rate. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include <linux/lbrscope.h>

#include "../../../kmod/counters/pace.c"

#define SECOND	1000000000ULL

/* Runs to the next sample: events a second, and a time to have begun at. */
static u64 run(const struct ls_pace *pace, u64 rate, u64 now)
{
	return now + pace->period * SECOND / rate;
}

static void test_fixed(void **state)
{
	const struct ls_pace_config config = { .period = 123457 };
	struct ls_pace pace;
	int i;

	(void)state;
	ls_pace_init(&pace, &config, 3);
	for (i = 0; i < 5; i++) {
		assert_int_equal(pace.period, 123457);
		assert_int_equal(ls_pace_next(&pace, &config, 0), 123457);
	}
}

/* From a guess that is far off, either way, to the period that is right. */
static void test_converges(void **state)
{
	static const u64 rates[] = { 50000000, 1000000000, 2000000000,
				     40000000000 };
	const struct ls_pace_config config = { .frequency = 999 };
	struct ls_pace pace;
	u64 now, right, before, slack;
	size_t i;
	int n;

	(void)state;
	for (i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		ls_pace_init(&pace, &config, 0);
		ls_pace_run(&pace, now = SECOND);
		right = rates[i] / 999;
		slack = 2 + rates[i] / SECOND;	/* a nanosecond */
		for (n = 0; n < 30; n++) {
			before = pace.period;
			now = run(&pace, rates[i], now);
			ls_pace_next(&pace, &config, now);
			/* always nearer, and never on the other side */
			if (before > right)
				assert_in_range(pace.period, right - slack,
						before + slack);
			else
				assert_in_range(pace.period, before - slack,
						right + slack);
		}
		assert_in_range(pace.period, right - 2 * slack,
				right + 2 * slack);
	}
}

/*
 * The first samples of a CPU or task weigh less than the later ones, whatever the
 * event: a rare one gets its first sample early, and none of them stands for ten
 * times the events of the others.
 */
static void test_begins_low(void **state)
{
	static const u64 rates[] = { 1800000, 2000000000 };
	const struct ls_pace_config config = { .frequency = 1000 };
	struct ls_pace pace;
	u64 now, most, second, samples;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		ls_pace_init(&pace, &config, 0);
		ls_pace_run(&pace, now = SECOND);
		assert_in_range(pace.period, 1, 2000);
		most = second = samples = 0;
		while (now < 2 * SECOND) {
			now = run(&pace, rates[i], now);
			most = pace.period > most ? pace.period : most;
			second += now < 2 * SECOND ? pace.period : 0;
			samples++;
			ls_pace_next(&pace, &config, now);
		}
		/* the mean is the right period: 1000 samples and the few of the start */
		assert_in_range(most, 1, rates[i] / 1000 + 2);
		assert_in_range(samples, 999, 1020);
		assert_in_range(second, rates[i] - most, rates[i]);
	}
}

/*
 * Bursts between pauses: the period falls during the pauses, by the clock, and
 * rises during the bursts, by the sample.  The samples a second stay bounded.
 */
static void test_bursts(void **state)
{
	const struct ls_pace_config config = { .frequency = 1000 };
	u64 now = SECOND, samples = 0;
	struct ls_pace pace;
	int n;

	(void)state;
	ls_pace_init(&pace, &config, 0);
	ls_pace_run(&pace, now);
	while (now < 11 * SECOND) {
		/* a few rare ones, slow enough for the period to fall */
		for (n = 0; n < 4; n++, samples++)
			ls_pace_next(&pace, &config, now += SECOND / 250);
		/* and as many as the CPU can */
		for (n = 0; n < 20000000; samples++) {
			n += pace.period;
			ls_pace_next(&pace, &config, now = run(&pace, 4000000000ULL, now));
		}
	}
	assert_in_range(samples, 1000, 11 * 1000);
}

/* Rare events, and no more of them than the shortest period allows. */
static void test_bounds(void **state)
{
	const struct ls_pace_config slow = { .frequency = LBRSCOPE_FREQUENCY_MAX };
	const struct ls_pace_config fast = { .frequency = 1 };
	struct ls_pace pace;
	u64 now = 0;
	int n;

	(void)state;
	ls_pace_init(&pace, &slow, 0);
	for (n = 0; n < 100; n++)
		ls_pace_next(&pace, &slow, now = run(&pace, 1000, now));
	assert_int_equal(pace.period, PACE_FIRST);
	ls_pace_init(&pace, &fast, 0);
	for (n = 0; n < 100; n++)
		ls_pace_next(&pace, &fast, now = run(&pace, SECOND << 10, now));
	assert_int_equal(pace.period, PACE_PERIOD_MAX);
	/* no time has passed at all, or far too much */
	ls_pace_next(&pace, &fast, now);
	assert_int_equal(pace.period, PACE_PERIOD_MAX);
	ls_pace_next(&pace, &fast, now + (1ULL << 62));
	assert_in_range(pace.period, PACE_PERIOD_MAX / 2, PACE_PERIOD_MAX);
}

/* The time off a CPU is no time in which events could have come. */
static void test_rests(void **state)
{
	const struct ls_pace_config config = { .frequency = 1000 };
	struct ls_pace pace;
	u64 now = SECOND, right = 2000000;
	int n;

	(void)state;
	ls_pace_init(&pace, &config, 0);
	ls_pace_run(&pace, now);
	for (n = 0; n < 40; n++)
		ls_pace_next(&pace, &config, now = run(&pace, 2000000000, now));
	for (n = 0; n < 20; n++) {
		now += pace.period / 4;		/* at 2 GHz: half of it */
		ls_pace_rest(&pace, now);
		now += 5 * SECOND;
		ls_pace_run(&pace, now);
		now += pace.period / 4;
		ls_pace_next(&pace, &config, now);
		assert_in_range(pace.period, right - 2, right + 2);
	}
}

/* After a pause in which nothing was counted: no burst of samples. */
static void test_pause(void **state)
{
	const struct ls_pace_config config = { .frequency = 1000 };
	struct ls_pace pace;
	u64 now = 0;
	int n;

	(void)state;
	ls_pace_init(&pace, &config, 0);
	ls_pace_run(&pace, now);
	for (n = 0; n < 40; n++)
		ls_pace_next(&pace, &config, now = run(&pace, 2000000000, now));
	ls_pace_next(&pace, &config, now += 60 * SECOND);
	assert_in_range(pace.period, 1500000 - 2, 2000000);
	ls_pace_next(&pace, &config, now = run(&pace, 2000000000, now));
	ls_pace_next(&pace, &config, now = run(&pace, 2000000000, now));
	assert_in_range(pace.period, 1850000, 2000000);
}

static void test_jitter(void **state)
{
	const struct ls_pace_config config = { .period = 1000000, .jitter = 100,
					    .seed = 7 };
	u64 low = -1ULL, high = 0, sum = 0;
	struct ls_pace pace, again, other;
	int n, same = 0;

	(void)state;
	ls_pace_init(&pace, &config, 1);
	ls_pace_init(&again, &config, 1);
	ls_pace_init(&other, &config, 2);
	for (n = 0; n < 100000; n++) {
		assert_in_range(pace.period, 900000, 1100000);
		assert_int_equal(pace.period, again.period);
		same += pace.period == other.period;
		low = pace.period < low ? pace.period : low;
		high = pace.period > high ? pace.period : high;
		sum += pace.period;
		ls_pace_next(&pace, &config, 0);
		ls_pace_next(&again, &config, 0);
		ls_pace_next(&other, &config, 0);
	}
	/* evenly: both ends are met, and the mean is the period */
	assert_in_range(low, 900000, 900100);
	assert_in_range(high, 1099900, 1100000);
	assert_in_range(sum / n, 999000, 1001000);
	assert_in_range(same, 0, 10);
}

/* Tasks with pids in sequence begin anywhere in their first periods, each with the same chance. */
static void test_phase(void **state)
{
	const struct ls_pace_config config = { .period = 1000000 };
	unsigned int bins[10] = {}, who, seed, i;
	struct ls_pace pace;
	u64 left;

	(void)state;
	for (seed = 0; seed < 3; seed++) {
		const struct ls_pace_config seeded = { .period = config.period, .seed = seed };

		memset(bins, 0, sizeof(bins));
		for (who = 5000; who < 15000; who++) {
			ls_pace_init(&pace, &seeded, who);
			left = ls_pace_phase(&pace);
			assert_in_range(left, 1, config.period);
			bins[(left - 1) * 10 / config.period]++;
		}
		/* 1000 each, within five standard deviations */
		for (i = 0; i < 10; i++)
			assert_in_range(bins[i], 850, 1150);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fixed),
		cmocka_unit_test(test_converges),
		cmocka_unit_test(test_begins_low),
		cmocka_unit_test(test_bursts),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_rests),
		cmocka_unit_test(test_pause),
		cmocka_unit_test(test_jitter),
		cmocka_unit_test(test_phase),
	};

	return cmocka_run_group_tests_name("kmod/pace", tests, NULL, NULL);
}
