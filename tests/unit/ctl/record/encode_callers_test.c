// SPDX-License-Identifier: GPL-2.0
/* ctl/record/encode.c: samples whose callers were unwound. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "record/encode.h"

static const uint64_t from[] = { 0x11 }, to[] = { 0x21 };
static const uint64_t addresses[] = { 0x1000, 0x61, 0x62 };
static const struct encode_callers three = { addresses, 3, "window", 0 },
	pointed = { addresses, 3, "window", 2 };
static const struct encode_format with_lbr = { .id = 9, .period = 1000, .call_stack = true,
	.chain = true, .depth = true, .unwind = true },
	without = { .id = 9, .period = 1000, .chain = true, .unwind = true };
static uint64_t out[ENCODE_MAX / 8];

static struct ring_sample sample(uint8_t flags)
{
	return (struct ring_sample){ .time = 5, .ip = 0x1000, .user_ip = 0x1000,
		.has_user_ip = !flags, .pid = 3, .tid = 4, .flags = flags, .nr = 1,
		.from = from, .to = to };
}

/* Compares the words behind time, CPU and period. */
#define expect(...) expect_words((uint64_t[]){ __VA_ARGS__ }, \
				 sizeof((uint64_t[]){ __VA_ARGS__ }) / 8)

static void expect_words(const uint64_t *words, size_t nr)
{
	assert_int_equal(((struct perf_event_header *)out)->size, 8 * (7 + nr));
	assert_memory_equal(out + 7, words, nr * 8);
}

/* The words of raw data: u32 bytes and the text. */
static const uint64_t *raw(const char *text, uint32_t size)
{
	static uint64_t words[4];

	memset(words, 0, sizeof(words));
	memcpy(words, &size, sizeof(size));
	strcpy((char *)words + sizeof(size), text);
	return words;
}

/* To perf a chain without a mark is the user mode's, and one with a mark is the LBR's. */
static void test_with_call_stacks(void **state)
{
	struct ring_sample s = sample(LBRSCOPE_SAMPLE_USER);
	const uint64_t *text = raw("depth=70 end=window", 20);

	(void)state;
	s.has_depth = true;
	s.depth = 70;
	encode_sample(&with_lbr, &s, &three, 7, out);
	expect(3, 0x1000, 0x61, 0x62, text[0], text[1], text[2], 1, 0x11, 0x21, 0);
}

/* The module gives the negative stack pointer where the stack's beginning is not known. */
static void test_without_depth(void **state)
{
	struct ring_sample s = sample(LBRSCOPE_SAMPLE_USER);
	const uint64_t *text = raw("depth-unknown", 20);

	(void)state;
	s.has_depth = true;
	s.depth = -0x7fe800001000;
	encode_sample(&with_lbr, &s, NULL, 7, out);
	expect(2, PERF_CONTEXT_USER, 0x1000, text[0], text[1], text[2], 1, 0x11, 0x21, 0);
}

static void test_without(void **state)
{
	struct ring_sample s = sample(LBRSCOPE_SAMPLE_USER);
	const uint64_t *text = raw("end=window", 12);

	(void)state;
	encode_sample(&without, &s, &three, 7, out);
	expect(4, PERF_CONTEXT_USER, 0x1000, 0x61, 0x62, text[0], text[1]);
	s = sample(0);
	encode_sample(&without, &s, &three, 7, out);
	expect(6, PERF_CONTEXT_KERNEL, 0x1000, PERF_CONTEXT_USER, 0x1000, 0x61, 0x62,
	       text[0], text[1]);
	text = raw("end=window fp=2", 20);
	encode_sample(&without, &s, &pointed, 7, out);
	expect(6, PERF_CONTEXT_KERNEL, 0x1000, PERF_CONTEXT_USER, 0x1000, 0x61, 0x62,
	       text[0], text[1], text[2]);
	/* A stack that was not unwound has an empty text. */
	encode_sample(&without, &s, NULL, 7, out);
	expect(4, PERF_CONTEXT_KERNEL, 0x1000, PERF_CONTEXT_USER, 0x1000, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_with_call_stacks),
		cmocka_unit_test(test_without_depth),
		cmocka_unit_test(test_without),
	};

	return cmocka_run_group_tests_name("encode_callers", tests, NULL, NULL);
}
