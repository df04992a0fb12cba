// SPDX-License-Identifier: GPL-2.0
/* ctl/stat/figures.c: which count is held against which. */
#include <math.h>

#include "stat/figures.h"
#include "test.h"

static void parse(struct eventlist *events, const char *text)
{
	char why[256];

	memset(events, 0, sizeof(*events));
	assert_int_equal(eventlist_parse(events, text, why, sizeof(why)), 0);
}

static void check(const struct eventlist *events, const double *counts, unsigned int i,
		  double value, const char *unit)
{
	struct figure figure;

	assert_true(figures_of(events, counts, i, &figure));
	assert_true(fabs(figure.value - value) < 1e-9);
	assert_string_equal(figure.unit, unit);
}

static void test_ratios(void **state)
{
	const double counts[] = { 200, 500, 50, 5, 20, 4, 100 };
	struct eventlist events;
	struct figure figure;

	(void)state;
	parse(&events, "cpu-cycles,instructions,branch-instructions,branch-misses,"
	      "cache-references,cache-misses,bus-cycles");
	assert_false(figures_of(&events, counts, 0, &figure));
	check(&events, counts, 1, 2.5, "per cycle");
	check(&events, counts, 2, 100, "per 1000 instructions");
	check(&events, counts, 3, 10, "% of branches");
	check(&events, counts, 4, 40, "per 1000 instructions");
	check(&events, counts, 5, 20, "% of cache-references");
	assert_false(figures_of(&events, counts, 6, &figure));
}

/* perf's cache events: misses to the accesses of the same cache and kind. */
static void test_caches(void **state)
{
	const double counts[] = { 1000, 400, 40, 300, 30, 7 };
	struct eventlist events;

	(void)state;
	parse(&events, "instructions,L1-dcache-loads,L1-dcache-load-misses,dTLB-stores,"
	      "dTLB-store-misses,LLC-load-misses");
	check(&events, counts, 1, 400, "per 1000 instructions");
	check(&events, counts, 2, 10, "% of L1-dcache-loads");
	check(&events, counts, 4, 10, "% of dTLB-stores");
	check(&events, counts, 5, 7, "per 1000 instructions");
}

/* Misses without the count of their accesses are related to instructions. */
static void test_alone(void **state)
{
	const double counts[] = { 500, 5, 20 };
	struct eventlist events;

	(void)state;
	parse(&events, "instructions,branch-misses,r01c5");
	check(&events, counts, 1, 10, "per 1000 instructions");
	check(&events, counts, 2, 40, "per 1000 instructions");
}

static void test_modes(void **state)
{
	const double counts[] = { 100, 200, 50 };
	struct eventlist events;
	struct figure figure;

	(void)state;
	parse(&events, "cycles:u,instructions,branches:u");
	assert_false(figures_of(&events, counts, 1, &figure));
	assert_false(figures_of(&events, counts, 2, &figure));
	parse(&events, "cycles:u,instructions:u,branches:uk");
	check(&events, counts, 1, 2, "per cycle");
	assert_false(figures_of(&events, counts, 2, &figure));
}

static void test_nothing(void **state)
{
	const double zero[] = { 0, 200 }, none[] = { NAN, 200 }, not[] = { 100, NAN };
	struct eventlist events;
	struct figure figure;

	(void)state;
	parse(&events, "cycles,instructions");
	assert_false(figures_of(&events, zero, 1, &figure));
	assert_false(figures_of(&events, none, 1, &figure));
	assert_false(figures_of(&events, not, 1, &figure));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ratios),
		cmocka_unit_test(test_caches),
		cmocka_unit_test(test_alone),
		cmocka_unit_test(test_modes),
		cmocka_unit_test(test_nothing),
	};

	/* Use libpfm4's tables of a Skylake on any machine: AMD has no bus-cycles. */
	setenv("LIBPFM_FORCE_PMU", "skl", 1);
	return cmocka_run_group_tests_name("ctl/figures", tests, NULL, NULL);
}
