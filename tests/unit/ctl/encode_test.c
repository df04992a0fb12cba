// SPDX-License-Identifier: GPL-2.0
/* ctl/encode.c: records word by word, in the order that enum perf_event_type of
 * <linux/perf_event.h> gives for the sample type of the event. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include <linux/lbrscope.h>

#include "encode.h"

static const struct encode_format stacks = { .id = 9, .period = 1000,
					     .call_stack = true };
static const uint64_t from[] = { 0x11, 0x12 }, to[] = { 0x21, 0x22 };
static uint64_t out[ENCODE_MAX / 8];

static struct ring_sample sample(uint8_t flags, int nr)
{
	return (struct ring_sample){ .time = 5, .ip = 0x1000, .pid = 3,
		.tid = 4, .flags = flags, .nr = nr, .from = from, .to = to };
}

/* Compares the words behind time and CPU: period and what follows. */
#define expect(sample, ...) expect_words(sample, (uint64_t[]){ __VA_ARGS__ }, \
	sizeof((uint64_t[]){ __VA_ARGS__ }) / 8)

static const struct encode_format *format = &stacks;

static void expect_words(struct ring_sample s, const uint64_t *words, size_t nr)
{
	const uint64_t head[] = { 9, 0x1000, 4ULL << 32 | 3, 5, 7 };
	const struct perf_event_header *header = (const void *)out;

	memset(out, 0xee, sizeof(out));
	assert_int_equal(encode_sample(format, &s, 7, out), 8 * (6 + nr));
	assert_int_equal(header->type, PERF_RECORD_SAMPLE);
	assert_int_equal(header->size, 8 * (6 + nr));
	assert_int_equal(header->misc, s.flags & LBRSCOPE_SAMPLE_USER ?
			 PERF_RECORD_MISC_USER : PERF_RECORD_MISC_KERNEL);
	assert_memory_equal(out + 1, head, sizeof(head));
	assert_memory_equal(out + 6, words, nr * 8);
}

static void test_user_mode(void **state)
{
	(void)state;
	expect(sample(LBRSCOPE_SAMPLE_USER, 2), 1000,
	       2, PERF_CONTEXT_USER, 0x1000,
	       2, 0x11, 0x21, 0, 0x12, 0x22, 0);
}

static void test_kernel_mode(void **state)
{
	struct ring_sample s = sample(0, 1);

	(void)state;
	s.has_user_ip = true;
	s.user_ip = 0x2000;
	expect(s, 1000, 4, PERF_CONTEXT_KERNEL, 0x1000,
	       PERF_CONTEXT_USER, 0x2000, 1, 0x11, 0x21, 0);
}

static void test_kernel_thread(void **state)
{
	(void)state;
	expect(sample(0, 0), 1000, 2, PERF_CONTEXT_KERNEL, 0x1000, 0);
}

static void test_kernel_chain(void **state)
{
	static const uint64_t chain[] = { 0x31, 0x32 };
	struct ring_sample s = sample(0, 1);

	(void)state;
	s.has_user_ip = true;
	s.user_ip = 0x2000;
	s.chain = chain;
	s.nr_chain = 2;
	expect(s, 1000, 6, PERF_CONTEXT_KERNEL, 0x1000, 0x31, 0x32,
	       PERF_CONTEXT_USER, 0x2000, 1, 0x11, 0x21, 0);
}

/* The fields behind the branches: registers, stack, cgroup. */
static void test_requests(void **state)
{
	static const struct encode_format all = { .id = 9, .period = 1000,
		.chain = true, .user_stack = 64, .cgroup = true };
	static const uint64_t stack[] = { 0x51, 0x52 };
	uint64_t regs[20];
	struct ring_sample s = sample(LBRSCOPE_SAMPLE_USER, 0);
	int i;

	(void)state;
	format = &all;
	for (i = 0; i < 20; i++)
		regs[i] = i;
	regs[10] = 0x33;
	s.user_regs = regs;
	s.user_stack = stack;
	s.user_stack_size = 16;
	s.cgroup = 0xc6;
	expect(s, 1000, 0, PERF_SAMPLE_REGS_ABI_64,
	       0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0x33, 11, 12, 13, 14, 15, 16, 17,
	       18, 19, 16, 0x51, 0x52, 16, 0xc6);
	regs[10] = 0x23;
	s.user_stack_size = 0;
	expect(s, 1000, 0, PERF_SAMPLE_REGS_ABI_32,
	       0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0x23, 11, 12, 13, 14, 15, 16, 17,
	       18, 19, 0, 0xc6);
	s.user_regs = NULL;
	expect(s, 1000, 0, PERF_SAMPLE_REGS_ABI_NONE, 0, 0xc6);
	format = &stacks;
}

static void test_no_branches(void **state)
{
	struct ring_sample s = sample(LBRSCOPE_SAMPLE_USER, 0);

	(void)state;
	/* No mark: perf would look for entry 0. */
	expect(s, 1000, 1, 0x1000, 0);
	/* Entries announced and not recorded are none. */
	s.nr = 2;
	s.to = NULL;
	expect(s, 1000, 1, 0x1000, 0);
}

static void test_most_branches(void **state)
{
	struct ring_sample s = sample(LBRSCOPE_SAMPLE_USER, 255);
	static const uint64_t words[LBRSCOPE_USER_STACK_MAX / 8];
	struct encode_format all = { .call_stack = true, .cgroup = true,
				     .user_stack = LBRSCOPE_USER_STACK_MAX };

	(void)state;
	s.from = s.to = s.user_regs = s.user_stack = s.chain = words;
	s.user_stack_size = LBRSCOPE_USER_STACK_MAX;
	s.nr_chain = LBRSCOPE_KERNEL_CHAIN_MAX;
	s.flags = 0;
	s.has_user_ip = true;
	assert_true(encode_sample(&all, &s, 0, out) < ENCODE_MAX);
}

static void test_address_only(void **state)
{
	struct encode_format plain = { .id = 9, .period = 1000 };
	struct ring_sample s = sample(LBRSCOPE_SAMPLE_USER, 2);

	(void)state;
	assert_int_equal(encode_sample(&plain, &s, 7, out), 8 * 7);
	assert_int_equal(out[6], 1000);
}

static void test_attributes(void **state)
{
	struct events_event event = { .select = EVENTS_SELECT_USR | 0xc0,
		.perf_type = PERF_TYPE_RAW, .perf_config = 0xc0 };
	struct perf_event_attr attr;

	(void)state;
	encode_attr(&attr, &event, &stacks);
	assert_int_equal(attr.type, PERF_TYPE_RAW);
	assert_int_equal(attr.config, 0xc0);
	assert_int_equal(attr.sample_period, 1000);
	assert_true(attr.exclude_kernel && !attr.exclude_user);
	assert_true(attr.branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK);
	event.select = EVENTS_SELECT_USR | EVENTS_SELECT_OS | 0xc0;
	encode_attr(&attr, &event, &(struct encode_format){ .period = 1 });
	assert_false(attr.exclude_kernel || attr.exclude_user);
	assert_int_equal(attr.branch_sample_type, 0);
	assert_false(attr.sample_type &
		     (PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_CALLCHAIN |
		      PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER |
		      PERF_SAMPLE_CGROUP));
	encode_attr(&attr, &event, &(struct encode_format){ .user_stack = 64,
							    .cgroup = true });
	assert_true(attr.sample_type & PERF_SAMPLE_REGS_USER &&
		    attr.sample_type & PERF_SAMPLE_STACK_USER &&
		    attr.sample_type & PERF_SAMPLE_CGROUP);
	/* What perf record --call-graph dwarf asks for. */
	assert_int_equal(attr.sample_regs_user, 0xff0fff);
	assert_int_equal(attr.sample_stack_user, 64);
}

static void test_losses(void **state)
{
	const struct perf_event_header *header = (const void *)out;

	(void)state;
	assert_int_equal(encode_lost(&stacks, 42, 5, 7, out), 48);
	assert_int_equal(header->type, PERF_RECORD_LOST_SAMPLES);
	assert_int_equal(header->size, 48);
	assert_int_equal(out[1], 42);
	assert_int_equal(out[3], 5);	/* behind pid and tid */
	assert_int_equal(out[4], 7);
	assert_int_equal(out[5], 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_user_mode),
		cmocka_unit_test(test_kernel_mode),
		cmocka_unit_test(test_kernel_thread),
		cmocka_unit_test(test_kernel_chain),
		cmocka_unit_test(test_requests),
		cmocka_unit_test(test_no_branches),
		cmocka_unit_test(test_most_branches),
		cmocka_unit_test(test_address_only),
		cmocka_unit_test(test_attributes),
		cmocka_unit_test(test_losses),
	};

	return cmocka_run_group_tests_name("encode", tests, NULL, NULL);
}
