// SPDX-License-Identifier: GPL-2.0
/* ctl/workload/command.c: the command that waits to be let run. */
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "workload/command.h"

static int run(const char *script)
{
	char *argv[] = { "sh", "-c", (char *)script, NULL };
	struct workload w;
	sigset_t none;

	sigemptyset(&none);
	assert_int_equal(workload_fork(&w, argv, &none), 0);
	assert_int_equal(workload_run(&w, argv[0]), 0);
	return workload_wait(&w);
}

static void test_statuses(void **state)
{
	(void)state;
	assert_int_equal(run("exit 0"), 0);
	assert_int_equal(run("exit 7"), 7);
	assert_int_equal(run("kill -9 $$"), 128 + 9);
}

static void test_signals_are_as_we_had_them(void **state)
{
	sigset_t ours, before;

	(void)state;
	/* As in the recorder, these are blocked, and SIGPIPE is ignored. */
	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&ours);
	sigaddset(&ours, SIGTERM);
	sigprocmask(SIG_BLOCK, &ours, &before);
	assert_int_equal(run("kill -TERM $$; sleep 5; exit 1"), 128 + SIGTERM);
	assert_int_equal(run("kill -PIPE $$; exit 1"), 128 + SIGPIPE);
	sigprocmask(SIG_SETMASK, &before, NULL);
}

static int cannot_run(char *name)
{
	char *argv[] = { name, NULL };
	struct workload w;
	sigset_t none;

	sigemptyset(&none);
	assert_int_equal(workload_fork(&w, argv, &none), 0);
	assert_int_equal(workload_run(&w, name), -1);
	return workload_wait(&w);
}

static void test_what_cannot_be_run(void **state)
{
	(void)state;
	assert_int_equal(cannot_run("/nonexistent"), 127);
	assert_int_equal(cannot_run("/tmp"), 126);
	assert_int_equal(cannot_run("/etc/passwd"), 126);
}

static void test_it_does_not_run_before_it_may(void **state)
{
	char path[64], *argv[] = { "touch", path, NULL };
	struct workload w;
	struct pollfd end;
	sigset_t none;

	(void)state;
	snprintf(path, sizeof(path), "/tmp/workload_test.%d", getpid());
	sigemptyset(&none);
	assert_int_equal(workload_fork(&w, argv, &none), 0);
	end = (struct pollfd){ .fd = w.pidfd, .events = POLLIN };
	assert_int_equal(poll(&end, 1, 200), 0);
	assert_int_not_equal(access(path, F_OK), 0);
	/* Given up instead: it ends, and has done nothing. */
	assert_int_equal(workload_wait(&w), 126);
	assert_int_not_equal(access(path, F_OK), 0);
}

static void test_it_ends_with_a_killed_recorder(void **state)
{
	char *argv[] = { "true", NULL };
	int out[2], status;
	struct workload w;
	pid_t recorder;
	sigset_t none;
	char byte;

	(void)state;
	assert_int_equal(pipe(out), 0);
	recorder = fork();
	if (!recorder) {
		sigemptyset(&none);
		if (!workload_fork(&w, argv, &none) && write(out[1], "", 1))
			kill(getpid(), SIGKILL);
		_exit(1);
	}
	close(out[1]);
	assert_int_equal(read(out[0], &byte, 1), 1);
	assert_int_equal(waitpid(recorder, &status, 0), recorder);
	assert_true(WIFSIGNALED(status));
	/* The child has the pipe too: it ends when the child does. */
	alarm(10);
	assert_int_equal(read(out[0], &byte, 1), 0);
	alarm(0);
	close(out[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_statuses),
		cmocka_unit_test(test_signals_are_as_we_had_them),
		cmocka_unit_test(test_what_cannot_be_run),
		cmocka_unit_test(test_it_does_not_run_before_it_may),
		cmocka_unit_test(test_it_ends_with_a_killed_recorder),
	};

	return cmocka_run_group_tests_name("workload", tests, NULL, NULL);
}
