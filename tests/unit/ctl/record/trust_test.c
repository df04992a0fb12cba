// SPDX-License-Identifier: GPL-2.0
/* ctl/record/trust.c: which processes the LBR is to be trusted with. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "record/trust.h"

static struct trust trust;

static int begin(void **state)
{
	(void)state;
	memset(&trust, 0, sizeof(trust));
	return 0;
}

static int end(void **state)
{
	(void)state;
	trust_free(&trust);
	return 0;
}

static void samples(uint32_t pid, unsigned int nr, bool proved)
{
	while (nr--)
		assert_int_equal(trust_sample(&trust, pid, proved), 0);
}

static void expect_selected(const uint32_t *pids, unsigned int nr)
{
	assert_int_equal(trust.pending.nr, nr);
	for (unsigned int i = 0; i < nr; i++)
		assert_int_equal(trust.pending.ids[i], pids[i]);
	trust.pending.nr = 0;
}

#define expect(...) expect_selected((uint32_t[]){ __VA_ARGS__ }, \
				    sizeof((uint32_t[]){ __VA_ARGS__ }) / 4)

/* A few samples that are not proved are every program's: its start, its libraries'. */
static void test_share(void **state)
{
	(void)state;
	samples(7, 2, false);
	samples(8, 297, true);
	samples(8, 3, false);
	expect_selected(NULL, 0);
	samples(7, 1, false);
	samples(8, 1, false);
	expect(7, 8);
	samples(7, 100, false);
	expect_selected(NULL, 0);
}

static void test_audit(void **state)
{
	struct perfdata_audit *audits;
	size_t nr;

	(void)state;
	assert_null(trust_audits(&trust, &nr));
	assert_int_equal(nr, 0);
	for (int i = 0; i < 40; i++)
		assert_int_equal(trust_audit(&trust, 7, true), 0);
	samples(9, 5, true);
	expect_selected(NULL, 0);
	assert_int_equal(trust_audit(&trust, 8, false), 0);
	assert_int_equal(trust_audit(&trust, 8, true), 0);
	expect(8);
	audits = trust_audits(&trust, &nr);
	assert_int_equal(nr, 2);
	assert_int_equal(audits[0].pid, 7);
	assert_int_equal(audits[0].checked, 40);
	assert_int_equal(audits[0].disagreed, 0);
	assert_int_equal(audits[1].pid, 8);
	assert_int_equal(audits[1].checked, 2);
	assert_int_equal(audits[1].disagreed, 1);
	free(audits);
}

static void fork_of(uint32_t child, uint32_t parent)
{
	struct {
		struct perf_event_header header;
		uint32_t pid, ppid, tid, ptid;
	} record = { { .type = PERF_RECORD_FORK }, child, parent, child, parent };

	assert_int_equal(trust_record(&trust, &record.header), 0);
}

static void exec_of(uint32_t pid)
{
	struct {
		struct perf_event_header header;
		uint32_t pid, tid;
	} record = { { .type = PERF_RECORD_COMM, .misc = PERF_RECORD_MISC_COMM_EXEC }, pid, pid };

	assert_int_equal(trust_record(&trust, &record.header), 0);
}

/* The module selects children without a request, and no executed program. */
static void test_fork_and_exec(void **state)
{
	(void)state;
	assert_int_equal(trust_select(&trust, 7), 0);
	expect(7);
	fork_of(8, 7);
	samples(8, 10, false);
	expect_selected(NULL, 0);
	exec_of(8);
	samples(8, 10, false);
	expect(8);
	exec_of(7);
	fork_of(9, 7);
	samples(9, 3, false);
	expect(9);
	/* A pid that comes again is another process. */
	fork_of(9, 7);
	samples(9, 3, false);
	expect(9);
}

/* The module takes a limited number at once: others come later. */
static void test_many(void **state)
{
	(void)state;
	for (uint32_t pid = 1; pid <= LBRSCOPE_TARGETS_MAX + 5; pid++)
		samples(pid, 3, false);
	assert_int_equal(trust.pending.nr, LBRSCOPE_TARGETS_MAX);
	trust.pending.nr = 0;
	for (uint32_t pid = 1; pid <= LBRSCOPE_TARGETS_MAX + 5; pid++)
		samples(pid, 1, false);
	assert_int_equal(trust.pending.nr, 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_share, begin, end),
		cmocka_unit_test_setup_teardown(test_audit, begin, end),
		cmocka_unit_test_setup_teardown(test_fork_and_exec, begin, end),
		cmocka_unit_test_setup_teardown(test_many, begin, end),
	};

	return cmocka_run_group_tests_name("trust", tests, NULL, NULL);
}
