// SPDX-License-Identifier: GPL-2.0
/* ctl/perfdata/write.c: disks that are full or fail, and limits of file size. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "written_fixture.h"

/* RLIMIT_FSIZE, with room for the records but not for what follows them, or for less. The
 * error comes at the latest when the file is finished. */
static int write_limited(rlim_t most)
{
	struct rlimit limit = { most, most };
	static char records[3 << 20];
	struct perfdata_writer *w;
	int err;

	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &limit);
	w = perfdata_write_open("f", events, 2);
	if (!w)
		return 1;
	err = perfdata_write(w, records, sizeof(records));
	perfdata_write_feature(w, 3, "feature", 7);
	if (err) {
		perfdata_write_abort(w);
		return 1;
	}
	return perfdata_write_finish(w) < 0;
}

static void test_a_disk_that_is_full_at_once(void **state)
{
	static const rlim_t limits[] = { 0, 50, 300, 4096, 2 << 20, 3 << 20,
					 (3 << 20) + 400 };
	size_t i;
	int status;
	pid_t pid;

	(void)state;
	write_one("f", "before..");
	for (i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		pid = fork();
		if (!pid)
			_exit(write_limited(limits[i]));
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(status, 1 << 8);
		assert_true(holds("f", "before.."));
		/* The records that reached the disk stay. */
		if (limits[i] < 4096)
			assert_false(is_there("f.partial"));
		unlink("f.partial");
	}
}

/* The size of the disk. The writer reserves room by fallocate(). */
static uint64_t disk = UINT64_MAX;

int fallocate(int fd, int mode, off_t offset, off_t len)
{
	assert_true(fd >= 0);
	assert_int_equal(mode, FALLOC_FL_KEEP_SIZE);
	if ((uint64_t)offset + len <= disk)
		return 0;
	errno = ENOSPC;
	return -1;
}

/* The records that were accepted before the disk was full are finished, with the last record
 * and the features, and the file is not larger than the disk. */
static void write_until_full(int level)
{
	static char records[64 << 10], file[13 << 20];
	struct perfdata_writer *w = perfdata_write_open("f", events, 2);
	const struct perfdata_header *head = (const void *)file;
	struct perf_event_header last = { .type = PERF_RECORD_LOST, .size = 8 };
	uint64_t taken = 0;
	size_t len;
	int err;

	assert_non_null(w);
	make_records(records, sizeof(records));
	if (level)
		assert_int_equal(perfdata_write_compressed(w, level), 0);
	while (!(err = perfdata_write(w, records, 40000)))
		taken += 40000;
	assert_int_equal(err, PERFDATA_WRITE_FULL);
	assert_true(perfdata_write_is_full(w));
	assert_int_equal(perfdata_write(w, records, 8), PERFDATA_WRITE_FULL);
	perfdata_write_last(w);
	assert_int_equal(perfdata_write(w, &last, sizeof(last)), 0);
	assert_int_equal(perfdata_write_feature(w, 3, "feature", 7), 0);
	len = perfdata_write_finish(w);
	assert_true(len <= disk);
	assert_true(len + (5 << 20) > disk);
	assert_int_equal(content("f", file, sizeof(file)), len);
	if (level)
		return;
	assert_int_equal(head->data.size, taken + 8);
	assert_memory_equal(file + head->data.offset + taken, &last, 8);
	assert_memory_equal(file + len - 7, "feature", 7);
}

static void test_a_full_disk(void **state)
{
	(void)state;
	write_one("f", "before..");
	disk = 1 << 20;
	assert_null(perfdata_write_open("f", events, 2));
	assert_false(is_there("f.partial"));
	assert_true(holds("f", "before.."));
	disk = 5 << 20;
	write_until_full(0);
	disk = 12 << 20;
	write_until_full(0);
	disk = 6 << 20;
	write_until_full(1);
	disk = UINT64_MAX;
}

/* A disk that fails after the first records: /dev/full replaces the file's descriptor. */
static void test_a_disk_that_fails_later(void **state)
{
	struct perfdata_writer *w = perfdata_write_open("bad", events, 2);
	const struct perfdata_header *head;
	char records[48], file[4096];
	int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
	struct stat ours, other;

	(void)state;
	memset(records, 'r', sizeof(records));
	assert_non_null(w);
	assert_true(full >= 0);
	assert_int_equal(perfdata_write(w, records, sizeof(records)), 0);
	assert_int_equal(perfdata_write_out(w), 0);
	assert_int_equal(stat("bad.partial", &ours), 0);
	for (int fd = 3; fd < 64; fd++)
		if (!fstat(fd, &other) && other.st_ino == ours.st_ino && other.st_dev == ours.st_dev)
			assert_int_equal(dup2(full, fd), fd);
	close(full);
	assert_int_equal(perfdata_write(w, records, sizeof(records)), 0);
	assert_int_equal(perfdata_write_finish(w), -1);
	assert_false(is_there("bad"));
	/* The records that reached the disk stay, as after a killed recorder. */
	assert_true(is_there("bad.partial"));
	assert_in_range(content("bad.partial", file, sizeof(file)), 104 + 48, sizeof(file) - 1);
	head = (const void *)file;
	assert_int_equal(head->data.size, 0);
	assert_memory_equal(file + head->data.offset, records, 48);

	/* And the next recording keeps it under another name. */
	w = perfdata_write_open("bad", events, 2);
	assert_non_null(w);
	assert_true(is_there("bad.killed"));
	perfdata_write_abort(w);
	assert_false(is_there("bad.partial"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_disk_that_is_full_at_once),
		cmocka_unit_test(test_a_full_disk),
		cmocka_unit_test(test_a_disk_that_fails_later),
	};

	return cmocka_run_group_tests_name("perfdata_disk", tests, setup,
					   teardown);
}
