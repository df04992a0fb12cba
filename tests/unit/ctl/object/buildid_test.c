// SPDX-License-Identifier: GPL-2.0
/* ctl/object/buildid.c: notes of files and of the kernel, and the table of them. */
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "object/buildid.h"

/* The loader's own view of this program: its PT_NOTE segment in memory. */
static int own(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct buildid *id = arg;
	const char *at, *end;
	int i;

	(void)size;
	for (i = 0; i < info->dlpi_phnum; i++) {
		if (info->dlpi_phdr[i].p_type != PT_NOTE)
			continue;
		at = (char *)info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
		end = at + info->dlpi_phdr[i].p_memsz;
		while (at < end) {
			const ElfW(Nhdr) *note = (const void *)at;

			if (note->n_type == NT_GNU_BUILD_ID) {
				id->size = note->n_descsz;
				memcpy(id->bytes, at + 16, id->size);
				return 1;
			}
			at += 12 + ((note->n_namesz + 3) & ~3U) +
			      ((note->n_descsz + 3) & ~3U);
		}
	}
	return 1;
}

static void test_of_this_program(void **state)
{
	struct buildid want = {}, id = buildid_file("/proc/self/exe");

	(void)state;
	dl_iterate_phdr(own, &want);
	assert_int_equal(want.size, 20);
	assert_memory_equal(&id, &want, sizeof(id));
}

static void test_of_files_without(void **state)
{
	(void)state;
	assert_int_equal(buildid_file("/nonexistent").size, 0);
	assert_int_equal(buildid_file("/etc/passwd").size, 0);
	assert_int_equal(buildid_file("/tmp").size, 0);
	assert_int_equal(buildid_file("/dev/null").size, 0);
	assert_int_equal(buildid_notes("/nonexistent").size, 0);
	assert_int_equal(buildid_notes("/etc/passwd").size, 0);
}

static void test_a_fifo_does_not_hold_us_up(void **state)
{
	char path[64];

	(void)state;
	snprintf(path, sizeof(path), "/tmp/buildid_test.%d", getpid());
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(buildid_file(path).size, 0);
	unlink(path);
}

static void test_of_the_kernel(void **state)
{
	struct buildid id = buildid_notes("/sys/kernel/notes");

	(void)state;
	assert_int_equal(id.size, 20);
}

/* An ELF file cut off or with bytes changed anywhere: never more than no id. */
static void test_of_broken_files(void **state)
{
	char path[64], bytes[8192];
	int fd = open("/proc/self/exe", O_RDONLY), i;
	ssize_t len = read(fd, bytes, sizeof(bytes));

	(void)state;
	close(fd);
	snprintf(path, sizeof(path), "/tmp/buildid_test.%d", getpid());
	srand(1);
	for (i = 0; i < 2000; i++) {
		char copy[sizeof(bytes)];
		int flips = 1 + rand() % 8;

		memcpy(copy, bytes, len);
		while (flips--)
			copy[rand() % (i % 2 ? 1024 : len)] = rand();
		fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
		assert_true(write(fd, copy, rand() % len) >= 0);
		close(fd);
		assert_true(buildid_file(path).size <= BUILDID_MAX);
	}
	unlink(path);
}

static void test_same(void **state)
{
	static const uint8_t recorded[] = { 1, 2, 3, 0, 0, 0, 0, 0 };

	(void)state;
	assert_true(buildid_same(recorded, 8, recorded, 8));
	assert_true(buildid_same(recorded, 3, recorded, 4));
	assert_true(buildid_same(recorded, 4, recorded, 4));
	assert_false(buildid_same(recorded, 3, recorded, 8));
	assert_false(buildid_same(recorded, 4, recorded, 3));
	assert_false(buildid_same(recorded, 2, recorded, 4));
	assert_false(buildid_same("\1\2\4", 3, recorded, 4));
}

static void test_table(void **state)
{
	struct buildid a = { 2, "ab" }, b = { 3, "abc" }, none = {};
	struct buildid_table table = {};
	char name[16];
	int i;

	(void)state;
	for (i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "file%d", i % 100);
		assert_int_equal(buildid_table_add(&table, &a,
				 PERF_RECORD_MISC_USER, name), 0);
	}
	buildid_table_add(&table, &b, PERF_RECORD_MISC_USER, "file7");
	buildid_table_add(&table, &none, PERF_RECORD_MISC_USER, "file8");
	assert_int_equal(table.nr, 101);
	assert_string_equal(table.entries[42].name, "file42");
	assert_string_equal(table.entries[100].name, "file7");
	assert_int_equal(table.entries[100].id.size, 3);
	buildid_table_free(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_of_this_program),
		cmocka_unit_test(test_of_files_without),
		cmocka_unit_test(test_a_fifo_does_not_hold_us_up),
		cmocka_unit_test(test_of_the_kernel),
		cmocka_unit_test(test_of_broken_files),
		cmocka_unit_test(test_same),
		cmocka_unit_test(test_table),
	};

	return cmocka_run_group_tests_name("buildid", tests, NULL, NULL);
}
