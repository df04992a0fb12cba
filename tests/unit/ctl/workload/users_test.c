// SPDX-License-Identifier: GPL-2.0
/* ctl/workload/users.c: users by name and number, and their processes. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "workload/users.h"

#define UID	52525	/* nobody's */

static void test_names(void **state)
{
	static const char *const bad[] = { "", "-1", " 0", "0x", "1.5", "4294967295", "99999999999999999999", "nobody here" };
	uid_t uid = 1;

	(void)state;
	assert_true(users_find("root", &uid));
	assert_int_equal(uid, 0);
	assert_true(users_find("52525", &uid));
	assert_int_equal(uid, UID);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_false(users_find(bad[i], &uid));
}

static bool has(const struct tasks_list *list, pid_t pid)
{
	for (unsigned int i = 0; i < list->nr; i++)
		if (list->ids[i] == (uint32_t)pid)
			return true;
	return false;
}

/* Root's child gives up its rights, after which /proc calls root the owner of its folder. */
static void test_processes(void **state)
{
	const uid_t uid = geteuid() ? geteuid() : UID;
	struct tasks_list list = { .nr = 0 };
	int ready[2], status;
	pid_t child;
	char byte;

	(void)state;
	assert_int_equal(pipe(ready), 0);
	child = fork();
	if (!child) {
		if (!geteuid() && setresuid(UID, UID, UID))
			_exit(1);
		if (write(ready[1], "", 1) == 1)
			pause();
		_exit(1);
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	assert_int_equal(users_processes(uid, "somebody", &list), 0);
	assert_true(has(&list, child));
	assert_false(has(&list, getpid()));
	kill(child, SIGKILL);
	/* It only waits for its parent. */
	assert_int_equal(waitid(P_PID, child, &(siginfo_t){ 0 }, WEXITED | WNOWAIT), 0);
	list.nr = 0;
	if (uid == UID)
		assert_int_equal(users_processes(uid, "somebody", &list), -1);
	assert_false(has(&list, child));
	assert_int_equal(waitpid(child, &status, 0), child);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_processes),
	};

	return cmocka_run_group_tests_name("users", tests, NULL, NULL);
}
