// SPDX-License-Identifier: GPL-2.0
/* ctl/pmu/list.c: arguments of -e. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "pmu/list.h"

static struct eventlist list;
static char why[512];

static int parse(const char *text)
{
	memset(&list, 0, sizeof(list));
	return eventlist_parse(&list, text, why, sizeof(why));
}

static void test_list(void **state)
{
	(void)state;
	assert_int_equal(parse("cycles:u,r1c2@2,instructions@fixed"), 0);
	assert_int_equal(list.nr, 3);
	assert_string_equal(list.list[0].event.name, "cycles:u");
	assert_int_equal(list.list[0].event.select, 0x1003c);
	assert_int_equal(list.list[0].event.counters, 0);
	assert_int_equal(list.list[1].event.counters, 4);
	assert_int_equal(list.list[2].event.counters, 0xffffffffULL << 32);
	assert_int_equal(list.list[2].group, -1);
}

static void test_groups(void **state)
{
	struct control_event asked[LBRSCOPE_EVENTS_MAX];

	(void)state;
	assert_int_equal(parse("cycles,{instructions,branches}:Su,{r1c2,r2c4}"), 0);
	assert_int_equal(list.nr, 5);
	assert_int_equal(list.list[0].group, -1);
	assert_int_equal(list.list[1].group, 1);
	assert_int_equal(list.list[2].group, 1);
	assert_int_equal(list.list[3].group, 3);
	assert_true(list.list[1].leads);
	assert_false(list.list[2].leads);
	assert_false(list.list[3].leads);
	assert_int_equal(list.list[2].event.select, 0x100c4);
	eventlist_ask(&list, asked);
	assert_false(asked[0].grouped);
	assert_true(asked[1].grouped && asked[2].grouped);
	assert_int_equal(asked[1].group, asked[2].group);
	assert_true(asked[3].group != asked[2].group);
	assert_true(asked[1].read_group);
}

/* What Linux counts is in the list where it may be, and not in what the module is asked for. */
static void test_software(void **state)
{
	struct control_event asked[LBRSCOPE_EVENTS_MAX];

	(void)state;
	assert_int_equal(parse("cs"), -1);
	assert_non_null(strstr(why, "'cs': 'record --off-cpu'"));
	memset(&list, 0, sizeof(list));
	list.software = true;
	assert_int_equal(eventlist_parse(&list, "page-faults,cycles,cs:u,{r1c2,r2c4}", why, sizeof(why)), 0);
	assert_int_equal(list.nr, 5);
	assert_true(list.list[0].event.software && list.list[2].event.software);
	assert_int_equal(list.list[2].event.select, 0x10000);
	assert_int_equal(eventlist_ask(&list, asked), 3);
	assert_int_equal(asked[0].config, 0x3003c);
	assert_int_equal(asked[1].config, list.list[3].event.select);
	assert_true(asked[1].group == 1 && asked[2].group == 1);
}

static void test_refused(void **state)
{
	static const struct { const char *text, *says; } bads[] = {
		{ "", "1 to" }, { ",", "1 to" }, { "cycles,", "1 to" },
		{ "{}", "1 to" }, { "{cycles", "no closing brace" },
		{ "{{cycles}}", "no closing brace" }, { "{cycles}x", "follows" },
		{ "{cycles}:q", "q" }, { "cycles@", "@ is followed by" },
		{ "cycles@32", "@ is followed by" }, { "cycles@extra=", "@ is followed by" },
		{ "cycles@extra=zz", "@ is followed by" }, { "cycles@0x1", "@ is followed by" },
		{ "nosuchevent", "nosuchevent" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bads) / sizeof(bads[0]); i++) {
		assert_int_equal(parse(bads[i].text), -1);
		if (!strstr(why, bads[i].says))
			fail_msg("%s: %s", bads[i].text, why);
	}
}

static void test_many(void **state)
{
	char text[8 * (LBRSCOPE_EVENTS_MAX + 1)] = "r1c2";
	int i;

	(void)state;
	for (i = 1; i < LBRSCOPE_EVENTS_MAX; i++)
		strcat(text, ",r1c2");
	assert_int_equal(parse(text), 0);
	strcat(text, ",r1c2");
	assert_int_equal(parse(text), -1);
}

static void test_clock_period(void **state)
{
	(void)state;
	assert_int_equal(eventlist_clock_period(10007, 0), 10007);
	assert_int_equal(eventlist_clock_period(0, 1000), 1000000);
	/* record -e dummy has neither. */
	assert_int_equal(eventlist_clock_period(0, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_list),
		cmocka_unit_test(test_groups), cmocka_unit_test(test_software),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_clock_period),
	};

	setenv("LIBPFM_FORCE_PMU", "skl", 1);
	return cmocka_run_group_tests_name("ctl/eventlist", tests, NULL, NULL);
}
