// SPDX-License-Identifier: GPL-2.0
/* ctl/record/merge.c: streams in time order each, into one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "record/merge.h"

enum { STREAMS = 9, LONGEST = 200 };

struct stream {
	struct merge_source merge;
	uint64_t times[LONGEST];
	int nr, next;
	int broken;		/* emit fails at this record; -1: never */
};

static struct stream streams[STREAMS];
static struct merge_source *sources[STREAMS], *heap[STREAMS];
static struct { uint64_t time; unsigned int order; } seen[STREAMS * LONGEST];
static int nr_seen;

static int peek(struct merge_source *merge)
{
	struct stream *s = (struct stream *)merge;

	if (s->next == s->nr)
		return 0;
	merge->time = s->times[s->next];
	return 1;
}

static int emit(struct merge_source *merge)
{
	struct stream *s = (struct stream *)merge;

	if (s->next == s->broken)
		return -7;
	seen[nr_seen].time = s->times[s->next++];
	seen[nr_seen++].order = merge->order;
	return 0;
}

static int setup(void **state)
{
	int i;

	(void)state;
	nr_seen = 0;
	for (i = 0; i < STREAMS; i++) {
		streams[i] = (struct stream){ .broken = -1 };
		streams[i].merge = (struct merge_source){ peek, emit, 0, i };
		sources[i] = &streams[i].merge;
	}
	return 0;
}

static void in_order(void)
{
	int i;

	for (i = 1; i < nr_seen; i++) {
		assert_true(seen[i - 1].time <= seen[i].time);
		if (seen[i - 1].time == seen[i].time)
			assert_true(seen[i - 1].order <= seen[i].order);
	}
}

static void test_any_streams_come_out_in_order(void **state)
{
	unsigned int seed;
	int i, j, total;

	for (seed = 1; seed <= 200; seed++) {
		setup(state);
		srand(seed);
		for (i = total = 0; i < STREAMS; i++) {
			streams[i].nr = rand() % LONGEST;
			total += streams[i].nr;
			for (j = 0; j < streams[i].nr; j++)
				streams[i].times[j] = rand() % 4 +
					(j ? streams[i].times[j - 1] : 0);
		}
		assert_int_equal(merge_run(sources, STREAMS, heap, UINT64_MAX),
				 total);
		assert_int_equal(nr_seen, total);
		in_order();
	}
}

static void test_what_is_younger_than_the_limit_stays(void **state)
{
	int i, j;

	(void)state;
	for (i = 0; i < STREAMS; i++)
		for (j = 0; j < 10; j++)
			streams[i].times[streams[i].nr++] = 10 * j + i;
	assert_int_equal(merge_run(sources, STREAMS, heap, 42),
			 4 * STREAMS + 3);
	assert_int_equal(seen[nr_seen - 1].time, 42);
	assert_int_equal(merge_run(sources, STREAMS, heap, 42), 0);
	assert_int_equal(merge_run(sources, STREAMS, heap, UINT64_MAX),
			 10 * STREAMS - (4 * STREAMS + 3));
	in_order();
}

static void test_nothing_to_merge(void **state)
{
	(void)state;
	assert_int_equal(merge_run(sources, STREAMS, heap, UINT64_MAX), 0);
	assert_int_equal(merge_run(sources, 0, heap, UINT64_MAX), 0);
}

static void test_an_error_ends_it(void **state)
{
	int i;

	(void)state;
	for (i = 0; i < STREAMS; i++) {
		streams[i].nr = 3;
		streams[i].times[0] = streams[i].times[1] = i;
		streams[i].times[2] = 100;
	}
	streams[4].broken = 1;
	assert_int_equal(merge_run(sources, STREAMS, heap, UINT64_MAX), -7);
	assert_int_equal(nr_seen, 4 * 2 + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_any_streams_come_out_in_order, setup),
		cmocka_unit_test_setup(test_what_is_younger_than_the_limit_stays,
				       setup),
		cmocka_unit_test_setup(test_nothing_to_merge, setup),
		cmocka_unit_test_setup(test_an_error_ends_it, setup),
	};

	return cmocka_run_group_tests_name("merge", tests, NULL, NULL);
}
