// SPDX-License-Identifier: GPL-2.0
/* ctl/base/atomic_file.c: the modes of outputs. The tests build on each other: a noted file stays
 * noted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/atomic_file.h"

static char folder[] = "/tmp/atomic_file_test.XXXXXX";

static mode_t mode_of(bool shared)
{
	struct atomic_file file;
	struct stat st;

	assert_int_equal(atomic_file_open(&file, "out"), 0);
	file.shared = shared;
	fputs("text\n", file.stream);
	assert_int_equal(atomic_file_commit(&file), 0);
	assert_int_equal(stat("out", &st), 0);
	assert_int_equal(st.st_size, 5);
	assert_int_equal(unlink("out"), 0);
	return st.st_mode & 07777;
}

static void without_a_capture(void **state)
{
	(void)state;
	assert_int_equal(mode_of(false), geteuid() ? 0644 : 0600);
	assert_int_equal(mode_of(true), 0644);
}

static void other_users_go_by_the_umask(void **state)
{
	(void)state;
	if (geteuid())
		skip();
	assert_int_equal(chmod(".", 0777), 0);
	assert_int_equal(seteuid(12345), 0);
	assert_int_equal(mode_of(false), 0644);
	umask(0002);
	assert_int_equal(mode_of(false), 0664);
	assert_int_equal(mode_of(true), 0664);
	umask(0022);
	assert_int_equal(seteuid(0), 0);
}

static void a_shared_file_goes_by_the_umask(void **state)
{
	(void)state;
	umask(0077);
	assert_int_equal(mode_of(true), 0600);
	umask(0002);
	assert_int_equal(mode_of(true), geteuid() ? 0664 : 0644);
	umask(0022);
}

static void of_captures(void **state)
{
	const gid_t group = getegid();

	(void)state;
	if (geteuid())
		skip();
	atomic_file_limit(0100666, group);
	assert_int_equal(mode_of(false), 0644);
	umask(0);
	assert_int_equal(mode_of(false), 0666);
	umask(0022);
	atomic_file_limit(0100640, group);
	assert_int_equal(mode_of(false), 0640);
	/* Members of the one group may not read the other's capture. */
	atomic_file_limit(0100640, group + 1);
	assert_int_equal(mode_of(false), 0600);
	atomic_file_limit(0100640, group);
	assert_int_equal(mode_of(false), 0600);
	assert_int_equal(mode_of(true), 0644);
}

static int setup(void **state)
{
	(void)state;
	umask(0022);
	return !mkdtemp(folder) || chdir(folder) ? -1 : 0;
}

static int teardown(void **state)
{
	(void)state;
	return chdir("/") || rmdir(folder) ? -1 : 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_capture),
		cmocka_unit_test(other_users_go_by_the_umask),
		cmocka_unit_test(a_shared_file_goes_by_the_umask),
		cmocka_unit_test(of_captures),
	};

	return cmocka_run_group_tests_name("atomic_file", tests, setup, teardown);
}
