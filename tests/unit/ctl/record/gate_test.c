// SPDX-License-Identifier: GPL-2.0
/* ctl/record/gate.c: which samples are kept. */
#include "record/gate.h"
#include "test.h"

static void test_always(void **state)
{
	static const struct gate gate;

	(void)state;
	assert_true(gate_is_open(&gate, 0));
	assert_true(gate_is_open(&gate, UINT64_MAX));
}

/* A sample belongs to the state of its own time, not of the time at which it is read. */
static void test_times(void **state)
{
	struct gate gate = {};

	(void)state;
	gate_set(&gate, 100, false);
	gate_set(&gate, 200, true);
	gate_set(&gate, 250, true);
	gate_set(&gate, 300, false);
	assert_true(gate_is_open(&gate, 99));
	assert_false(gate_is_open(&gate, 100));
	assert_false(gate_is_open(&gate, 199));
	assert_true(gate_is_open(&gate, 200));
	assert_true(gate_is_open(&gate, 299));
	assert_false(gate_is_open(&gate, 300));
}

/* A command before the end of the delay takes the delay's place. */
static void test_delay(void **state)
{
	struct gate gate = {};

	(void)state;
	gate_set(&gate, 100, false);
	gate_set(&gate, 1000, true);
	gate_set(&gate, 500, false);
	assert_false(gate_is_open(&gate, 1000));
	gate_set(&gate, 600, true);
	assert_true(gate_is_open(&gate, 600));
	assert_false(gate_is_open(&gate, 599));
}

/* Any number of changes fits; the newest are kept. */
static void test_many(void **state)
{
	struct gate gate = {};
	uint64_t time, oldest = 100000 - GATE_CHANGES_MAX + 2;

	(void)state;
	for (time = 1; time <= 100000; time++)
		gate_set(&gate, time, time % 2);
	for (time = oldest; time <= 100000; time++)
		assert_int_equal(gate_is_open(&gate, time), time % 2);
	assert_true(gate.nr <= GATE_CHANGES_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_always),
		cmocka_unit_test(test_times),
		cmocka_unit_test(test_delay),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests_name("ctl/gate", tests, NULL, NULL);
}
