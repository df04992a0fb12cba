// SPDX-License-Identifier: GPL-2.0
/* ctl/record/encode.c: records word by word, in the order that enum perf_event_type of
 * <linux/perf_event.h> gives for the sample type of the event. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include <linux/lbrscope.h>

#include "record/encode.h"

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
	assert_int_equal(encode_sample(format, &s, NULL, 7, out), 8 * (6 + nr));
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

/* Without targets the youngest entry gets the user address as its target, if it is known. */
static void test_callers(void **state)
{
	struct ring_sample s = sample(LBRSCOPE_SAMPLE_USER, 2);

	(void)state;
	s.to = NULL;
	expect(s, 1000, 2, PERF_CONTEXT_USER, 0x1000,
	       2, 0x11, 0x1000, 0, 0x12, 0, 0);
	s.flags = 0;
	expect(s, 1000, 2, PERF_CONTEXT_KERNEL, 0x1000, 2, 0x11, 0, 0, 0x12, 0, 0);
	s.has_user_ip = true;
	s.user_ip = 0x2000;
	expect(s, 1000, 4, PERF_CONTEXT_KERNEL, 0x1000, PERF_CONTEXT_USER, 0x2000,
	       2, 0x11, 0x2000, 0, 0x12, 0, 0);
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
	/* Fields that are announced and not recorded are empty. */
	s.nr = 2;
	s.from = s.to = NULL;
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
	assert_true(encode_sample(&all, &s, NULL, 0, out) < ENCODE_MAX);
}

static void test_address_only(void **state)
{
	struct encode_format plain = { .id = 9, .period = 1000 };
	struct ring_sample s = sample(LBRSCOPE_SAMPLE_USER, 2);

	(void)state;
	assert_int_equal(encode_sample(&plain, &s, NULL, 7, out), 8 * 7);
	assert_int_equal(out[6], 1000);
}

/* The id distinguishes the counts of CPUs: the sample, the losses and each count have the
 * CPU's own id. */
static void test_group(void **state)
{
	static const uint64_t ids[] = { 0x900, 0xa00 }, counts[] = { 41, 42 };
	struct encode_format group = { .id = 0x900, .period = 1000,
				       .members = ids, .nr_members = 2 };
	struct ring_sample s = sample(LBRSCOPE_SAMPLE_USER, 0);
	const uint64_t threads[] = { 1000, 2, 41, 0x900, 42, 0xa00 };
	const uint64_t cpus[] = { 1000, 2, 41, 0x907, 42, 0xa07 };

	(void)state;
	s.group = counts;
	s.nr_group = 2;
	assert_int_equal(encode_sample(&group, &s, NULL, 7, out), 8 * (6 + 6));
	assert_int_equal(out[1], 0x900);
	assert_memory_equal(out + 6, threads, sizeof(threads));
	group.per_cpu = true;
	assert_int_equal(encode_sample(&group, &s, NULL, 7, out), 8 * (6 + 6));
	assert_int_equal(out[1], 0x907);
	assert_memory_equal(out + 6, cpus, sizeof(cpus));
	encode_lost(&group, 42, 5, 7, out);
	assert_int_equal(out[5], 0x907);
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
	/* The fields of perf record --call-graph dwarf. */
	assert_int_equal(attr.sample_regs_user, 0xff0fff);
	assert_int_equal(attr.sample_stack_user, 64);
}

static const uint64_t kernel[] = { 0xffffffff81000001, 0xffffffff81000002 };

static struct ring_offcpu offcpu(void)
{
	return (struct ring_offcpu){
		.at = { .time = 5, .pid = 3, .tid = 4, .has_user_ip = true,
			.user_ip = 0x2000, .nr = 2, .from = from, .to = to,
			.nr_chain = 2, .chain = kernel },
		.off = 700, .state = 'S' };
}

/* Raw data as text, padded to complete words together with its size. */
static void expect_text(struct ring_offcpu o, const char *text)
{
	const char *raw = (const char *)(out + 12);
	const size_t before = 8 * (2 + 1 + 4 + 1);	/* the facts of the sample */
	uint32_t size;

	memset(out, 0xee, sizeof(out));
	assert_int_equal(encode_offcpu(&stacks, &o, NULL, 7, out),
			 8 * (12 + (4 + before + strlen(text) + 8) / 8 + 7));
	memcpy(&size, raw, sizeof(size));
	assert_int_equal((sizeof(size) + size) % 8, 0);
	assert_true(size > before + strlen(text));
	assert_string_equal(raw + sizeof(size) + before, text);
	assert_int_equal(raw[sizeof(size) + size - 1], 0);
}

static void test_offcpu(void **state)
{
	const uint64_t head[] = { 8, kernel[0], 4ULL << 32 | 3, 5, 7, 700,
				  5, PERF_CONTEXT_KERNEL, kernel[0], kernel[1],
				  PERF_CONTEXT_USER, 0x2000 };
	/* Once more, as perf reads them. */
	const uint64_t raw[] = { 4ULL << 32 | 3, 700, 5, PERF_CONTEXT_KERNEL, kernel[0], kernel[1],
				 PERF_CONTEXT_USER, 0x2000, 0 };
	const uint64_t branches[] = { 2, 0x11, 0x21, 0, 0x12, 0x22, 0 };
	const struct encode_format format = { .id = 8, .call_stack = true };
	const struct perf_event_header *header = (const void *)out;
	struct ring_offcpu o = offcpu();
	size_t size = encode_offcpu(&format, &o, NULL, 7, out);

	(void)state;
	assert_int_equal(header->type, PERF_RECORD_SAMPLE);
	assert_int_equal(header->misc, PERF_RECORD_MISC_KERNEL);
	assert_int_equal(header->size, size);
	/* One word of the header, and two of the raw data's size and text: "state=S". */
	assert_int_equal(size, 8 + sizeof(head) + sizeof(raw) + 16 + sizeof(branches));
	assert_memory_equal(out + 1, head, sizeof(head));
	assert_memory_equal((const char *)(out + 13) + 4, raw, sizeof(raw));
	assert_memory_equal(out + 24, branches, sizeof(branches));
}

static void test_offcpu_without_frames(void **state)
{
	const struct encode_format plain = { .id = 8 };
	struct ring_offcpu o = { .at = { .has_user_ip = true, .user_ip = 0x2000 },
				 .state = 'R' };
	const struct perf_event_header *header = (const void *)out;

	(void)state;
	/* No branch stack, not even an empty one: its event has none. */
	assert_int_equal(encode_offcpu(&plain, &o, NULL, 7, out), 8 * (7 + 3 + 8));
	assert_int_equal(header->misc, PERF_RECORD_MISC_USER);
	assert_int_equal(out[2], 0x2000);
	assert_int_equal(out[7], 2);
	assert_int_equal(out[8], PERF_CONTEXT_USER);
}

/* Callers that the module has unwound stand in the chain, and the text says why it ends. */
static void test_offcpu_with_callers(void **state)
{
	const struct encode_format plain = { .id = 8 };
	const uint64_t chain[] = { 0x2000, 0x2100, 0x2200 };
	const struct encode_callers callers = { chain, 3, "entry", 0 };
	const uint64_t want[] = { 4, PERF_CONTEXT_USER, 0x2000, 0x2100, 0x2200 };
	struct ring_offcpu o = { .at = { .has_user_ip = true, .user_ip = 0x2000 }, .state = 'S' };

	(void)state;
	assert_int_equal(encode_offcpu(&plain, &o, &callers, 7, out), 8 * (7 + 5 + 11));
	assert_memory_equal(out + 7, want, sizeof(want));
	assert_string_equal((const char *)(out + 12) + 4 + 64, "state=S end=entry");
}

static void test_offcpu_text(void **state)
{
	struct ring_offcpu o = offcpu();

	(void)state;
	o.at.nr_chain = 3;
	o.at.chain = (const uint64_t[]){ -3ULL, -2ULL, -1ULL };
	o.at.has_user_ip = false;
	expect_text(o, "state=S");
	o.state = '?';
	expect_text(o, "state=?");
	o.waker_pid = 12;
	o.waker_tid = 13;
	expect_text(o, "state=? waker=12/13");
	o.waker_pid = o.waker_tid = UINT32_MAX;
	expect_text(o, "state=? waker=4294967295/4294967295");
	o.by_interrupt = true;
	expect_text(o, "state=? waker=interrupt");
}

static void test_offcpu_attributes(void **state)
{
	struct perf_event_attr attr;

	(void)state;
	encode_offcpu_attr(&attr, &stacks);
	assert_int_equal(attr.type, PERF_TYPE_SOFTWARE);
	assert_int_equal(attr.config, PERF_COUNT_SW_BPF_OUTPUT);
	assert_true(attr.sample_type & PERF_SAMPLE_RAW);
	assert_true(attr.branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK);
	encode_offcpu_attr(&attr, &(struct encode_format){ .history = 1 });
	assert_false(attr.sample_type & PERF_SAMPLE_BRANCH_STACK);
	assert_true(attr.sample_type & PERF_SAMPLE_CALLCHAIN);
}

/* A trigger's sample has the fields of a sample, and a text behind the call chain. */
static void test_trigger(void **state)
{
	const struct triggers_trigger returned = {
		.kind = LBRSCOPE_TRIGGER_KRETPROBE };
	const struct encode_format format = { .id = 8, .period = 1,
		.call_stack = true, .trigger = &returned };
	const uint64_t head[] = { 8, 0x1000, 4ULL << 32 | 3, 5, 7, 1,
				  2, PERF_CONTEXT_USER, 0x1000 };
	const uint64_t branches[] = { 2, 0x11, 0x21, 0, 0x12, 0x22, 0 };
	struct ring_trigger t = { .at = sample(LBRSCOPE_SAMPLE_USER, 2),
				  .value = 88 };
	struct perf_event_attr attr;
	uint32_t raw;

	(void)state;
	assert_int_equal(encode_trigger(&format, &t, NULL, 7, out),
			 8 + sizeof(head) + 24 + sizeof(branches));
	assert_memory_equal(out + 1, head, sizeof(head));
	memcpy(&raw, out + 10, sizeof(raw));
	assert_int_equal(raw, 24 - sizeof(raw));
	assert_string_equal((char *)(out + 10) + sizeof(raw), "returned=0x58");
	assert_memory_equal(out + 13, branches, sizeof(branches));
	encode_trigger_attr(&attr, &format);
	assert_int_equal(attr.type, PERF_TYPE_SOFTWARE);
	assert_int_equal(attr.config, PERF_COUNT_SW_BPF_OUTPUT);
	assert_true(attr.sample_type & PERF_SAMPLE_RAW);
}

/* Branches behind the one to the function are left out. */
static void test_trigger_branches(void **state)
{
	static const struct triggers_trigger kprobe = {
		.kind = LBRSCOPE_TRIGGER_KPROBE };
	static const struct triggers_trigger uprobe = {
		.kind = LBRSCOPE_TRIGGER_UPROBE };
	struct encode_format format = { .id = 8, .period = 1, .history = 1,
		.lbr_format = LBRSCOPE_LBR_FORMAT_INFO, .trigger = &kprobe };
	const uint64_t from[] = { 0x51, 0x41, 0x31, 0x21 };
	uint64_t to[] = { 0x61, 0x51, 0x1000, 0x31 };
	struct ring_trigger t = { .at = sample(0, 0) };
	struct perf_event_attr attr;

	(void)state;
	t.at.nr = 4;
	t.at.from = from;
	t.at.to = to;
	encode_trigger(&format, &t, NULL, 7, out);
	assert_int_equal(out[7], 2);
	assert_int_equal(out[8], 0x31);
	assert_int_equal(out[9], 0x1000);
	to[2] = 0x1000 - 4;			/* ENDBR64 */
	encode_trigger(&format, &t, NULL, 7, out);
	assert_int_equal(out[7], 2);
	to[2] = 0x1000 - 8;
	encode_trigger(&format, &t, NULL, 7, out);
	assert_int_equal(out[7], 4);
	to[2] = 0x1000;
	format.trigger = &uprobe;
	encode_trigger(&format, &t, NULL, 7, out);
	assert_int_equal(out[7], 4);
	encode_trigger_attr(&attr, &format);
	assert_false(attr.sample_type & PERF_SAMPLE_RAW);
}

/* A mark of the budget is of a CPU and of no task. */
static void test_budget(void **state)
{
	const uint64_t head[] = { 8, 0, UINT64_MAX, 5, 7, 1 };
	const struct ring_budget budget = { .time = 5, .stretch = 8109,
					    .share = 112, .left_out = 3 };
	const struct perf_event_header *header = (const void *)out;
	const char *text = (const char *)(out + 7) + 4;
	const struct encode_format format = { .id = 8, .period = 1 };
	struct encode_format more = format;
	size_t size = encode_budget(&format, &budget, 7, out), whole;
	struct perf_event_attr attr;

	(void)state;
	assert_int_equal(size, 8 + sizeof(head) + (4 + strlen(text) + 8) / 8 * 8);
	assert_int_equal(header->size, size);
	assert_int_equal(header->type, PERF_RECORD_SAMPLE);
	assert_memory_equal(out + 1, head, sizeof(head));
	assert_string_equal(text, "stretch=8.109 spent=11.2% left-out=3");

	encode_budget_attr(&attr, &format);
	assert_int_equal(attr.type, PERF_TYPE_SOFTWARE);
	assert_int_equal(attr.config, PERF_COUNT_SW_BPF_OUTPUT);
	assert_true(attr.sample_type & PERF_SAMPLE_RAW);
	assert_false(attr.sample_type & PERF_SAMPLE_CALLCHAIN);

	/* Every field that can be asked for of samples is there, with nothing in it. */
	more.user_stack = 8192;
	more.cgroup = true;
	whole = encode_budget(&more, &budget, 7, out);
	assert_int_equal(whole, size + 3 * sizeof(*out));
	assert_int_equal(out[size / 8], PERF_SAMPLE_REGS_ABI_NONE);
	assert_int_equal(out[size / 8 + 1], 0);
	assert_int_equal(out[size / 8 + 2], 0);
	encode_budget_attr(&attr, &more);
	assert_true(attr.sample_type & PERF_SAMPLE_REGS_USER);
	assert_true(attr.sample_type & PERF_SAMPLE_STACK_USER);
	assert_true(attr.sample_type & PERF_SAMPLE_CGROUP);
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
		cmocka_unit_test(test_callers),
		cmocka_unit_test(test_kernel_thread),
		cmocka_unit_test(test_kernel_chain),
		cmocka_unit_test(test_requests),
		cmocka_unit_test(test_no_branches),
		cmocka_unit_test(test_most_branches),
		cmocka_unit_test(test_address_only),
		cmocka_unit_test(test_group),
		cmocka_unit_test(test_attributes),
		cmocka_unit_test(test_offcpu),
		cmocka_unit_test(test_offcpu_without_frames),
		cmocka_unit_test(test_offcpu_with_callers),
		cmocka_unit_test(test_offcpu_text),
		cmocka_unit_test(test_offcpu_attributes),
		cmocka_unit_test(test_trigger),
		cmocka_unit_test(test_trigger_branches),
		cmocka_unit_test(test_budget),
		cmocka_unit_test(test_losses),
	};

	return cmocka_run_group_tests_name("encode", tests, NULL, NULL);
}
