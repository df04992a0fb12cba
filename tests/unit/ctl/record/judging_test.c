// SPDX-License-Identifier: GPL-2.0
/* ctl/record/judging.c: samples that wait to be judged, and what becomes of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <linux/lbrscope_ring.h>

#include "record/judging.h"

#define PID	7

static const struct perfdata_event event = {
	.attr = { .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID }, .name = "e",
};
static struct callers *callers;
static struct judging judging;

static int begin(void **state)
{
	(void)state;
	callers = callers_new(16);
	assert_non_null(callers);
	judging = (struct judging){ .events = &event };
	return judging_init(&judging, callers);
}

static int end(void **state)
{
	(void)state;
	judging_free(&judging);
	callers_free(callers);
	return 0;
}

/* A sample at an address of no file, which no stack proves; size: of its record, with what
 * follows. */
static void sample_of(uint32_t pid, uint64_t ip, uint8_t flags, bool carries, uint16_t size)
{
	static struct {
		struct perf_event_header header;
		uint64_t ip;
		uint32_t pid, tid;
		unsigned char rest[65536 - 24];
	} record;
	const uint64_t regs[LBRSCOPE_USER_REGS_NR] = {};
	const struct ring_sample sample = {
		.pid = pid, .tid = pid, .ip = ip, .flags = flags,
		.user_regs = carries ? regs : NULL,
	};

	record.header = (struct perf_event_header){ .type = PERF_RECORD_SAMPLE, .size = size };
	record.ip = ip;
	record.pid = record.tid = pid;
	assert_int_equal(judging_sample(&judging, &sample, &record.header), 0);
}

static void fork_of(uint32_t pid, uint32_t tid, uint32_t parent)
{
	struct {
		struct perf_event_header header;
		uint32_t pid, ppid, tid, ptid;
	} record = { { .type = PERF_RECORD_FORK }, pid, parent, tid, parent };

	assert_int_equal(judging_record(&judging, &record.header), 0);
}

static void comm_of(uint32_t pid, uint16_t misc)
{
	struct {
		struct perf_event_header header;
		uint32_t pid, tid;
	} record = { { .type = PERF_RECORD_COMM, .misc = misc }, pid, pid };

	assert_int_equal(judging_record(&judging, &record.header), 0);
}

static uint64_t unproved(uint32_t pid)
{
	for (size_t i = 0; i < judging.trust.index.used; i++)
		if (judging.trust.processes[i].pid == pid)
			return judging.trust.processes[i].unproved;
	return 0;
}

/* What was judged once is known. */
static void test_wait(void **state)
{
	(void)state;
	sample_of(PID, 1, 0, false, 24);
	sample_of(PID, 2, 0, true, 24);
	assert_true(judging_waits(&judging));
	assert_int_equal(unproved(PID), 0);
	assert_int_equal(judging_next(&judging), 0);
	assert_int_equal(unproved(PID), 1);
	assert_int_equal(judging_all(&judging), 0);
	assert_int_equal(unproved(PID), 2);
	sample_of(PID, 1, 0, false, 24);
	assert_false(judging_waits(&judging));
	assert_int_equal(unproved(PID), 3);
	/* It needs its stack, and what carries it is not judged any more. */
	sample_of(PID, 2, 0, true, 24);
	assert_false(judging_waits(&judging));
	assert_int_equal(unproved(PID), 3);
}

/* Samples of a program, or a process, that has ended do not count for the next one. */
static void test_forget(void **state)
{
	(void)state;
	sample_of(PID, 1, 0, true, 24);
	sample_of(PID + 1, 2, 0, true, 24);
	comm_of(PID, 0);
	fork_of(PID, PID + 2, PID);	/* a thread */
	assert_int_equal(judging_all(&judging), 0);
	assert_int_equal(unproved(PID), 1);
	sample_of(PID, 3, 0, true, 24);
	comm_of(PID, PERF_RECORD_MISC_COMM_EXEC);
	assert_int_equal(judging_all(&judging), 0);
	assert_int_equal(unproved(PID), 0);
	sample_of(PID, 4, 0, true, 24);
	sample_of(PID, 5, 0, false, 24);
	sample_of(PID + 1, 6, 0, true, 24);
	fork_of(PID, PID, 1);		/* the pid comes again */
	assert_int_equal(judging_all(&judging), 0);
	assert_int_equal(unproved(PID), 0);
	assert_int_equal(unproved(PID + 1), 2);
}

/* Records of all sizes; what finds no place is not judged, and the others keep their order. */
static void test_full(void **state)
{
	uint32_t pid = 1, seed = 1, judged = 0;

	(void)state;
	for (int round = 0; round < 200; round++) {
		for (int i = 0; i < 20; i++) {
			seed = seed * 1103515245 + 12345;
			sample_of(pid, pid, seed >> 30 ? 0 : LBRSCOPE_SAMPLE_AUDIT, true,
				  24 + (seed >> 8) % 8189 * 8);
			pid++;
		}
		for (int i = 0; i < 3 && judging_waits(&judging); i++)
			assert_int_equal(judging_next(&judging), 0);
	}
	assert_int_equal(judging_all(&judging), 0);
	for (uint32_t i = 1; i < pid; i++)
		judged += unproved(i);
	assert_in_range(judged, 100, pid - 100);
	assert_int_equal(judging.first, judging.end);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_wait, begin, end),
		cmocka_unit_test_setup_teardown(test_forget, begin, end),
		cmocka_unit_test_setup_teardown(test_full, begin, end),
	};

	return cmocka_run_group_tests_name("judging", tests, NULL, NULL);
}
