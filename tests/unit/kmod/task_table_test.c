// SPDX-License-Identifier: GPL-2.0
/* kmod/task/table.h: however many tasks a machine can have, few share a bucket. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

#include "../../../kmod/task/table.h"

#define GIB		(1ULL << 30)
#define TASK_BYTES	(24ULL << 10)	/* at least; 16 KiB of it is the stack */
#define TASKS_MAX	(4ULL << 20)	/* PID_MAX_LIMIT */

/* The mean of the tasks in a bucket, with as many tasks as fit into memory. */
static u64 in_a_bucket(u64 memory, u64 most)
{
	u64 tasks = memory / TASK_BYTES;

	if (tasks > most)
		tasks = most;
	return tasks >> ls_task_table_bits(memory);
}

static void test_full(void **state)
{
	u64 memory;

	(void)state;
	for (memory = GIB / 8; memory <= GIB << 14; memory *= 2) {
		assert_in_range(in_a_bucket(memory, TASKS_MAX), 0, 5);
		assert_in_range(in_a_bucket(memory + memory / 3, TASKS_MAX), 0, 5);
	}
}

/* The usual case of many: it stays as it is with 100. */
static void test_200000_tasks(void **state)
{
	u64 memory;

	(void)state;
	for (memory = 16 * GIB; memory <= GIB << 14; memory *= 2)
		assert_in_range(in_a_bucket(memory, 200000), 0, 1);
}

/* The table is memory as well. */
static void test_size(void **state)
{
	u64 memory;

	(void)state;
	for (memory = GIB / 8; memory <= GIB << 14; memory *= 2)
		assert_true((sizeof(void *) << ls_task_table_bits(memory)) <= memory / 8192);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_200000_tasks),
		cmocka_unit_test(test_size),
	};

	return cmocka_run_group_tests_name("kmod/task_table", tests, NULL, NULL);
}
