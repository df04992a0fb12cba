// SPDX-License-Identifier: GPL-2.0
/* ctl/perfdata/budget.c: marks written and parsed, and their sum as a sentence. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "perfdata/budget.h"

static struct budget budget;
static char text[256];

static void test_marks(void **state)
{
	static const struct budget_record records[] = {
		{ .stretch = 1000, .share = 0, .left_out = 0 },
		{ .stretch = 8109, .share = 112, .left_out = 3 },
		{ .stretch = 1000000, .share = 1000, .left_out = 123456789 },
	};
	static const char *const marks[] = {
		"stretch=1.000 spent=0.0% left-out=0",
		"stretch=8.109 spent=11.2% left-out=3",
		"stretch=1000.000 spent=100.0% left-out=123456789",
	};
	struct budget_record back;
	char mark[BUDGET_MARK];

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		budget_mark(&records[i], mark);
		assert_string_equal(mark, marks[i]);
		assert_true(budget_parse(mark, &back));
		assert_memory_equal(&back, &records[i], sizeof(back));
	}
}

static void test_what_is_no_mark(void **state)
{
	static const char *const others[] = {
		"", "stretch=", "stretch=8.100", "state=S",
		"stretch=8.100 spent=11.2% left-out=3 more",
		"stretch=8.100 spent=11.2% left-out=12345678901",
		"stretch=-8.100 spent=11.2% left-out=3 ",
	};
	struct budget_record record;

	(void)state;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_false(budget_parse(others[i], &record));
}

static void add(uint32_t cpu, uint32_t stretch, uint32_t left_out)
{
	const struct budget_record record = { .stretch = stretch,
					    .left_out = left_out };

	budget_add(&budget, &record, cpu);
}

static void test_nothing_was_done(void **state)
{
	(void)state;
	memset(&budget, 0, sizeof(budget));
	assert_false(budget_text(&budget, text, sizeof(text)));
	add(0, 1000, 0);
	assert_false(budget_text(&budget, text, sizeof(text)));
}

static void test_times_are_those_that_it_grew(void **state)
{
	(void)state;
	memset(&budget, 0, sizeof(budget));
	add(1, 2500, 0);
	add(1, 8109, 0);
	add(1, 4000, 0);
	add(1, 1000, 0);
	add(2, 1100, 0);
	assert_true(budget_text(&budget, text, sizeof(text)));
	assert_string_equal(text, "periods stretched 3 times, up to 8.10-fold,"
			    " on CPUs 1-2");
}

static void test_switches_left_out(void **state)
{
	(void)state;
	memset(&budget, 0, sizeof(budget));
	add(0, 1000, 7);
	add(4, 1000, 35);
	assert_true(budget_text(&budget, text, sizeof(text)));
	assert_string_equal(text, "branches and times off the CPU omitted at 42"
			    " context switches, on CPUs 0,4");
	add(8191, 2000, 0);
	add(8192, 2000, 0);
	assert_true(budget_text(&budget, text, sizeof(text)));
	assert_string_equal(text, "periods stretched 2 times, up to 2.00-fold,"
			    " and branches and times off the CPU omitted at 42"
			    " context switches, on CPUs 0,4,8191");
}

static void test_many_cpus(void **state)
{
	(void)state;
	memset(&budget, 0, sizeof(budget));
	for (uint32_t cpu = 0; cpu < BUDGET_CPUS; cpu += 2)
		add(cpu, 2000, 0);
	assert_true(budget_text(&budget, text, sizeof(text)));
	assert_true(strnlen(text, sizeof(text)) < sizeof(text));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_marks),
		cmocka_unit_test(test_what_is_no_mark),
		cmocka_unit_test(test_nothing_was_done),
		cmocka_unit_test(test_times_are_those_that_it_grew),
		cmocka_unit_test(test_switches_left_out),
		cmocka_unit_test(test_many_cpus),
	};

	return cmocka_run_group_tests_name("budget", tests, NULL, NULL);
}
