// SPDX-License-Identifier: GPL-2.0
/* ctl/stat/lines.c and the output formats: CPUs that share a core. */
#include "stat/stat.h"
#include "test.h"

#define CPUS	8

/* Two sockets of two dies of a core of two threads, numbered anew in each, as Linux did
 * before 6.1: CPU 0 and 4 are of the first, and so on. CPU n has counted 10^n. */
static void test_dies(void **state)
{
	static const char want[] =
		"socket,die,core,event,value,enabled_ns,running_ns,estimate,error,figure,unit\r\n"
		"0,0,0,\"r01c5\",10001,20,20,10001,0.0,,\r\n"
		"0,1,0,\"r01c5\",100010,20,20,100010,0.0,,\r\n"
		"1,0,0,\"r01c5\",1000100,20,20,1000100,0.0,,\r\n"
		"1,1,0,\"r01c5\",10001000,20,20,10001000,0.0,,\r\n";
	struct lbrscope_count counts[CPUS];
	struct stat_unit units[CPUS];
	struct eventlist events = {};
	struct stat_counts c = {
		.events = &events, .per = STAT_CORE, .nr_units = CPUS, .units = units,
		.counts = counts,
	};
	char why[256], *text;
	uint64_t value = 1;
	size_t size;
	FILE *out;

	(void)state;
	assert_int_equal(eventlist_parse(&events, "r01c5", why, sizeof(why)), 0);
	for (unsigned int i = 0; i < CPUS; i++, value *= 10) {
		units[i] = (struct stat_unit){ .cpu = i, .socket = i / 2 % 2, .die = i % 2 };
		counts[i] = (struct lbrscope_count){ .value = value, .enabled = 10, .running = 10 };
	}
	stat_cores(&c);
	assert_int_equal(c.nr_units, 4);
	out = open_memstream(&text, &size);
	stat_print_csv(&c, out);
	fclose(out);
	assert_string_equal(text, want);
	free(text);
	out = open_memstream(&text, &size);
	stat_print_text(&c, out);
	fclose(out);
	assert_non_null(strstr(text, "\nS0-D1-C0 "));
	assert_non_null(strstr(text, "\nS1-D0-C0 "));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dies),
	};

	return cmocka_run_group_tests_name("ctl/stat", tests, NULL, NULL);
}
