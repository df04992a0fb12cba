// SPDX-License-Identifier: GPL-2.0
/* The times of samples: all of them, or slices of time where there are too many. */
#include <stdlib.h>

#include "profile/traces.h"
#include "test.h"

static void no_limit(void **state)
{
	struct moments m = { 0 };
	const uint32_t of[] = { 7, TRACE_NONE, 5 };

	(void)state;
	for (uint32_t i = 0; i < 3000; i++)
		assert_int_equal(moments_add(&m, i * 999, 2, i % 3), 0);
	moments_of_traces(&m, of);
	assert_int_equal(m.nr, 2000);
	assert_int_equal(m.slice, 0);
	for (size_t i = 0; i < m.nr; i++) {
		assert_int_equal(m.list[i].time, (i / 2 * 3 + i % 2 * 2) * 999);
		assert_int_equal(m.list[i].trace, i % 2 ? 5 : 7);
		assert_int_equal(m.list[i].samples, 1);
	}
	free(m.list);
}

/* Returns the sum of the samples of a trace from a time on. */
static uint64_t sum_from(const struct moments *m, uint32_t trace, uint64_t from)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < m->nr; i++)
		if (m->list[i].trace == trace && m->list[i].time >= from)
			sum += m->list[i].samples;
	return sum;
}

static void slices(void **state)
{
	struct moments m = { .limit = 1000 };
	const uint32_t of[] = { 1, 0, TRACE_NONE };
	const size_t nr = 100000;
	double squares = 0;
	uint64_t period = 0;

	(void)state;
	/* 100,000 samples of three stacks in 10 s. */
	for (size_t i = 0; i < nr; i++)
		assert_int_equal(moments_add(&m, 500 + i * 100000, i % 10, i % 3), 0);
	moments_of_traces(&m, of);
	assert_in_range(m.nr, 1, 1000);
	/* Half of the limit has room for 166 slices of 60 ms with three stacks each; slices
	 * double until they fit. */
	assert_in_range(m.slice, 1024000, 131072000);
	assert_int_equal(m.slice % 1000, 0);
	for (size_t i = 0; i < m.nr; i++) {
		assert_int_equal(m.list[i].time % m.slice, 0);
		assert_true(!i || m.list[i].time > m.list[i - 1].time ||
			    m.list[i].trace != m.list[i - 1].trace);
		assert_true(!i || m.list[i].time >= m.list[i - 1].time);
		period += m.list[i].period;
		squares += m.list[i].squares;
	}
	/* From the start of any slice on they are exact. */
	for (uint64_t from = 0; from < 10000000000; from += 7 * m.slice) {
		uint64_t wanted[2] = { 0, 0 };

		for (size_t i = 0; i < nr; i++)
			if (i % 3 < 2 && 500 + i * 100000 >= from)
				wanted[i % 3 == 0]++;
		assert_int_equal(sum_from(&m, 0, from), wanted[0]);
		assert_int_equal(sum_from(&m, 1, from), wanted[1]);
	}
	for (size_t i = 0; i < nr; i++)
		if (i % 3 < 2) {
			period -= i % 10;
			squares -= (i % 10) * (i % 10);
		}
	assert_int_equal(period, 0);
	assert_true(squares == 0);
	free(m.list);
}

/* What cannot be joined is kept. */
static void different(void **state)
{
	struct moments m = { .limit = 100 };
	uint32_t of[5000];

	(void)state;
	for (uint32_t i = 0; i < 5000; i++) {
		of[i] = i;
		assert_int_equal(moments_add(&m, 0, 1, i), 0);
	}
	moments_of_traces(&m, of);
	assert_int_equal(m.nr, 5000);
	free(m.list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_limit), cmocka_unit_test(slices), cmocka_unit_test(different),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
