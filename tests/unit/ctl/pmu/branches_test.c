// SPDX-License-Identifier: GPL-2.0
/* ctl/pmu/branches.c: the words of each format, by the tables of SDM and APM. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "pmu/branches.h"

#define BIT(n)	(1ULL << (n))
#define USER	0x00007f1234567890ULL
#define KERNEL	0xffffffff81234567ULL

static const struct word {
	uint32_t format;
	uint64_t from, to, info;
	struct perf_branch_entry want;
	bool none;
} words[] = {
	{ LBRSCOPE_LBR_FORMAT_LIP, USER, KERNEL, 0,
	  { .from = USER, .to = KERNEL }, false },
	{ LBRSCOPE_LBR_FORMAT_EIP_FLAGS, USER | BIT(63), USER, 0,
	  { .from = USER, .to = USER, .mispred = 1 }, false },
	{ LBRSCOPE_LBR_FORMAT_EIP_FLAGS, KERNEL & ~BIT(63), USER, 0,
	  { .from = KERNEL, .to = USER, .predicted = 1 }, false },
	{ LBRSCOPE_LBR_FORMAT_EIP_FLAGS2, USER | BIT(62) | BIT(61), USER, 0,
	  { .from = USER, .to = USER, .predicted = 1, .in_tx = 1, .abort = 1 }, false },
	/* no TSX: bits 62:61 are the sign */
	{ LBRSCOPE_LBR_FORMAT_EIP_FLAGS2, KERNEL, USER, 0,
	  { .from = KERNEL, .to = USER, .mispred = 1 }, false },
	{ LBRSCOPE_LBR_FORMAT_EIP_FLAGS2, KERNEL & ~(BIT(63) | BIT(62) | BIT(61)),
	  USER, 0, { .from = KERNEL, .to = USER, .predicted = 1 }, false },
	{ LBRSCOPE_LBR_FORMAT_INFO, USER, USER, BIT(63) | 0x1234,
	  { .from = USER, .to = USER, .mispred = 1, .cycles = 0x1234 }, false },
	{ LBRSCOPE_LBR_FORMAT_TIME, USER | BIT(63),
	  (KERNEL & (BIT(48) - 1)) | 77ULL << 48, 0,
	  { .from = USER, .to = KERNEL, .mispred = 1, .cycles = 77 }, false },
	{ LBRSCOPE_LBR_FORMAT_ARCH, USER, USER, BIT(60) | 5ULL << 56 | 9,
	  { .from = USER, .to = USER, .predicted = 1, .cycles = 9,
	    .type = PERF_BR_RET }, false },
	/* cycles that are not valid */
	{ LBRSCOPE_LBR_FORMAT_ARCH, USER, USER, 4ULL << 56 | 9,
	  { .from = USER, .to = USER, .predicted = 1, .type = PERF_BR_CALL }, false },
	{ LBRSCOPE_LBR_FORMAT_AMD, USER | BIT(63), USER | BIT(63), 0,
	  { .from = USER, .to = USER, .mispred = 1,
	    .spec = PERF_BR_NON_SPEC_CORRECT_PATH }, false },
	/* a sign that is not extended, and one that is as far as it goes */
	{ LBRSCOPE_LBR_FORMAT_AMD, KERNEL & (BIT(57) - 1),
	  (KERNEL & (BIT(58) - 1)) | BIT(62), 0,
	  { .from = KERNEL, .to = KERNEL, .predicted = 1,
	    .spec = PERF_BR_SPEC_WRONG_PATH }, false },
	/* neither valid nor speculative; erratum 1452; never filled */
	{ LBRSCOPE_LBR_FORMAT_AMD, USER, USER, 0, {}, true },
	{ LBRSCOPE_LBR_FORMAT_AMD, USER, USER | BIT(63) | BIT(61), 0, {}, true },
	{ LBRSCOPE_LBR_FORMAT_INFO, 0, 0, 0, {}, true },
};

static void test_words(void **state)
{
	struct perf_branch_entry got;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		const struct word *w = &words[i];

		print_message("%zu, format %u\n", i, w->format);
		assert_true(branches_known(w->format));
		assert_int_equal(branches_entry(w->format, w->from, w->to,
						w->info, &got), !w->none);
		if (!w->none)
			assert_memory_equal(&got, &w->want, sizeof(got));
	}
	assert_false(branches_known(LBRSCOPE_LBR_FORMAT_NONE));
	assert_false(branches_known(8));
}

static void test_filters(void **state)
{
	uint32_t filter;
	char why[256];

	(void)state;
	assert_int_equal(branches_parse("any,u", &filter, why, sizeof(why)), 0);
	assert_int_equal(filter, LBRSCOPE_FILTER_KINDS | LBRSCOPE_FILTER_USER);
	assert_int_equal(branches_sample_type(filter, 5),
			 PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER);
	assert_int_equal(branches_parse("k,u", &filter, why, sizeof(why)), 0);
	assert_int_equal(filter, LBRSCOPE_FILTER_ALL);
	assert_int_equal(branches_parse("any_call", &filter, why, sizeof(why)), 0);
	assert_int_equal(filter, LBRSCOPE_FILTER_REL_CALL |
			 LBRSCOPE_FILTER_IND_CALL | LBRSCOPE_FILTER_FAR);
	assert_true(branches_sample_type(filter, 5) &
		    PERF_SAMPLE_BRANCH_ANY_CALL);
	assert_int_equal(branches_parse("cond,ret", &filter, why, sizeof(why)), -1);
	assert_non_null(strstr(why, "'ret'"));
	assert_int_equal(branches_parse("", &filter, why, sizeof(why)), -1);
	assert_int_equal(branches_parse("u,", &filter, why, sizeof(why)), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_filters),
	};

	return cmocka_run_group_tests_name("branches", tests, NULL, NULL);
}
