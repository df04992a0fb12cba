// SPDX-License-Identifier: GPL-2.0
/*
 * kmod/counters/clock.c: the times of samples, where a hypervisor takes the CPU between the reading of the
 * TSC and that of the clock.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

#include "shim/kernel.h"

/* The parts of the kernel that clock.c uses.  Cycles of the TSC are ns here. */
#define CLOCK_AHEAD	1000000000ULL	/* ns that the clock is ahead of the TSC */
#define div_u64(a, b)	((u64)(a) / (u32)(b))
static const unsigned int tsc_khz = 1000000;
static u64 tsc, taken;

static u64 rdtsc(void)
{
	return tsc;
}

static u64 clock_time(void)
{
	u64 now = tsc + CLOCK_AHEAD;

	tsc += taken;
	return now;
}

static bool check_tsc_unstable(void)
{
	return false;
}

#define ktime_get_mono_fast_ns	clock_time
#include "../../../kmod/counters/clock.c"

/* Two events have overflowed at once: the second reading has the TSC of the first. */
static void assert_time(struct ls_clock *clock)
{
	u64 begin = tsc;

	tsc += 100;
	for (int i = 0; i < 2; i++)
		assert_in_range(ls_clock_ns(clock, begin), begin + CLOCK_AHEAD - 1,
				tsc + CLOCK_AHEAD);
}

static void run(u64 step, u64 away)
{
	struct ls_clock clock;

	tsc = 1ULL << 40;
	taken = 0;
	ls_clock_begin(&clock);
	for (int i = 0; i < 1000; i++) {
		taken = i % 3 ? 0 : away;
		assert_time(&clock);
		tsc += step;
	}
}

static void test_undisturbed(void **state)
{
	(void)state;
	run(1000, 0);
	run(3999999, 0);
	run(10000000, 0);
}

static void test_taken(void **state)
{
	(void)state;
	run(1000, 1000000);
	run(3000000, 1000000);
	run(10000000, 50000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_undisturbed), cmocka_unit_test(test_taken),
	};

	return cmocka_run_group_tests_name("clock", tests, NULL, NULL);
}
