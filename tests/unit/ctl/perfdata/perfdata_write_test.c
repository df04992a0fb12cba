// SPDX-License-Identifier: GPL-2.0
/* ctl/perfdata/write.c: the file's layout, and that a part never gets the name
 * of the whole. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#include "perfdata/pack.h"
#include "perfdata/write.h"

static char dir[] = "/tmp/perfdata_write_test.XXXXXX";
static const uint64_t ids[] = { 7, 8, 9 };
static const struct perfdata_event events[2] = {
	{ .attr = { .type = PERF_TYPE_RAW, .config = 0xc0 }, .name = "a",
	  .ids = ids, .nr_ids = 1 },
	{ .attr = { .type = PERF_TYPE_SOFTWARE }, .name = "b",
	  .ids = ids + 1, .nr_ids = 2 },
};

static bool is_there(const char *path)
{
	return !access(path, F_OK);
}

static size_t content(const char *path, char *bytes, size_t size)
{
	FILE *file = fopen(path, "r");
	size_t len;

	assert_non_null(file);
	len = fread(bytes, 1, size, file);
	fclose(file);
	return len;
}

static void test_layout(void **state)
{
	struct perfdata_writer *w = perfdata_write_open("p", events, 2);
	const struct perfdata_section *section;
	const struct perfdata_header *head;
	char records[48], file[4096];
	struct perf_event_attr *attr;
	size_t len;

	(void)state;
	memset(records, 'r', sizeof(records));
	assert_non_null(w);
	assert_false(is_there("p"));
	assert_int_equal(perfdata_write(w, records, sizeof(records)), 0);
	/* In another order than that of the bits. */
	assert_int_equal(perfdata_write_feature(w, 21, "late", 4), 0);
	assert_int_equal(perfdata_write_feature(w, 2, "old", 3), 0);
	assert_int_equal(perfdata_write_feature(w, 2, "early", 5), 0);
	assert_int_equal(perfdata_write_feature(w, 15, "", 0), 0);
	len = perfdata_write_finish(w);
	assert_true(is_there("p"));
	assert_false(is_there("p.partial"));
	assert_int_equal(content("p", file, sizeof(file)), len);

	head = (const void *)file;
	assert_memory_equal(file, "PERFILE2", 8);
	assert_int_equal(head->size, 104);
	assert_int_equal(head->attr_size, 112 + 16);
	assert_int_equal(head->attrs.size, 2 * (112 + 16));
	assert_int_equal(head->data.size, 48);
	assert_memory_equal(file + head->data.offset, records, 48);
	assert_int_equal(head->features[0], 1 << 2 | 1 << 15 | 1 << 21);

	attr = (void *)(file + head->attrs.offset);
	assert_int_equal(attr->size, 112);
	assert_int_equal(attr->config, 0xc0);
	section = (const void *)(file + head->attrs.offset + 128 + 112);
	assert_int_equal(section->size, 16);
	assert_memory_equal(file + section->offset, ids + 1, 16);

	section = (const void *)(file + head->data.offset + 48);
	assert_int_equal(section[0].size, 5);
	assert_memory_equal(file + section[0].offset, "early", 5);
	assert_int_equal(section[1].size, 0);
	assert_memory_equal(file + section[2].offset, "late", 4);
	assert_int_equal(section[2].offset + 4, len);
}

static void write_one(const char *path, const char *records)
{
	struct perfdata_writer *w = perfdata_write_open(path, events, 1);

	assert_non_null(w);
	assert_int_equal(perfdata_write(w, records, 8), 0);
	assert_true(perfdata_write_finish(w) > 0);
}

static bool holds(const char *path, const char *records)
{
	char file[512];
	size_t len = content(path, file, sizeof(file));

	return memmem(file, len, records, 8);
}

static void test_the_last_one_is_kept(void **state)
{
	(void)state;
	write_one("k", "first...");
	write_one("k", "second..");
	assert_true(holds("k", "second.."));
	assert_true(holds("k.old", "first..."));
}

static void test_giving_up_leaves_the_last_one(void **state)
{
	struct perfdata_writer *w;

	(void)state;
	write_one("g", "first...");
	w = perfdata_write_open("g", events, 2);
	assert_non_null(w);
	perfdata_write(w, "second..", 8);
	perfdata_write_abort(w);
	assert_true(holds("g", "first..."));
	assert_false(is_there("g.partial"));
	assert_false(is_there("g.old"));
}

static void test_two_at_a_time(void **state)
{
	struct perfdata_writer *w = perfdata_write_open("t", events, 2);

	(void)state;
	assert_non_null(w);
	assert_null(perfdata_write_open("t", events, 2));
	assert_int_equal(perfdata_write(w, "mine....", 8), 0);
	assert_true(perfdata_write_finish(w) > 0);
	assert_true(holds("t", "mine...."));
}

/* The next recording neither reads nor destroys it. */
static void test_what_a_killed_one_left_is_kept(void **state)
{
	struct perfdata_writer *w;
	pid_t pid = fork();
	int status;

	(void)state;
	if (!pid) {
		w = perfdata_write_open("o", events, 2);
		perfdata_write(w, "killed..", 8);
		perfdata_write_out(w);
		raise(SIGKILL);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_true(holds("o.partial", "killed.."));
	write_one("o", "whole...");
	assert_true(holds("o", "whole..."));
	assert_true(holds("o.killed", "killed.."));
	assert_false(is_there("o.partial"));
	/* One that is empty is not worth keeping. */
	assert_int_equal(close(open("e.partial", O_WRONLY | O_CREAT, 0600)), 0);
	write_one("e", "whole...");
	assert_false(is_there("e.killed"));
	assert_false(is_there("e.partial"));
}

static void test_names_that_cannot_be_written(void **state)
{
	(void)state;
	assert_int_equal(mkdir("d", 0700), 0);
	assert_null(perfdata_write_open("d", events, 2));
	assert_null(perfdata_write_open("none/p", events, 2));
	assert_null(perfdata_write_open("/dev/full", events, 2));
	assert_false(is_there("d.partial"));
	/* Nobody makes us write through a link that he put there. */
	assert_int_equal(symlink("elsewhere", "l.partial"), 0);
	assert_null(perfdata_write_open("l", events, 2));
	assert_false(is_there("elsewhere"));
}

/* A limit that nobody tells of in time. Room for the records and not for what comes behind
 * them, or not even that:
 * the error comes at the latest when the file is finished. */
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
		/* Of records that the disk has a part of that part stays. */
		if (limits[i] < 4096)
			assert_false(is_there("f.partial"));
		unlink("f.partial");
	}
}

static int setup(void **state)
{
	(void)state;
	return !mkdtemp(dir) || chdir(dir);
}

static int teardown(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", dir);
	return system(command);
}

/* What is known before the first record is in the file before it, for a reader of a file
 * that is never finished. */
static void test_early_features(void **state)
{
	struct perfdata_writer *w = perfdata_write_open("early", events, 2);
	const struct perfdata_header *head;
	const uint64_t *early;
	char file[4096];

	(void)state;
	assert_int_equal(perfdata_write_feature(w, 28, "before...", 9), 0);
	assert_int_equal(perfdata_write(w, "records.", 8), 0);
	assert_int_equal(perfdata_write_feature(w, 3, "behind", 6), 0);
	assert_int_equal(perfdata_write_out(w), 0);
	content("early.partial", file, sizeof(file));
	head = (const void *)file;
	assert_int_equal(head->data.size, 0);
	assert_int_equal(head->features[0], 0);
	early = (const void *)(file + head->attrs.offset + head->attrs.size);
	assert_memory_equal(early, "LBREARLY", 8);
	assert_int_equal(early[1], 4 * 8 + 16);
	assert_int_equal((const char *)early + early[1] - file, head->data.offset);
	assert_int_equal(early[2], 28);
	assert_int_equal(early[3], 9);
	assert_memory_equal(early + 4, "before...\0\0\0\0\0\0", 16);
	assert_memory_equal(file + head->data.offset, "records.", 8);
	perfdata_write_abort(w);
}

/* A fork has what was written up to then, each goes on by itself. */
static void test_a_fork(void **state)
{
	struct perfdata_writer *w = perfdata_write_open("one", events, 2), *fork;
	static char records[3 << 20], file[4 << 20];
	const struct perfdata_header *head = (const void *)file;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(records); i++)
		records[i] = i * i >> 7;
	for (i = 0; i < sizeof(records); i += 8)
		assert_int_equal(perfdata_write(w, records + i, 8), 0);
	fork = perfdata_write_fork(w, "two");
	assert_non_null(fork);
	assert_int_equal(perfdata_write(fork, "fork", 4), 0);
	assert_int_equal(perfdata_write(w, "root", 4), 0);
	assert_true(perfdata_write_finish(fork) > 0);
	assert_true(is_there("two"));
	assert_false(is_there("one"));
	assert_true(perfdata_write_finish(w) > 0);

	content("two", file, sizeof(file));
	assert_int_equal(head->data.size, sizeof(records) + 4);
	assert_memory_equal(file + head->data.offset, records, sizeof(records));
	assert_memory_equal(file + head->data.offset + sizeof(records), "fork", 4);
	content("one", file, sizeof(file));
	assert_int_equal(head->data.size, sizeof(records) + 4);
	assert_memory_equal(file + head->data.offset, records, sizeof(records));
	assert_memory_equal(file + head->data.offset + sizeof(records), "root", 4);

	w = perfdata_write_open("one", events, 2);
	assert_null(perfdata_write_fork(w, "/no/such/folder/two"));
	perfdata_write_abort(w);
}

/* Records of 8 to 65528 bytes: some that compress well, some not at all. */
static size_t make_records(char *records, size_t size)
{
	struct perf_event_header header = { .type = PERF_RECORD_LOST };
	uint64_t noise = 1;
	size_t len = 0, i;
	unsigned int n;

	for (n = 0;; n++) {
		header.size = n % 61 ? 8 + n % 50 * 8 : n % 122 ? 65528 : 40000;
		if (len + header.size > size)
			return len;
		memcpy(records + len, &header, sizeof(header));
		for (i = sizeof(header); i < header.size; i++) {
			noise = noise * 6364136223846793005ULL + 1;
			records[len + i] = n % 3 ? 'a' + n % 7 : noise >> 56;
		}
		len += header.size;
	}
}

/* The disk, of which the writer makes sure. */
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

/* What was taken before the disk was full is finished, with a few words more, in no more
 * room than there is. */
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

/* What comes out is what went in, byte by byte, of a fork as well; and perf finds no
 * record that expands to more than the header says. */
static void test_compressed(void **state)
{
	static char records[4 << 20], file[4 << 20];
	const struct perfdata_header *head = (const void *)file;
	struct perfdata_writer *w = perfdata_write_open("z", events, 2), *fork;
	size_t len = make_records(records, sizeof(records)), at = 0, half = 0;
	const struct perf_event_header *header;
	const struct perfdata_section *section;
	const unsigned char *unpacked;
	const uint32_t *compressed;
	uint64_t size;

	(void)state;
	assert_int_equal(perfdata_write_compressed(w, 1), 0);
	while (at < len) {
		header = (const void *)(records + at);
		if (at > len / 2 && !half) {
			half = at;
			fork = perfdata_write_fork(w, "zz");
			assert_non_null(fork);
			assert_int_equal(perfdata_write(fork, "\1\0\0\0\0\0\10\0", 8), 0);
			assert_true(perfdata_write_finish(fork) > 0);
		}
		assert_int_equal(perfdata_write(w, header, header->size), 0);
		at += header->size;
	}
	assert_true(perfdata_write_finish(w) > 0);

	content("z", file, sizeof(file));
	assert_true(head->features[0] & 1 << 27);
	/* perf record writes version 0 (comp_ver is never set), and hotspot 1.6 reads no other. */
	section = (const void *)(file + head->data.offset + head->data.size);
	section += __builtin_popcountll(head->features[0] & ((1 << 27) - 1));
	compressed = (const void *)(file + section->offset);
	assert_int_equal(compressed[0], 0);
	assert_int_equal(compressed[1], 1);
	assert_int_equal(compressed[2], 1);
	assert_true(head->data.size < len * 2 / 3);
	unpacked = perfdata_unpack("z", (void *)(file + head->data.offset),
				   head->data.size, false, &size);
	assert_non_null(unpacked);
	assert_int_equal(size, len);
	assert_memory_equal(unpacked, records, len);
	munmap((void *)unpacked, size);
	/* Cut off, it is no whole, or all but the last record; and no zstd data is none. What
	 * was unpacked is given back to the system, so it is read again. */
	content("z", file, sizeof(file));
	assert_null(perfdata_unpack("z", (void *)(file + head->data.offset),
				    head->data.size - 1, false, &size));
	content("z", file, sizeof(file));
	unpacked = perfdata_unpack("z", (void *)(file + head->data.offset),
				   head->data.size - 1, true, &size);
	assert_non_null(unpacked);
	assert_in_range(size, len - PERFDATA_PACK_CHUNK, len - 1);
	assert_memory_equal(unpacked, records, size);
	munmap((void *)unpacked, size);
	content("z", file, sizeof(file));
	file[head->data.offset + 8] ^= 1;
	assert_null(perfdata_unpack("z", (void *)(file + head->data.offset),
				    head->data.size, false, &size));

	content("zz", file, sizeof(file));
	unpacked = perfdata_unpack("zz", (void *)(file + head->data.offset),
				   head->data.size, false, &size);
	assert_int_equal(size, half + 8);
	assert_memory_equal(unpacked, records, half);
	munmap((void *)unpacked, size);
}

/* A disk that fails after a while: its errors are those of /dev/full, put in the file's place. */
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
	/* What was safe before stays, as of a recorder that was killed. */
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
		cmocka_unit_test(test_layout),
		cmocka_unit_test(test_early_features),
		cmocka_unit_test(test_the_last_one_is_kept),
		cmocka_unit_test(test_giving_up_leaves_the_last_one),
		cmocka_unit_test(test_two_at_a_time),
		cmocka_unit_test(test_what_a_killed_one_left_is_kept),
		cmocka_unit_test(test_names_that_cannot_be_written),
		cmocka_unit_test(test_a_disk_that_is_full_at_once),
		cmocka_unit_test(test_a_full_disk),
		cmocka_unit_test(test_a_disk_that_fails_later),
		cmocka_unit_test(test_a_fork),
		cmocka_unit_test(test_compressed),
	};

	return cmocka_run_group_tests_name("perfdata_write", tests, setup,
					   teardown);
}
