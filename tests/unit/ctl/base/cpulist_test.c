// SPDX-License-Identifier: GPL-2.0
/* ctl/base/cpulist.c: the kernel's lists of CPUs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/cpulist.h"

static void parses(const char *text, unsigned int nr, unsigned int last)
{
	struct cpulist list = { 0 };

	assert_int_equal(cpulist_option("verb", &list, text), 0);
	assert_int_equal(list.nr, nr);
	assert_int_equal(list.cpus[nr - 1], last);
	cpulist_free(&list);
}

static void test_lists(void **state)
{
	(void)state;
	parses("0\n", 1, 0);
	parses("0-3\n", 4, 3);
	parses("0,2,4-6,127\n", 6, 127);
	parses("0-8191", 8192, 8191);
}

static void test_no_lists(void **state)
{
	static const char * const bad[] = {
		"", "\n", "a", "-1", "0-", "0-\n", "3-1", "0,", "0,,1", "0 1",
		"0,0", "1,0", "0-4294967295", "99999999999999999999", "0x3",
	};
	struct cpulist list = { 0 };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (!cpulist_option("verb", &list, bad[i]))
			fail_msg("\"%s\" was taken", bad[i]);
		assert_null(list.cpus);
	}
}

static void test_this_machine(void **state)
{
	struct cpulist online, possible;

	(void)state;
	assert_int_equal(cpulist_read(&online, "online"), 0);
	assert_int_equal(cpulist_read(&possible, "possible"), 0);
	assert_int_equal(online.nr, sysconf(_SC_NPROCESSORS_ONLN));
	assert_true(possible.nr >= online.nr);
	cpulist_free(&online);
	cpulist_free(&possible);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_no_lists),
		cmocka_unit_test(test_this_machine),
	};

	return cmocka_run_group_tests_name("cpulist", tests, NULL, NULL);
}
