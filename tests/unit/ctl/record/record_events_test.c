// SPDX-License-Identifier: GPL-2.0
/* ctl/record/events.c: the counts of a group, in files as Debian's perf reads them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "perfdata/describe.h"
#include "record/events.h"

#define USER(hardware) { .event = { .name = #hardware ":u", \
	.select = EVENTS_SELECT_USR, .perf_type = PERF_TYPE_HARDWARE, \
	.perf_config = PERF_COUNT_HW_##hardware }, .group = 0 }

static struct record_options options = {
	.events = { .nr = 2, .list = { USER(CPU_CYCLES), USER(INSTRUCTIONS) } },
	.period = 1000,
};
static unsigned int both[] = { 0, 1 };
static const struct cpulist cpus = { .cpus = both, .nr = 2 };
static char file[] = "/tmp/record_events_test.XXXXXX";

/* Samples of two CPUs in turns, of a thread on each; the second has counted far more. */
static const struct { uint32_t cpu; uint64_t counts[2]; } turns[] = {
	{ 0, { 1000, 400 } }, { 1, { 900000, 70 } },
	{ 0, { 2000, 900 } }, { 1, { 901000, 90 } },
};

static struct record_events events;

static void make(struct record_options *o, const struct cpulist *of)
{
	const struct control_info info = {};

	o->events.list[0].leads = true;
	assert_int_equal(record_events_make(&events, o, &info,
					    LBRSCOPE_BRANCHES_NONE, of), 0);
}

static void write_file(void)
{
	struct perfdata_writer *writer = perfdata_write_open(file, events.list,
							     events.nr);
	const struct buildid_table none = {};
	const struct perfdata_description description = {
		.cpuid = "GenuineIntel,6,85,4", .events = events.list,
		.nr_events = events.nr, .buildids = &none,
	};
	static uint64_t out[ENCODE_MAX / 8];
	unsigned int i;

	assert_non_null(writer);
	for (i = 0; i < 4; i++) {
		struct ring_sample s = { .time = 1000 + i, .ip = 0x1000,
			.pid = 3, .tid = 3 + turns[i].cpu,
			.flags = LBRSCOPE_SAMPLE_USER,
			.nr_group = 2, .group = turns[i].counts };
		size_t size = encode_sample(&events.formats[0], &s, NULL, turns[i].cpu,
					    out);

		assert_int_equal(perfdata_write(writer, out, size), 0);
	}
	assert_int_equal(perfdata_describe(writer, &description), 0);
	assert_true(perfdata_write_finish(writer) > 0);
}

static void expect_perf(const char *fields, const char *wanted)
{
	char command[200], line[200], got[1000] = "";
	FILE *perf;

	snprintf(command, sizeof(command),
		 "perf script -i %s -F %s 2>/dev/null | tr -s ' ' | LC_ALL=C sort", file, fields);
	perf = popen(command, "r");
	assert_non_null(perf);
	while (fgets(line, sizeof(line), perf))
		strncat(got, line, sizeof(got) - strlen(got) - 1);
	pclose(perf);
	assert_string_equal(got, wanted);
}

/* Each sample has the CPU's counts since its previous one, the first since the start. */
static void test_counts_of_cpus(void **state)
{
	(void)state;
	make(&options, &cpus);
	assert_false(events.list[0].attr.inherit || events.list[1].attr.inherit);
	write_file();
	expect_perf("cpu,period,event",
		    "[000] 1000 CPU_CYCLES:u: \n[000] 1000 CPU_CYCLES:u: \n"
		    "[000] 400 INSTRUCTIONS:u: \n[000] 500 INSTRUCTIONS:u: \n"
		    "[001] 1000 CPU_CYCLES:u: \n[001] 20 INSTRUCTIONS:u: \n"
		    "[001] 70 INSTRUCTIONS:u: \n[001] 900000 CPU_CYCLES:u: \n");
	record_events_free(&events);
}

/* Counts of threads: perf distinguishes them by thread, for inherited events. */
static void test_counts_of_threads(void **state)
{
	(void)state;
	make(&options, NULL);
	assert_true(events.list[0].attr.inherit && events.list[1].attr.inherit);
	assert_int_equal(events.list[0].nr_ids, 1);
	assert_int_equal(events.list[1].nr_ids, 1);
	record_events_free(&events);
}

/* No two events have an id in common, however many there are. */
static void test_ids(void **state)
{
	static struct record_options many = { .offcpu.wanted = true };
	unsigned int i, j, k, l;

	(void)state;
	many.events.nr = LBRSCOPE_EVENTS_MAX;
	for (i = 0; i < many.events.nr; i++)
		many.events.list[i].group = 0;
	make(&many, &cpus);
	assert_int_equal(events.list[LBRSCOPE_EVENTS_MAX - 1].nr_ids, 2);
	for (i = 0; i < events.nr; i++)
		for (j = 0; j < events.list[i].nr_ids; j++)
			for (k = 0; k <= i; k++)
				for (l = 0; l < (k == i ? j : events.list[k].nr_ids); l++)
					assert_true(events.list[i].ids[j] !=
						    events.list[k].ids[l]);
	record_events_free(&events);
}

static int group_setup(void **state)
{
	int fd = mkstemp(file);

	(void)state;
	return fd < 0 ? -1 : close(fd);
}

static int group_teardown(void **state)
{
	char old[sizeof(file) + 4];

	(void)state;
	snprintf(old, sizeof(old), "%s.old", file);
	unlink(old);
	return unlink(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts_of_cpus),
		cmocka_unit_test(test_counts_of_threads),
		cmocka_unit_test(test_ids),
	};

	return cmocka_run_group_tests_name("record_events", tests, group_setup,
					   group_teardown);
}
