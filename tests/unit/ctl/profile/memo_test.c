// SPDX-License-Identifier: GPL-2.0
/* ctl/profile/memo.c: for each words it returns the last stored entry, or none if it was
 * emptied. */
#include "test.h"

#include "profile/memo.h"

/* Words that differ in number n; many share their beginning, their end, or are the
 * beginning of others. */
static size_t words_of(uint32_t n, uint64_t *words)
{
	size_t nr = 1 + n % 40;

	for (size_t i = 0; i < nr; i++)
		words[i] = i * 0x401000;
	words[n % nr] ^= (uint64_t)n << 40;
	return nr;
}

static void entries_are_of_their_words(void **state)
{
	struct memo *m = memo_new();
	struct memo_entry *e;
	uint64_t words[40];

	(void)state;
	assert_non_null(m);
	for (uint32_t n = 1; n < 5000; n++) {
		e = memo_entry(m, words, words_of(n, words));
		assert_false(e->counted);
		*e = (struct memo_entry){ .noted = true, .counted = true, .stack = ~n };
	}
	for (uint32_t n = 1; n < 5000; n++) {
		e = memo_entry(m, words, words_of(n, words));
		assert_true(e->counted);
		assert_int_equal(e->stack, ~n);
	}
	memo_free(m);
}

/* More words than fit: the entry is new, or the stored one; the newest is always found. */
static void forgets_but_never_mixes_up(void **state)
{
	struct memo *m = memo_new();
	struct memo_entry *e;
	uint64_t words[40];
	uint32_t forgotten = 0, kept = 0;

	(void)state;
	for (uint32_t n = 1; n < 600000; n++) {
		e = memo_entry(m, words, words_of(n, words));
		assert_false(e->counted);
		*e = (struct memo_entry){ .noted = true, .counted = true, .stack = n };
		e = memo_entry(m, words, words_of(n, words));
		assert_true(e->counted && e->stack == n);
	}
	for (uint32_t n = 599999; n > 300000; n--) {
		e = memo_entry(m, words, words_of(n, words));
		assert_true(!e->counted || e->stack == n);
		forgotten += !e->counted;
		kept += e->counted;
		*e = (struct memo_entry){ .noted = true, .counted = true, .stack = n };
	}
	assert_true(forgotten && kept);
	memo_free(m);
}

/* Words that never come again are not worth a lookup, and words that do are; neither is decided for good. */
static void rests(void **state)
{
	struct memo *m = memo_new();
	unsigned long asked = 0, rested = 0;
	uint64_t words[2] = { 0 };

	(void)state;
	for (uint32_t n = 0; n < 2000000; n++) {
		words[0] = n;
		if (memo_rests(m)) {
			rested++;
		} else {
			memo_entry(m, words, 2);
			asked++;
		}
	}
	assert_true(rested > 4 * asked && asked > 100000);
	/* the rest ends, and another trial finds that words come again */
	for (uint32_t n = 0; n < 1000000; n++) {
		words[0] = n % 100;
		if (!memo_rests(m))
			memo_entry(m, words, 2);
	}
	for (uint32_t n = 0; n < 1000000; n++) {
		words[0] = n % 100;
		assert_false(memo_rests(m));
		memo_entry(m, words, 2);
	}
	memo_free(m);
}

/* Larger than all of it, and nothing at all. */
static void any_size(void **state)
{
	const size_t large = (4UL << 20) + 1;
	uint64_t *words = calloc(large, sizeof(*words));
	struct memo *m = memo_new();

	(void)state;
	memo_entry(m, words, 0)->counted = true;
	memo_entry(m, words, large - 1)->counted = true;
	assert_true(memo_entry(m, words, large - 1)->counted);
	assert_false(memo_entry(m, words, large)->counted);
	assert_false(memo_entry(m, words, 0)->counted);
	memo_free(m);
	free(words);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(entries_are_of_their_words),
		cmocka_unit_test(forgets_but_never_mixes_up),
		cmocka_unit_test(rests),
		cmocka_unit_test(any_size),
	};

	return cmocka_run_group_tests_name("memo", tests, NULL, NULL);
}
