// SPDX-License-Identifier: GPL-2.0
/* ctl/base/confidence.c against published figures; tests/outputs/report.test computes others anew. */
#include <math.h>

#include "test.h"

#include "base/confidence.h"

static struct share_sum equal(double n, double weight)
{
	return (struct share_sum){ n * weight, n * weight * weight };
}

#define NEAR(want, got) do {						\
	if (fabs((want) - (got)) > 1e-5)				\
		fail_msg("%s is %.7f, not %.7f", #got, got, want);	\
} while (0)

/* Newcombe, "Two-sided confidence intervals for the single proportion" (1998), table I,
 * method 3: 81/263, 15/148, 0/20, 1/29. */
static void wilson_intervals(void **state)
{
	static const struct { double k, n, low, high; } known[] = {
		{ 81, 263, 0.2553, 0.3662 }, { 15, 148, 0.0624, 0.1605 },
		{ 0, 20, 0, 0.1611 }, { 1, 29, 0.0061, 0.1718 },
	};

	(void)state;
	for (size_t i = 0; i < NR(known); i++)
		for (double weight = 1; weight < 1e7; weight *= 1003) {
			struct share_interval got = share_interval(
				equal(known[i].k, weight), equal(known[i].n, weight));

			assert_true(fabs(got.low - known[i].low) < 0.00006);
			assert_true(fabs(got.high - known[i].high) < 0.00006);
		}
}

/* One heavy sample among light ones counts for little more than one. */
static void weights_that_differ_are_worth_less(void **state)
{
	struct share_sum all = { 2000, 1000 * 1.0 + 1000.0 * 1000 };
	struct share_interval even = share_interval(equal(500, 2), equal(1000, 2));
	struct share_interval heavy = share_interval((struct share_sum){ 1000, 1e6 }, all);

	(void)state;
	assert_true(even.high - even.low < 0.07);
	assert_true(heavy.high - heavy.low > 0.7);
	assert_true(heavy.low > 0 && heavy.high < 1);
}

/* By hand: z = 2.6506, p = 0.0080451. Newcombe, "Interval
 * estimation for the difference between independent proportions" (1998), table II,
 * method 10: 0.0524 to 0.3339 for 56/70 - 48/80. */
static void changes(void **state)
{
	struct share_change list[] = {
		{ .before = equal(48, 1), .after = equal(56, 1) },
		{ .before = equal(10, 1), .after = equal(9, 1) },
		{ .before = equal(0, 1), .after = equal(0, 1) },
	};

	(void)state;
	assert_int_equal(share_changes(list, NR(list), equal(80, 1), equal(70, 1)), 0);
	assert_true(fabs(list[0].difference.low - 0.0524) < 0.0001);
	assert_true(fabs(list[0].difference.high - 0.3339) < 0.0001);
	NEAR(0.0080451, list[0].p);
	NEAR(3 * 0.0080451, list[0].corrected);
	NEAR(1.0, list[1].corrected);
	NEAR(1.0, list[2].p);
}

/* Clopper and Pearson's, by R's binom.test(); without a hit 1 - 0.025^(1/n). */
static void exact_intervals(void **state)
{
	static const struct {
		uint64_t part, all;
		double low, high;
	} known[] = {
		{ 0, 412, 0, 0.0089136 }, { 5, 100, 0.0164319, 0.1128349 },
		{ 1, 1, 0.025, 1 }, { 0, 0, 0, 1 }, { 500000, 1000000, 0.4990196, 0.5009804 },
	};

	(void)state;
	for (size_t i = 0; i < NR(known); i++) {
		struct share_interval s = share_exact(known[i].part, known[i].all);

		assert_true(fabs(s.low - known[i].low) < 1e-6);
		assert_true(fabs(s.high - known[i].high) < 1e-6);
	}
}

/* The interval has the true share in 95 of 100 audits at least. */
static void exact_intervals_cover(void **state)
{
	uint64_t random = 1;

	(void)state;
	for (double truth = 0.001; truth < 0.6; truth *= 3) {
		unsigned int covered = 0;

		for (int audit = 0; audit < 2000; audit++) {
			struct share_interval s;
			uint64_t hits = 0;

			for (int i = 0; i < 300; i++) {
				random = random * 6364136223846793005ULL + 1442695040888963407ULL;
				hits += (random >> 11) * 0x1p-53 < truth;
			}
			s = share_exact(hits, 300);
			covered += s.low <= truth && truth <= s.high;
		}
		assert_true(covered >= 1900);
	}
}

/* A process is audited until the first disagreement: then its stacks come from memory. So the
 * number of audits is random, not that of the disagreements; the interval holds nevertheless. */
static void exact_intervals_cover_audits_that_end(void **state)
{
	(void)state;
	for (double truth = 0.003; truth < 0.6; truth *= 3) {
		double covered = 0, ends = truth;	/* the probability that the nth ends it */

		for (uint64_t n = 1; n < 20 / truth; n++, ends *= 1 - truth) {
			struct share_interval s = share_exact(1, n);

			if (s.low <= truth && truth <= s.high)
				covered += ends;
		}
		assert_true(covered >= 0.95);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wilson_intervals),
		cmocka_unit_test(weights_that_differ_are_worth_less),
		cmocka_unit_test(changes),
		cmocka_unit_test(exact_intervals),
		cmocka_unit_test(exact_intervals_cover),
		cmocka_unit_test(exact_intervals_cover_audits_that_end),
	};

	return cmocka_run_group_tests_name("ctl/share", tests, NULL, NULL);
}
