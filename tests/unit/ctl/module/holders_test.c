// SPDX-License-Identifier: GPL-2.0
/* ctl/module/holders.c: the processes that are named when the PMU is taken. */
#include <errno.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "module/holders.h"

static int open_event(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr), .config = PERF_COUNT_SW_DUMMY,
		.exclude_kernel = 1, .exclude_hv = 1 };

	return syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
}

static void test_a_process_with_perf_events(void **state)
{
	char text[512], want[64], byte;
	int ready[2], fd;
	pid_t pid;

	(void)state;
	fd = open_event();
	if (fd < 0 && errno == EACCES)
		skip();
	close(fd);
	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_NAME, "a holder");
		open_event();
		if (write(ready[1], "", 1) == 1)
			pause();
		_exit(1);
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	holders_describe(text, sizeof(text));
	snprintf(want, sizeof(want), "a holder (pid %d, has perf events)", pid);
	assert_non_null(strstr(text, want));
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	holders_describe(text, sizeof(text));
	assert_null(strstr(text, want));
}

static void test_not_ourselves(void **state)
{
	char text[512], own[32];
	int fd = open_event();

	(void)state;
	snprintf(own, sizeof(own), "(pid %d,", getpid());
	holders_describe(text, sizeof(text));
	assert_null(strstr(text, own));
	close(fd);
}

static void test_many_fit_any_room(void **state)
{
	char text[512];
	pid_t pids[20];
	size_t size;
	int i;

	(void)state;
	for (i = 0; i < 20; i++) {
		pids[i] = fork();
		if (!pids[i]) {
			prctl(PR_SET_NAME, "fifteen letters");
			open_event();
			pause();
		}
	}
	usleep(100000);
	for (size = 1; size <= sizeof(text); size += 37) {
		memset(text, 'x', sizeof(text));
		holders_describe(text, size);
		assert_non_null(memchr(text, 0, size));
		if (size < sizeof(text))
			assert_int_equal(text[size], 'x');
	}
	for (i = 0; i < 20; i++) {
		kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_process_with_perf_events),
		cmocka_unit_test(test_not_ourselves),
		cmocka_unit_test(test_many_fit_any_room),
	};

	return cmocka_run_group_tests_name("holders", tests, NULL, NULL);
}
