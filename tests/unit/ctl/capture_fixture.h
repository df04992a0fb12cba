/* SPDX-License-Identifier: GPL-2.0 */
/* Rings written by the test, this kernel's task events, and the capture made of both. */
#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "memory_ring.h"
#include "perfdata/describe.h"
#include "record/capture.h"
#include "record/synth.h"

enum { CPUS = 2, PERIOD = 1000 };
static const uint64_t sample_id = 1ULL << 62, offcpu_id = 1ULL << 61;
static const struct encode_format budget_format = { .id = 1ULL << 59, .period = 1 };
static char dir[] = "/tmp/capture_test.XXXXXX";
/* In order.  This process and its children run on these two only, see settle(). */
static unsigned int cpus[CPUS];

static struct memory_ring memory[CPUS];
static struct ring_reader readers[CPUS];
static struct session session;
static struct sideband sideband;
static struct buildid_table buildids;
static struct pidset pids;
static struct capture capture;
static struct perfdata_event events[3];
static bool denied;		/* this kernel does not let us see task events */

/* The samples have addresses in this function. */
__attribute__((noinline)) void capture_test_leaf(void)
{
	__asm__ volatile("nop");
}

__attribute__((noinline)) void capture_test_caller(void)
{
	capture_test_leaf();
	__asm__ volatile("");
}

static inline uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static inline void open_events(void)
{
	struct events_event event = { .name = "cycles:u",
				      .select = EVENTS_SELECT_USR | 0x3c };
	static const uint64_t id = SIDEBAND_ID;
	static struct encode_format format;

	format = (struct encode_format){
		.id = sample_id, .period = PERIOD, .call_stack = true };
	capture.formats = &format;
	capture.nr_formats = 1;
	capture.offcpu_format.id = offcpu_id;
	capture.budget_format = budget_format;
	capture.lost_format = &format;
	events[0] = (struct perfdata_event){ .name = "cycles:u",
		.ids = &sample_id, .nr_ids = 1 };
	encode_attr(&events[0].attr, &event, &format);
	events[1] = (struct perfdata_event){ .name = "dummy",
		.attr = sideband.attr, .ids = &id, .nr_ids = 1 };
	events[2] = (struct perfdata_event){ .name = "budget",
		.ids = &budget_format.id, .nr_ids = 1 };
	encode_budget_attr(&events[2].attr, &budget_format);
}

static inline int setup(void **state)
{
	int i;

	(void)state;
	memset(&session, 0, sizeof(session));
	memset(&capture, 0, sizeof(capture));
	for (i = 0; i < CPUS; i++) {
		memory_ring_init(&memory[i]);
		if (ring_reader_init(&readers[i], memory[i].ring,
				     &memory[i].tail, MEMORY_RING_LEN))
			return -1;
	}
	session.rings = readers;
	session.nr_rings = CPUS;
	session.possible = (struct cpulist){ .cpus = cpus, .nr = CPUS };
	if (sideband_open(&sideband, &session.possible, (struct sideband_more){}))
		return -1;
	denied = sideband.denied;
	if (denied)
		return 0;
	open_events();
	capture.session = &session;
	capture.sideband = &sideband;
	capture.buildids = &buildids;
	capture.writer = perfdata_write_open("c", events, 3);
	return capture.writer ? capture_init(&capture) : -1;
}

static inline int teardown(void **state)
{
	int i;

	(void)state;
	if (capture.writer)
		perfdata_write_abort(capture.writer);
	capture_free(&capture);
	sideband_close(&sideband);
	buildid_table_free(&buildids);
	pidset_free(&pids);
	for (i = 0; i < CPUS; i++)
		memory_ring_free(&memory[i]);
	unlink("c");
	return 0;
}

static inline void needs_task_events(void)
{
	if (denied)
		skip();
}

static inline void finish(void)
{
	char *argv[] = { "capture_test", NULL };
	struct perfdata_description description = {
		.cpuid = "GenuineIntel,6,85,4", .lbr_depth = 32,
		.argv = argv, .argc = 1, .events = events, .nr_events = 3,
		.first = capture.first, .last = capture.last,
		.buildids = &buildids,
	};

	assert_int_equal(perfdata_describe(capture.writer, &description), 0);
	assert_true(perfdata_write_finish(capture.writer) > 0);
	capture.writer = NULL;
}

static inline pid_t run_true(void)
{
	pid_t pid = fork();

	if (!pid) {
		execl("/bin/true", "true", NULL);
		_exit(1);
	}
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	return pid;
}

/* The records of the file, one after the other. */
struct file {
	char *bytes;
	size_t at, end;
};

static inline struct file file_open(void)
{
	const struct perfdata_header *head;
	struct file f = {};
	FILE *in = fopen("c", "r");

	assert_non_null(in);
	f.bytes = malloc(4 << 20);
	assert_true(fread(f.bytes, 1, 4 << 20, in) > sizeof(*head));
	fclose(in);
	head = (const void *)f.bytes;
	f.at = head->data.offset;
	f.end = f.at + head->data.size;
	return f;
}

static const struct perf_event_header *file_next(struct file *f)
{
	const struct perf_event_header *r = (const void *)(f->bytes + f->at);

	if (f->at == f->end) {
		free(f->bytes);
		return NULL;
	}
	assert_true(r->size >= 8 && r->size <= f->end - f->at);
	f->at += r->size;
	return r;
}

static inline uint64_t file_time(const struct perf_event_header *r)
{
	if (r->type == PERF_RECORD_SAMPLE)
		return ((const uint64_t *)r)[4];
	return sideband_id(r)->time;
}

/*
 * Task events are opened on two CPUs, so the test runs on these.  If this process may use only
 * one CPU, the other one sees nothing; if the machine has only one, CPU 1 counts as offline.
 */
static inline int settle(void)
{
	cpu_set_t allowed, chosen;
	unsigned int n = 0, cpu;

	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return -1;
	for (cpu = 0; cpu < CPU_SETSIZE && n < CPUS; cpu++)
		if (CPU_ISSET(cpu, &allowed))
			cpus[n++] = cpu;
	if (n == 1) {
		cpus[1] = cpus[0] ? cpus[0] : 1;
		cpus[0] = 0;
	}
	CPU_ZERO(&chosen);
	for (n = 0; n < CPUS; n++)
		CPU_SET(cpus[n], &chosen);
	CPU_AND(&chosen, &chosen, &allowed);
	return sched_setaffinity(0, sizeof(chosen), &chosen);
}

static inline int group_setup(void **state)
{
	(void)state;
	return settle() || !mkdtemp(dir) || chdir(dir);
}

static inline int group_teardown(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", dir);
	return system(command);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
