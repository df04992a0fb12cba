// SPDX-License-Identifier: GPL-2.0
/* ctl/record/judging.c: the queue of samples that wait for a verdict. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "record/judging.h"

/* Verdicts of this test: a sample's answer is in its record. The functions under test have names
 * of their own, since the program's are linked as well. */
#define verdicts_new	fake_new
#define verdicts_free	fake_free
#define verdicts_known	fake_known
#define verdicts_of	fake_of
#define verdicts_alone	fake_of
#define verdicts_audit(v, event, record)	fake_audit(v, event, record)
#define judging_init	tested_init
#define judging_free	tested_free
#define judging_sample	tested_sample
#define judging_record	tested_record
#define judging_waits	tested_waits
#define judging_next	tested_next
#define judging_all	tested_all

#define SIZE_MOST	65528

static union {
	struct perf_event_header header;
	struct { struct perf_event_header begin; uint32_t pid, tid; uint64_t answer; };
	unsigned char bytes[SIZE_MOST];
} record;
static bool known;
static unsigned int judged;
static uint64_t last;

static struct verdicts *fake_new(struct callers *callers)
{
	return (struct verdicts *)callers;
}

static void fake_free(struct verdicts *v) { (void)v; }

static bool fake_known(struct verdicts *v, const struct perfdata_event *event,
		       const struct perf_event_header *r, enum verdicts_answer *answer)
{
	(void)v; (void)event; (void)r;
	*answer = known ? VERDICTS_PROVED : VERDICTS_NONE;
	return known;
}

/* The record is whole: its last word repeats the answer. */
static uint64_t answer_of(const struct perf_event_header *r)
{
	uint64_t first, repeated;

	memcpy(&first, (const char *)(r + 1) + 8, sizeof(first));
	memcpy(&repeated, (const char *)r + r->size - 8, sizeof(repeated));
	assert_int_equal(first, repeated);
	judged++;
	last = first;
	return first;
}

static enum verdicts_answer fake_of(struct verdicts *v, const struct perfdata_event *event,
				    const struct perf_event_header *r)
{
	(void)v; (void)event;
	return answer_of(r) % 2 ? VERDICTS_PROVED : VERDICTS_UNPROVED;
}

static enum verdicts_audit fake_audit(struct verdicts *v, const struct perfdata_event *event,
				      const struct perf_event_header *r)
{
	(void)v; (void)event;
	return answer_of(r) % 2 ? VERDICTS_AGREED : VERDICTS_DISAGREED;
}

#include "../../../../ctl/record/judging.c"

static struct judging judging;
static int callers;

static int begin(void **state)
{
	static struct perfdata_event events[3];

	(void)state;
	known = false;
	judged = 0;
	judging = (struct judging){ .events = events };
	return judging_init(&judging, (struct callers *)&callers);
}

static int end(void **state)
{
	(void)state;
	judging_free(&judging);
	return 0;
}

static void sample(uint32_t pid, size_t size, uint64_t answer, uint8_t flags)
{
	const struct ring_sample s = { .pid = pid, .event = answer % 3, .flags = flags };

	record.header = (struct perf_event_header){ .type = PERF_RECORD_SAMPLE, .size = size };
	record.pid = record.tid = pid;
	record.answer = answer;
	memcpy(record.bytes + size - 8, &answer, sizeof(answer));
	assert_int_equal(judging_sample(&judging, &s, &record.header), 0);
}

static void test_order(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < 100; i++)
		sample(7, 32 + 8 * i, i, 0);
	for (uint64_t i = 0; i < 100; i++) {
		assert_true(judging_waits(&judging));
		assert_int_equal(judging_next(&judging), 0);
		assert_int_equal(last, i);
	}
	assert_false(judging_waits(&judging));
}

static void test_known(void **state)
{
	(void)state;
	known = true;
	for (int i = 0; i < 50; i++)
		sample(7, 64, 1, 0);
	assert_false(judging_waits(&judging));
	assert_int_equal(judged, 0);
}

/* More than fits, again and again, with records of all sizes up to the largest. */
static void test_full(void **state)
{
	uint64_t n = 0, taken, before = 0;

	(void)state;
	for (int round = 0; round < 200; round++) {
		for (int i = 0; i < 40; i++, n++)
			sample(7, n % 7 ? 32 + 8 * (n % 900) : SIZE_MOST, n, 0);
		for (taken = 0; taken < 25 && judging_waits(&judging); taken++) {
			assert_int_equal(judging_next(&judging), 0);
			assert_true(last >= before);
			before = last;
		}
	}
	assert_int_equal(judging_all(&judging), 0);
	assert_false(judging_waits(&judging));
	assert_in_range(judged, 1000, n);
}

/* An exec makes the process another program. */
static void test_exec(void **state)
{
	(void)state;
	for (int i = 0; i < 10; i++) {
		sample(7, 64, 0, 0);
		sample(8, 64, 0, 0);
	}
	record.header = (struct perf_event_header){ .type = PERF_RECORD_COMM,
		.misc = PERF_RECORD_MISC_COMM_EXEC, .size = 64 };
	record.pid = 7;
	assert_int_equal(judging_record(&judging, &record.header), 0);
	assert_int_equal(judging_all(&judging), 0);
	assert_int_equal(judged, 10);
	assert_int_equal(judging.trust.needing.nr, 1);
	assert_int_equal(judging.trust.needing.ids[0], 8);
}

static void test_audit(void **state)
{
	struct perfdata_audit *audits;
	size_t nr;

	(void)state;
	known = true;
	for (int i = 0; i < 10; i++)
		sample(9, 64, 1, LBRSCOPE_SAMPLE_AUDIT);
	sample(9, 64, 0, LBRSCOPE_SAMPLE_AUDIT);
	assert_int_equal(judged, 0);
	assert_int_equal(judging_all(&judging), 0);
	audits = trust_audits(&judging.trust, &nr);
	assert_int_equal(nr, 1);
	assert_int_equal(audits->checked, 11);
	assert_int_equal(audits->disagreed, 1);
	free(audits);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_order, begin, end),
		cmocka_unit_test_setup_teardown(test_known, begin, end),
		cmocka_unit_test_setup_teardown(test_full, begin, end),
		cmocka_unit_test_setup_teardown(test_exec, begin, end),
		cmocka_unit_test_setup_teardown(test_audit, begin, end),
	};

	return cmocka_run_group_tests_name("judging", tests, NULL, NULL);
}
