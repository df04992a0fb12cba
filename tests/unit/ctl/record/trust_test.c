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

/* Samples without the user stack. */
static void samples(uint32_t pid, unsigned int nr, bool proved)
{
	while (nr--)
		assert_int_equal(trust_sample(&trust, pid, proved ? TRUST_PROVED : TRUST_UNPROVED,
					      false), 0);
}

/* Samples that carry the user stack, judged as long as the process is on trial. */
static void carried(uint32_t pid, unsigned int nr, bool proved)
{
	while (nr--)
		assert_int_equal(trust_sample(&trust, pid,
					      !trust_is_on_trial(&trust, pid) ? TRUST_UNJUDGED :
					      proved ? TRUST_PROVED : TRUST_UNPROVED, true), 0);
}

static void expect_list(struct tasks_list *list, const uint32_t *pids, unsigned int nr)
{
	assert_int_equal(list->nr, nr);
	for (unsigned int i = 0; i < nr; i++)
		assert_int_equal(list->ids[i], pids[i]);
	list->nr = 0;
}

static void expect_selected(const uint32_t *pids, unsigned int nr)
{
	expect_list(&trust.needing, pids, nr);
	expect_list(&trust.cleared, NULL, 0);
}

static void expect_cleared(const uint32_t *pids, unsigned int nr)
{
	expect_list(&trust.cleared, pids, nr);
	expect_list(&trust.needing, NULL, 0);
}

#define PIDS(...) (uint32_t[]){ __VA_ARGS__ }, sizeof((uint32_t[]){ __VA_ARGS__ }) / 4
#define expect(...) expect_selected(PIDS(__VA_ARGS__))

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

/* A new program carries its stack until the LBR has proved enough of its samples. */
static void test_trial(void **state)
{
	(void)state;
	carried(7, TRUST_TRIAL - 1, true);
	expect_selected(NULL, 0);
	carried(7, 1, true);
	expect_cleared(PIDS(7));
	/* Samples that were taken before the module has cleared it. */
	carried(7, 5, false);
	expect_selected(NULL, 0);
	assert_false(trust_is_on_trial(&trust, 7));
	samples(7, 5, true);
	/* One in TRUST_SHARE may be unproved. */
	carried(8, 1, false);
	carried(8, TRUST_SHARE - 2, true);
	expect_selected(NULL, 0);
	carried(8, 1, true);
	expect_cleared(PIDS(8));
	/* A process that needs its stack has it already. */
	carried(9, TRUST_LEAST, false);
	carried(9, 1000, true);
	expect_selected(NULL, 0);
	assert_false(trust_is_on_trial(&trust, 9));
	/* One that was cleared, and needs it after all. */
	samples(7, 10, false);
	expect(7);
}

/* The module selects children as their parent is, and programs that are executed. */
static void test_fork_and_exec(void **state)
{
	(void)state;
	samples(7, 3, false);
	expect(7);
	fork_of(8, 7);
	carried(8, 10, true);
	expect_selected(NULL, 0);
	/* It was forked before the module had selected its parent. */
	fork_of(9, 7);
	samples(9, 1, true);
	expect(9);
	exec_of(8);
	carried(8, TRUST_TRIAL, true);
	expect_cleared(PIDS(8));
	/* It was forked before the module had cleared its parent. */
	fork_of(9, 8);
	carried(9, TRUST_TRIAL, true);
	expect_cleared(PIDS(9));
	/* A pid that comes again is another process. */
	exec_of(7);
	fork_of(9, 7);
	samples(9, 3, false);
	expect(9);
}

/* What changes before the module was asked: only the last request reaches it. */
static void test_changes(void **state)
{
	(void)state;
	carried(7, TRUST_TRIAL, true);
	/* These waited to be judged. */
	for (int i = 0; i < TRUST_LEAST; i++)
		assert_int_equal(trust_sample(&trust, 7, TRUST_UNPROVED, true), 0);
	/* The ring of this one was more than half full. */
	samples(7, 1, true);
	expect(7);
	carried(8, TRUST_TRIAL, true);
	exec_of(8);
	samples(9, TRUST_LEAST, false);
	exec_of(9);
	expect_selected(NULL, 0);
	carried(8, TRUST_TRIAL, true);
	fork_of(8, 1);
	samples(9, TRUST_LEAST, false);
	fork_of(9, 1);
	expect_selected(NULL, 0);
	/* They are asked for anew. */
	carried(8, TRUST_TRIAL, true);
	expect_cleared(PIDS(8));
}

/* The module takes a limited number at once: others come later. */
static void test_many(void **state)
{
	(void)state;
	for (uint32_t pid = 1; pid <= LBRSCOPE_TARGETS_MAX + 5; pid++)
		samples(pid, 3, false);
	assert_int_equal(trust.needing.nr, LBRSCOPE_TARGETS_MAX);
	trust.needing.nr = 0;
	for (uint32_t pid = 1; pid <= LBRSCOPE_TARGETS_MAX + 5; pid++)
		samples(pid, 1, false);
	assert_int_equal(trust.needing.nr, 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_share, begin, end),
		cmocka_unit_test_setup_teardown(test_audit, begin, end),
		cmocka_unit_test_setup_teardown(test_trial, begin, end),
		cmocka_unit_test_setup_teardown(test_fork_and_exec, begin, end),
		cmocka_unit_test_setup_teardown(test_changes, begin, end),
		cmocka_unit_test_setup_teardown(test_many, begin, end),
	};

	return cmocka_run_group_tests_name("trust", tests, NULL, NULL);
}
