// SPDX-License-Identifier: GPL-2.0
/* ctl/stat/counts.c: the stated error, for estimates with a known truth. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "stat/counts.h"

static struct lbrscope_count even(uint64_t value, uint64_t running,
				  uint64_t enabled)
{
	struct lbrscope_count c = { .value = value, .running = running,
				    .enabled = enabled };
	int i;

	for (i = 0; i < LBRSCOPE_COUNT_PARTS; i++) {
		c.parts[i].value = value / LBRSCOPE_COUNT_PARTS;
		c.parts[i].running = running / LBRSCOPE_COUNT_PARTS;
	}
	return c;
}

static void test_exact(void **state)
{
	struct lbrscope_count c = { .value = 123, .running = 77, .enabled = 77 };

	(void)state;
	assert_true(counts_whole(&c));
	assert_true(counts_estimate(&c) == 123);
	assert_true(counts_error(&c) == 0);
}

static void test_unknown(void **state)
{
	struct lbrscope_count none = { .enabled = 1000 };
	struct lbrscope_count few = { .value = 10, .running = 10,
		.enabled = 1000, .parts = { { 10, 10 } } };

	(void)state;
	assert_true(counts_estimate(&none) == 0);
	assert_true(counts_error(&none) < 0);
	assert_true(counts_estimate(&few) == 1000);
	assert_true(counts_error(&few) < 0);
}

static void test_even(void **state)
{
	struct lbrscope_count c = even(8000, 800, 1600), sum = {};

	(void)state;
	assert_true(counts_estimate(&c) == 16000);
	assert_true(counts_error(&c) == 0);	/* no scatter */
	counts_add(&sum, &c);
	counts_add(&sum, &c);
	assert_true(counts_estimate(&sum) == 32000);
	assert_int_equal(sum.parts[7].value, 2000);
	c.value = 0;
	assert_true(counts_error(&c) == 0);	/* nothing ever happened */
}

/*
 * A program whose rate changes at random from turn to turn; an event counts in every other
 * turn. The truth should be within the error in 95 % of many runs.
 */
static void test_covers(void **state)
{
	enum { RUNS = 2000, TURNS = 160 };
	int run, turn, within = 0;

	(void)state;
	srandom(1);
	for (run = 0; run < RUNS; run++) {
		struct lbrscope_count c = {};
		double truth = 0;

		for (turn = 0; turn < TURNS; turn++) {
			uint64_t ran = 500 + random() % 1000;
			uint64_t value = ran * (random() % 100) / 10;
			int part = turn / 2 % LBRSCOPE_COUNT_PARTS;

			truth += value;
			c.enabled += ran;
			if (turn % 2)
				continue;
			c.value += value;
			c.running += ran;
			c.parts[part].value += value;
			c.parts[part].running += ran;
		}
		within += fabs(counts_estimate(&c) - truth) <=
			  counts_error(&c) * counts_estimate(&c);
	}
	assert_in_range(within, RUNS * 93 / 100, RUNS * 97 / 100);
}

static void test_subtract(void **state)
{
	struct lbrscope_count before = even(16000, 8, 16), c = even(16000, 8, 16);

	(void)state;
	counts_add(&c, &before);
	counts_subtract(&c, &before);
	assert_memory_equal(&c, &before, sizeof(c));
}

/* Values and bounds of a book's example: NIST/SEMATECH e-Handbook, 1.3.5.2, has
 * 9.261460 +- 0.003225 of 195 values with a standard deviation of 0.022789. */
static void test_mean(void **state)
{
	double few[] = { 10, 12, 14 }, many[195], error;
	unsigned int i;

	(void)state;
	assert_true(counts_mean(few, 1, &error) == 10 && error < 0);
	assert_true(fabs(counts_mean(few, 3, &error) - 12) < 1e-9);
	assert_true(fabs(error - 4.303 * 2 / sqrt(3)) < 1e-9);
	for (i = 0; i < 195; i++)
		many[i] = 9.261460 + (i == 194 ? 0 : i % 2 ? 1 : -1) * 0.022789;
	assert_true(fabs(counts_mean(many, 195, &error) - 9.261460) < 1e-9);
	assert_true(fabs(error - 0.003225) < 0.0001);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exact),
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_even),
		cmocka_unit_test(test_covers),
		cmocka_unit_test(test_subtract),
		cmocka_unit_test(test_mean),
	};

	return cmocka_run_group_tests_name("ctl/counts", tests, NULL, NULL);
}
