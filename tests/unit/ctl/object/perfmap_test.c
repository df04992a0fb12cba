// SPDX-License-Identifier: GPL-2.0
/* ctl/object/perfmap.c: valid lines, overwritten functions, and invalid files. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "object/perfmap.h"

static char path[] = "/tmp/perfmap_test.XXXXXX";

static struct perfmap *map_of(const char *text, size_t size)
{
	FILE *out = fopen(path, "w");

	assert_non_null(out);
	assert_int_equal(fwrite(text, 1, size, out), size);
	assert_int_equal(fclose(out), 0);
	return perfmap_open(NULL, 0, path);
}

static void expect(const struct perfmap *map, uint64_t address, const char *name)
{
	const struct perfmap_function *f = perfmap_find(map, address);

	if (!name) {
		assert_null(f);
		return;
	}
	assert_non_null(f);
	assert_string_equal(f->name, name);
	assert_true(f->start <= address && address < f->end);
}

static void lines(void **state)
{
	static const char text[] =
		"7f0000001000 40 int Some.method(int, long)\n"
		"7f0000000000 20 first\n"
		"\n"
		"7f0000002000 0 empty\n"
		"7f0000003000 10\n"
		"7f0000004000 10 \n"
		"-7f0000005000 10 negative\n"
		" 7f0000006000 10 indented\n"
		"0x7f0000007000 10 prefixed\n"
		"ffffffffffffffff 10 around the end\n"
		"no line at all\n"
		"7F0000008000 1f last, without an end";
	struct perfmap *map = map_of(text, sizeof(text) - 1);

	(void)state;
	assert_non_null(map);
	expect(map, 0x7f0000000000, "first");
	expect(map, 0x7f000000001f, "first");
	expect(map, 0x7f0000000020, NULL);
	expect(map, 0x7f000000103f, "int Some.method(int, long)");
	for (uint64_t at = 0x7f0000002000; at < 0x7f0000007000; at += 0x1000)
		expect(map, at, NULL);
	expect(map, 0x7f0000007000, "prefixed");
	expect(map, 0x7f000000801e, "last, without an end");
	expect(map, 0x7effffffffff, NULL);
	expect(map, UINT64_MAX, NULL);
	expect(map, 0, NULL);
	perfmap_close(map);
}

static void the_newest_is_there(void **state)
{
	static const char text[] =
		"1000 100 big\n"
		"1040 10 in its middle\n"
		"2000 10 small\n"
		"2020 10 another\n"
		"1ff0 100 over both\n"
		"3000 10 old\n"
		"3000 20 new\n"
		"4000 10 before\n"
		"4010 10 behind\n";
	struct perfmap *map = map_of(text, sizeof(text) - 1);

	(void)state;
	assert_non_null(map);
	expect(map, 0x1000, NULL);
	expect(map, 0x1048, "in its middle");
	expect(map, 0x1080, NULL);
	expect(map, 0x2008, "over both");
	expect(map, 0x2028, "over both");
	expect(map, 0x3008, "new");
	expect(map, 0x3018, "new");
	expect(map, 0x400f, "before");
	expect(map, 0x4010, "behind");
	perfmap_close(map);
}

/* Cut off anywhere, with another byte anywhere; nothing at all, and no file. */
static void any_other(void **state)
{
	char text[] = "1000 10 one\n1008 20 two\nffff 1 three\n";
	static const char bytes[] = { 0, '\n', ' ', '-', 'x', 'f', '9', (char)0xff };
	const size_t size = sizeof(text) - 1;
	struct perfmap *map;

	(void)state;
	for (size_t i = 0; i < size; i++) {
		map = map_of(text, i);
		assert_non_null(map);
		perfmap_close(map);
		for (size_t byte = 0; byte < sizeof(bytes); byte++) {
			char was = text[i];

			text[i] = bytes[byte];
			map = map_of(text, size);
			text[i] = was;
			assert_non_null(map);
			perfmap_find(map, 0x1008);
			perfmap_close(map);
		}
	}
	assert_null(perfmap_open(NULL, 0, "/nowhere/perf-1.map"));
	assert_null(perfmap_open(NULL, 0, "/dev/zero"));
}

static int setup(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	return fd < 0 ? -1 : close(fd);
}

static int teardown(void **state)
{
	(void)state;
	return unlink(path);
}

/* Any user may write to /tmp: only files of the reader or of the process's user are used. */
static void of_another_user(void **state)
{
	static const char text[] = "1000 10 mine\n";
	struct perfmap *map;
	pid_t pid;

	(void)state;
	if (geteuid())
		skip();
	map = map_of(text, sizeof(text) - 1);
	assert_non_null(map);
	perfmap_close(map);
	assert_int_equal(chown(path, 12345, 12345), 0);
	assert_null(perfmap_open(NULL, 0, path));
	assert_null(perfmap_open(NULL, getpid(), path));
	pid = fork();
	if (!pid) {
		if (setresgid(12345, 12345, 12345) || setresuid(12345, 12345, 12345))
			_exit(1);
		pause();
		_exit(0);
	}
	/* until the child has become that user */
	for (int i = 0; i < 1000 && !(map = perfmap_open(NULL, pid, path)); i++)
		usleep(10000);
	assert_non_null(map);
	expect(map, 0x1008, "mine");
	perfmap_close(map);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(chown(path, 0, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines),
		cmocka_unit_test(the_newest_is_there),
		cmocka_unit_test(any_other),
		cmocka_unit_test(of_another_user),
	};

	return cmocka_run_group_tests_name("perfmap", tests, setup, teardown);
}
