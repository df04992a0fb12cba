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

/* Two CPUs; the second event never had a counter on CPU 1, the third is the first again. The
 * text is what promtool check metrics accepts without a warning. */
static void test_openmetrics(void **state)
{
	static const char want[] =
		"# HELP lbrscope_events Events, estimated where they had a counter for a part of the time.\n"
		"# TYPE lbrscope_events gauge\n"
		"lbrscope_events{event=\"r01c5\",cpu=\"3\"} 100\n"
		"lbrscope_events{event=\"r02c5\",cpu=\"3\"} 400\n"
		"lbrscope_events{event=\"r01c5\",again=\"1\",cpu=\"3\"} 300\n"
		"lbrscope_events{event=\"r01c5\",cpu=\"7\"} 400\n"
		"lbrscope_events{event=\"r01c5\",again=\"1\",cpu=\"7\"} 600\n"
		"# HELP lbrscope_event_enabled_seconds Time for which the event was to be counted.\n"
		"# TYPE lbrscope_event_enabled_seconds gauge\n"
		"lbrscope_event_enabled_seconds{event=\"r01c5\",cpu=\"3\"} 2.000000000\n"
		"lbrscope_event_enabled_seconds{event=\"r02c5\",cpu=\"3\"} 2.000000000\n"
		"lbrscope_event_enabled_seconds{event=\"r01c5\",again=\"1\",cpu=\"3\"} 2.000000000\n"
		"lbrscope_event_enabled_seconds{event=\"r01c5\",cpu=\"7\"} 2.000000000\n"
		"lbrscope_event_enabled_seconds{event=\"r02c5\",cpu=\"7\"} 2.000000000\n"
		"lbrscope_event_enabled_seconds{event=\"r01c5\",again=\"1\",cpu=\"7\"} 2.000000000\n"
		"# HELP lbrscope_event_running_seconds Time for which the event had a counter.\n"
		"# TYPE lbrscope_event_running_seconds gauge\n"
		"lbrscope_event_running_seconds{event=\"r01c5\",cpu=\"3\"} 2.000000000\n"
		"lbrscope_event_running_seconds{event=\"r02c5\",cpu=\"3\"} 1.000000000\n"
		"lbrscope_event_running_seconds{event=\"r01c5\",again=\"1\",cpu=\"3\"} 2.000000000\n"
		"lbrscope_event_running_seconds{event=\"r01c5\",cpu=\"7\"} 2.000000000\n"
		"lbrscope_event_running_seconds{event=\"r02c5\",cpu=\"7\"} 0.000000000\n"
		"lbrscope_event_running_seconds{event=\"r01c5\",again=\"1\",cpu=\"7\"} 2.000000000\n"
		"# HELP lbrscope_interval_seconds Length of the interval or run.\n"
		"# TYPE lbrscope_interval_seconds gauge\n"
		"lbrscope_interval_seconds 2.500000000\n"
		"# EOF\n";
	struct lbrscope_count counts[6];
	struct stat_unit units[2] = { { .cpu = 3 }, { .cpu = 7 } };
	struct eventlist events = {};
	struct stat_counts c = {
		.events = &events, .per = STAT_CPU, .nr_units = 2, .units = units,
		.counts = counts, .seconds = 2.5,
	};
	char why[256], *text;
	size_t size;
	FILE *out;

	(void)state;
	assert_int_equal(eventlist_parse(&events, "r01c5,r02c5,r01c5", why, sizeof(why)), 0);
	for (unsigned int i = 0; i < 6; i++)
		counts[i] = (struct lbrscope_count){ .value = 100 * (i + 1), .enabled = 2000000000,
						     .running = 2000000000 };
	counts[1].running = 1000000000;
	counts[4].running = counts[4].value = 0;
	out = open_memstream(&text, &size);
	stat_print_openmetrics(&c, out);
	fclose(out);
	assert_string_equal(text, want);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dies),
		cmocka_unit_test(test_openmetrics),
	};

	return cmocka_run_group_tests_name("ctl/stat", tests, NULL, NULL);
}
