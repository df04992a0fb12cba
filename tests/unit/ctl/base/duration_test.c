// SPDX-License-Identifier: GPL-2.0
/* ctl/base/duration.c: every unit, a number without one, and invalid durations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/duration.h"

static void test_units(void **state)
{
	static const struct { const char *text; uint64_t ns; } good[] = {
		{ "0", 0 }, { "7ns", 7 }, { "100us", 100000 }, { "500ms", 500000000 },
		{ "10s", 10000000000 }, { "10m", 600000000000 }, { "2h", 7200000000000 },
		{ "1d", 86400000000000 }, { "0s", 0 },
	};
	static const char *const bad[] = { "", "10", "s", "-1s", "+1s", " 1s", "1 s", "1.5s",
		"1M", "1min", "1S", "0x10s", "18446744073709551616ns", "213504d" };
	uint64_t ns;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		assert_true(duration_parse(good[i].text, 0, &ns));
		assert_int_equal(ns, good[i].ns);
	}
	ns = 42;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_false(duration_parse(bad[i], 0, &ns));
	assert_int_equal(ns, 42);
}

static void test_a_number_alone(void **state)
{
	uint64_t ns;

	(void)state;
	assert_true(duration_parse("1000", DURATION_MS, &ns));
	assert_int_equal(ns, 1000000000);
	assert_true(duration_parse("3s", DURATION_MS, &ns));
	assert_int_equal(ns, 3000000000);
	assert_false(duration_parse("18446744073709551615", DURATION_MS, &ns));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_units),
		cmocka_unit_test(test_a_number_alone),
	};

	return cmocka_run_group_tests_name("duration", tests, NULL, NULL);
}
