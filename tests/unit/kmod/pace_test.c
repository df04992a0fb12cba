// SPDX-License-Identifier: GPL-2.0
/* kmod/pace.c against a program whose events come at a known rate. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

#include <linux/lbrscope.h>

#include "../../../kmod/pace.c"

#define SECOND	1000000000ULL

/* Runs to the next sample: events a second, and a time to have begun at. */
static u64 run(const struct pace *pace, u64 rate, u64 now)
{
	return now + pace->period * SECOND / rate;
}

static void test_fixed(void **state)
{
	const struct pace_config config = { .period = 123457 };
	struct pace pace;
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
	const struct pace_config config = { .frequency = 999 };
	struct pace pace;
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

/* Rare events, and no more of them than the shortest period allows. */
static void test_bounds(void **state)
{
	const struct pace_config slow = { .frequency = LBRSCOPE_FREQUENCY_MAX };
	const struct pace_config fast = { .frequency = 1 };
	struct pace pace;
	u64 now = 0;
	int n;

	(void)state;
	ls_pace_init(&pace, &slow, 0);
	for (n = 0; n < 100; n++)
		ls_pace_next(&pace, &slow, now = run(&pace, 1000, now));
	assert_int_equal(pace.period, CAPS_PERIOD_MIN);
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
	const struct pace_config config = { .frequency = 1000 };
	struct pace pace;
	u64 now = SECOND, right = 2000000;
	int n;

	(void)state;
	ls_pace_init(&pace, &config, 0);
	for (n = 0; n < 20; n++) {
		ls_pace_run(&pace, now);
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
	const struct pace_config config = { .frequency = 1000 };
	struct pace pace;
	u64 now = 0;

	(void)state;
	ls_pace_init(&pace, &config, 0);
	ls_pace_run(&pace, now);
	ls_pace_next(&pace, &config, now += SECOND / 1000);
	ls_pace_next(&pace, &config, now += 60 * SECOND);
	assert_in_range(pace.period, 1500000 - 2, 2000000);
	ls_pace_next(&pace, &config, now = run(&pace, 2000000000, now));
	ls_pace_next(&pace, &config, now = run(&pace, 2000000000, now));
	assert_in_range(pace.period, 1850000, 2000000);
}

static void test_jitter(void **state)
{
	const struct pace_config config = { .period = 1000000, .jitter = 100,
					    .seed = 7 };
	u64 low = -1ULL, high = 0, sum = 0;
	struct pace pace, again, other;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fixed),
		cmocka_unit_test(test_converges),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_rests),
		cmocka_unit_test(test_pause),
		cmocka_unit_test(test_jitter),
	};

	return cmocka_run_group_tests_name("kmod/pace", tests, NULL, NULL);
}
