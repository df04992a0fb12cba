// SPDX-License-Identifier: GPL-2.0
/* ctl/triage/triage.c: the result for two states of a machine, which are written down here. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "triage/triage.h"

static char proc[] = "/tmp/triage.XXXXXX";

static void put(const char *name, const char *text)
{
	char path[128];
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s", proc, name);
	out = fopen(path, "w");
	assert_non_null(out);
	fputs(text, out);
	fclose(out);
}

static int setup(void **state)
{
	static const char *const folders[] = { "pressure", "7", "8", "9", "self" };
	char path[128];

	(void)state;
	if (!mkdtemp(proc))
		return -1;
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", proc, folders[i]);
		if (mkdir(path, 0700))
			return -1;
	}
	return 0;
}

static int teardown(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", proc);
	return system(command);
}

/* Ten seconds of two CPUs are 2000 ticks: 900 busy, 100 given away, 1000 idle, 400 of these
 * for I/O. */
static void put_before(void)
{
	put("stat", "cpu 100 10 50 1000 200 5 5 30 0 0\ncpu0 1\ncpu1 1\nintr 1 2\n"
		    "procs_running 1\nprocs_blocked 0\n");
	put("pressure/cpu", "some avg10=1.00 avg60=1.00 avg300=1.00 total=5000000\n"
			    "full avg10=0.00 avg60=0.00 avg300=0.00 total=0\n");
	put("pressure/memory", "some avg10=0 avg60=0 avg300=0 total=70\n"
			       "full avg10=0 avg60=0 avg300=0 total=60\n");
	put("pressure/io", "some avg10=0 avg60=0 avg300=0 total=1000\n"
			   "full avg10=0 avg60=0 avg300=0 total=0\n");
	put("meminfo", "MemTotal: 1000 kB\nMemFree: 1 kB\nMemAvailable: 700 kB\n"
		       "SwapTotal: 500 kB\nSwapFree: 500 kB\n");
	put("vmstat", "pswpin 10\npswpout 20\npgmajfault 5\noom_kill 0\n");
	put("diskstats", "8 0 sda 1 2 3 4 5 6 7 8 0 100 9 0 0 0 0\n"
			 "8 16 sdb 1 2 3 4 5 6 7 8 0 100 9\n");
	put("7/stat", "7 (a) b) S 1 2 3 4 5 6 7 8 9 10 100 50 0 0 20 0 1");
	put("8/stat", "8 (steady) R 1 2 3 4 5 6 7 8 9 10 1000 500 0 0 20 0 1");
}

static void put_after(void)
{
	put("stat", "cpu 900 10 100 1600 600 30 30 130 0 0\ncpu0 1\ncpu1 1\n"
		    "procs_running 4\nprocs_blocked 2\n");
	put("pressure/cpu", "some avg10=1.00 avg60=1.00 avg300=1.00 total=8000000\n"
			    "full avg10=0.00 avg60=0.00 avg300=0.00 total=0\n");
	put("pressure/io", "some avg10=0 avg60=0 avg300=0 total=2001000\n"
			   "full avg10=0 avg60=0 avg300=0 total=1000000\n");
	put("meminfo", "MemTotal: 1000 kB\nMemAvailable: 250 kB\nSwapTotal: 500 kB\n"
		       "SwapFree: 400 kB\n");
	put("vmstat", "pswpin 12\npswpout 25\npgmajfault 9\noom_kill 1\n");
	put("diskstats", "8 0 sda 1 2 3 4 5 6 7 8 0 600 9 0 0 0 0\n"
			 "8 16 sdb 1 2 3 4 5 6 7 8 0 9100 9\n");
	put("7/stat", "7 (a) b) S 1 2 3 4 5 6 7 8 9 10 400 150 0 0 20 0 1");
	put("8/stat", "8 (steady) R 1 2 3 4 5 6 7 8 9 10 1100 500 0 0 20 0 1");
	put("9/stat", "9 (new) R 1 2 3 4 5 6 7 8 9 10 20 20 0 0 20 0 1");
}

static void near(double want, double got)
{
	if (fabs(want - got) > 1e-6)
		fail_msg("want %g, got %g", want, got);
}

static void test_ten_seconds(void **state)
{
	struct triage_state before, after;
	struct triage_result r = {};

	(void)state;
	put_before();
	assert_int_equal(triage_read(proc, &before), 0);
	put_after();
	assert_int_equal(triage_read(proc, &after), 0);
	assert_int_equal(after.running, 3);
	assert_int_equal(after.blocked, 2);
	triage_compare(&before, &after, 10, &r);
	assert_int_equal(r.cpus, 2);
	near(45, r.busy);
	near(20, r.iowait);
	near(5, r.steal);
	assert_true(r.has_pressure);
	near(30, r.some[TRIAGE_CPU]);
	near(0, r.some[TRIAGE_MEMORY]);
	near(20, r.some[TRIAGE_IO]);
	near(10, r.full[TRIAGE_IO]);
	near(25, r.available);
	assert_int_equal(r.swap_used, 100);
	assert_int_equal(r.swapped, 7);
	assert_int_equal(r.major_faults, 4);
	assert_int_equal(r.oom_kills, 1);
	assert_string_equal(r.disk, "sdb");
	near(90, r.disk_busy);
	assert_int_equal(r.top.pid, 7);
	assert_string_equal(r.top.comm, "a) b");
	near(100.0 * 400 / sysconf(_SC_CLK_TCK) / 10, r.top_busy);
	triage_free(&before);
	triage_free(&after);
}

static void test_no_such_folder(void **state)
{
	struct triage_state s;

	(void)state;
	assert_int_equal(triage_read("/nosuch", &s), -1);
	triage_free(&s);
}

static void advised(struct triage_result r, const char *kind, const char *command)
{
	struct triage_advice a;

	r.cpus = 4;
	r.has_pressure = true;
	triage_advise(&r, &a);
	assert_string_equal(a.kind, kind);
	assert_string_equal(a.command, command);
}

static void test_advice(void **state)
{
	(void)state;
	advised((struct triage_result){ .busy = 90 }, "on-cpu",
		"lbrctl record -a -- sleep 10");
	advised((struct triage_result){ .busy = 25, .top = { .pid = 5 }, .top_busy = 99 },
		"on-cpu", "lbrctl record -p 5 -- sleep 10");
	advised((struct triage_result){ .busy = 90, .top = { .pid = 5 }, .top_busy = 99 },
		"on-cpu", "lbrctl record -a -- sleep 10");
	advised((struct triage_result){ .busy = 90, .has_ipc = true, .ipc = 0.3 }, "on-cpu",
		"lbrctl record -e '{cycles,instructions,cache-misses}:S' -a -- sleep 10");
	advised((struct triage_result){ .busy = 20, .some = { 0, 0, 40 } }, "off-cpu",
		"lbrctl record --off-cpu -a -- sleep 10");
	advised((struct triage_result){ .busy = 20, .some = { 0, 12, 40 } }, "memory",
		"lbrctl record --off-cpu -a -- sleep 10");
	advised((struct triage_result){ .busy = 60, .steal = 30 }, "steal",
		"lbrctl record -a -- sleep 10");
	advised((struct triage_result){ .busy = 1, .top = { .pid = 5 }, .top_busy = 3 },
		"idle", "lbrctl record --off-cpu -p 5 -- sleep 10");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ten_seconds),
		cmocka_unit_test(test_no_such_folder),
		cmocka_unit_test(test_advice),
	};

	return cmocka_run_group_tests_name("triage", tests, setup, teardown);
}
