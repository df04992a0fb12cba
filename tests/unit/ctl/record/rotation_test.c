// SPDX-License-Identifier: GPL-2.0
/* ctl/record/rotation.c and ctl/base/size.c: when there is another file, and which are kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/size.h"
#include "record/rotation.h"

static void test_sizes(void **state)
{
	static const struct { const char *text; uint64_t bytes; } good[] = {
		{ "0", 0 }, { "1", 1 }, { "7B", 7 }, { "64K", 65536 },
		{ "3M", 3145728 }, { "2G", 2147483648 },
		{ "18446744073709551615", UINT64_MAX },
	};
	static const char *const bad[] = { "", "K", "-1", "+1", " 1", "1k", "1KB",
		"1.5M", "0x10", "18446744073709551616", "18446744073709551615K" };
	uint64_t bytes;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_true(size_parse(good[i].text, &bytes));
		assert_int_equal(bytes, good[i].bytes);
	}
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(size_parse(bad[i], &bytes));
}

static void test_when(void **state)
{
	struct rotation r = {};

	(void)state;
	assert_true(rotation_parse(&r, NULL));
	assert_true(r.wanted);
	assert_false(rotation_due(&r, UINT64_MAX, UINT64_MAX));
	assert_true(rotation_parse(&r, "signal"));
	assert_false(rotation_due(&r, UINT64_MAX, UINT64_MAX));

	assert_true(rotation_parse(&r, "100K"));
	assert_false(rotation_due(&r, 102399, UINT64_MAX));
	assert_true(rotation_due(&r, 102400, 0));

	assert_true(rotation_parse(&r, "2m"));
	r.since = 1000;
	assert_false(rotation_due(&r, UINT64_MAX, 120000000999));
	assert_true(rotation_due(&r, 0, 120000001000));
	assert_true(rotation_parse(&r, "1d"));
	assert_int_equal(r.time, 86400000000000);

	assert_true(rotation_parse(&r, "2m"));
	r.first = 400000000;
	assert_false(rotation_due(&r, 0, 400000999));
	assert_true(rotation_due(&r, 0, 400001000));
	r.nr_files = 1;
	assert_false(rotation_due(&r, UINT64_MAX, 120000000999));
	r.nr_files = 0;
	assert_true(rotation_parse(&r, "100ms"));
	assert_true(rotation_due(&r, 0, 100001000));
	r.first = 0;

	assert_false(rotation_parse(&r, "0"));
	assert_false(rotation_parse(&r, "0s"));
	assert_false(rotation_parse(&r, "1w"));
	assert_false(rotation_parse(&r, "s"));
	assert_false(rotation_parse(&r, "-1s"));
	assert_false(rotation_parse(&r, "9999999d"));
}

static void test_the_oldest_go(void **state)
{
	char dir[] = "/tmp/rotation_test.XXXXXX";
	struct rotation r = { .keep = 2 };
	char *name;
	int i;

	(void)state;
	assert_non_null(mkdtemp(dir));
	assert_int_equal(chdir(dir), 0);
	for (i = 0; i < 4; i++) {
		assert_true(asprintf(&name, "f.%d", i) > 0);
		fclose(fopen(name, "w"));
		/* Another process removes a file. */
		if (i == 1)
			unlink(name);
		assert_int_equal(rotation_finished(&r, name), 0);
	}
	assert_int_equal(access("f.0", F_OK), -1);
	assert_int_equal(access("f.2", F_OK), 0);
	assert_int_equal(access("f.3", F_OK), 0);
	unlink("f.2");
	unlink("f.3");
	rotation_free(&r);

	name = rotation_begin(&r, "base", 5);
	assert_int_equal(r.since, 5);
	assert_int_equal(strlen(name), 21);
	assert_int_equal(strspn(name + 5, "0123456789"), 16);
	free(name);
	rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_when),
		cmocka_unit_test(test_the_oldest_go),
	};

	return cmocka_run_group_tests_name("rotation", tests, NULL, NULL);
}
