// SPDX-License-Identifier: GPL-2.0
/* ctl/workload/tasks.c: lists of ids, and the end of processes and threads. */
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "workload/tasks.h"

static void test_lists(void **state)
{
	struct tasks_list list = {};

	(void)state;
	assert_int_equal(tasks_parse(&list, "1"), 0);
	assert_int_equal(tasks_parse(&list, "23,2147483647"), 0);
	assert_int_equal(list.nr, 3);
	assert_int_equal(list.ids[1], 23);
	assert_int_equal(list.ids[2], INT32_MAX);
}

static void test_what_is_no_list(void **state)
{
	static const char *const bad[] = { "", ",", "0", "1,", ",1", "1,,2",
		"-1", "+1", " 1", "1 ", "1,x", "x", "1.5", "2147483648",
		"99999999999999999999" };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct tasks_list list = {};

		assert_int_equal(tasks_parse(&list, bad[i]), -1);
	}
}

static void test_longest_list(void **state)
{
	struct tasks_list list = {};
	int i;

	(void)state;
	for (i = 0; i < LBRSCOPE_TARGETS_MAX; i++)
		assert_int_equal(tasks_parse(&list, "7"), 0);
	assert_int_equal(tasks_parse(&list, "7"), -1);
}

static void wait_for(struct tasks *tasks)
{
	struct pollfd fd = { .fd = tasks->fd, .events = POLLIN };

	assert_true(poll(&fd, 1, 30000) > 0);
}

static void test_the_end_of_processes(void **state)
{
	struct tasks_list pids = { .nr = 2 }, none = {};
	uint32_t processes[LBRSCOPE_TARGETS_MAX];
	struct tasks tasks;
	int go[2][2], i;

	(void)state;
	for (i = 0; i < 2; i++) {
		assert_int_equal(pipe(go[i]), 0);
		pids.ids[i] = fork();
		if (!pids.ids[i]) {
			char byte;

			_exit(read(go[i][0], &byte, 1) != 1);
		}
	}
	assert_int_equal(tasks_open(&tasks, &pids, &none, false), 0);
	assert_int_equal(tasks_processes(&tasks, processes), 2);
	assert_false(tasks_ended(&tasks));
	for (i = 0; i < 2; i++) {
		assert_int_equal(write(go[i][1], "", 1), 1);
		/* Not reaped yet: a zombie has ended. */
		wait_for(&tasks);
		assert_int_equal(tasks_ended(&tasks), i == 1);
	}
	tasks_close(&tasks);
	while (wait(NULL) > 0)
		;
}

static int thread_go[2];
static volatile pid_t thread_id;

static void *thread(void *arg)
{
	char byte;

	thread_id = gettid();
	return read(thread_go[0], &byte, 1) == 1 ? arg : NULL;
}

static void test_the_end_of_a_thread(void **state)
{
	struct tasks_list tids = { .nr = 2 }, none = {};
	uint32_t processes[LBRSCOPE_TARGETS_MAX];
	struct tasks tasks;
	pthread_t t;
	int i;

	(void)state;
	assert_int_equal(pipe(thread_go), 0);
	assert_int_equal(pthread_create(&t, NULL, thread, NULL), 0);
	while (!thread_id)
		usleep(1000);
	tids.ids[0] = tids.ids[1] = thread_id;
	assert_int_equal(tasks_open(&tasks, &none, &tids, false), 0);
	assert_int_equal(tasks_processes(&tasks, processes), 1);
	assert_int_equal(processes[0], getpid());
	wait_for(&tasks);
	assert_false(tasks_ended(&tasks));
	assert_int_equal(write(thread_go[1], "", 1), 1);
	pthread_join(t, NULL);
	for (i = 0; i < 100 && !tasks_ended(&tasks); i++)
		wait_for(&tasks);
	assert_true(i < 100);
	tasks_close(&tasks);
}

static void test_nobody(void **state)
{
	struct tasks_list none = {}, pids = { .nr = 1, .ids = { 99999999 } };
	struct tasks tasks;

	(void)state;
	assert_int_equal(tasks_open(&tasks, &none, &none, false), 0);
	assert_int_equal(tasks.fd, -1);
	assert_false(tasks_ended(&tasks));
	tasks_close(&tasks);
	assert_int_equal(tasks_open(&tasks, &pids, &none, false), -1);
	tasks_close(&tasks);
	assert_int_equal(tasks_open(&tasks, &none, &pids, false), -1);
	tasks_close(&tasks);
}

/* What ended since its id was found is left out. */
static void test_who_may_have_ended(void **state)
{
	struct tasks_list none = {}, pids = { .nr = 2, .ids = { 99999999, getpid() } };
	uint32_t processes[LBRSCOPE_TARGETS_MAX];
	struct tasks tasks;

	(void)state;
	assert_int_equal(tasks_open(&tasks, &pids, &none, true), 0);
	assert_int_equal(tasks_processes(&tasks, processes), 1);
	assert_int_equal(processes[0], getpid());
	tasks_close(&tasks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_what_is_no_list),
		cmocka_unit_test(test_longest_list),
		cmocka_unit_test(test_the_end_of_processes),
		cmocka_unit_test(test_the_end_of_a_thread),
		cmocka_unit_test(test_nobody),
		cmocka_unit_test(test_who_may_have_ended),
	};

	return cmocka_run_group_tests_name("tasks", tests, NULL, NULL);
}
