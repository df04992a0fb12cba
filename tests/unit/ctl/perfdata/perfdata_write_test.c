// SPDX-License-Identifier: GPL-2.0
/* ctl/perfdata/write.c: the file's layout, and that only a finished file gets the final name. */
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "written_fixture.h"

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
	/* Not in the order of the bits. */
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

/* The next recording keeps the file of one that was killed under another name. */
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
	/* An empty one is removed. */
	assert_int_equal(close(open("e.partial", O_WRONLY | O_CREAT, 0600)), 0);
	write_one("e", "whole...");
	assert_false(is_there("e.killed"));
	assert_false(is_there("e.partial"));
}

/* Leaves a file of another user's at the name of a capture in progress. Returns a descriptor, with
 * which that user could read what is written. */
static int another_users(const char *partial, const char *text)
{
	int fd = open(partial, O_RDWR | O_CREAT | O_EXCL, 0666);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	assert_int_equal(fchown(fd, 12345, 12345), 0);
	assert_int_equal(fchmod(fd, 0666), 0);
	return fd;
}

/* In a folder where others may write, the capture is a new file, of the writer and for the writer alone. */
static void test_a_file_of_another_user_is_not_taken_over(void **state)
{
	static const struct {
		const char *name, *partial, *killed, *text;
	} cases[] = {
		{ "u", "u.partial", "u.killed", "" },
		{ "v", "v.partial", "v.killed", "others.." },
	};
	struct stat ours, theirs;
	int fd;

	(void)state;
	if (geteuid())
		skip();
	for (size_t i = 0; i < 2; i++) {
		fd = another_users(cases[i].partial, cases[i].text);
		write_one(cases[i].name, "secret..");
		assert_int_equal(stat(cases[i].name, &ours), 0);
		assert_int_equal(fstat(fd, &theirs), 0);
		assert_int_equal(close(fd), 0);
		assert_int_equal(ours.st_uid, 0);
		assert_int_equal(ours.st_mode & 07777, 0600);
		assert_int_not_equal(ours.st_ino, theirs.st_ino);
		assert_int_equal(theirs.st_size, strlen(cases[i].text));
		assert_int_equal(is_there(cases[i].killed), *cases[i].text != '\0');
		assert_false(is_there(cases[i].partial));
	}
}

/* Whoever holds the lock may be another lbrctl. */
static void test_a_locked_file_stays(void **state)
{
	int fd = open("w.partial", O_RDWR | O_CREAT | O_EXCL, 0600);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	assert_null(perfdata_write_open("w", events, 2));
	assert_true(is_there("w.partial"));
	assert_int_equal(close(fd), 0);
	write_one("w", "whole...");
	assert_false(is_there("w.partial"));
}

static void test_names_that_cannot_be_written(void **state)
{
	(void)state;
	assert_int_equal(mkdir("d", 0700), 0);
	assert_null(perfdata_write_open("d", events, 2));
	assert_null(perfdata_write_open("none/p", events, 2));
	assert_null(perfdata_write_open("/dev/full", events, 2));
	assert_false(is_there("d.partial"));
	/* A link is not followed. */
	assert_int_equal(symlink("elsewhere", "l.partial"), 0);
	assert_null(perfdata_write_open("l", events, 2));
	assert_false(is_there("elsewhere"));
	/* A pipe is not waited for, and nothing is written to it. */
	assert_int_equal(mkfifo("n.partial", 0600), 0);
	assert_null(perfdata_write_open("n", events, 2));
	assert_true(is_there("n.partial"));
}

/* Features that are known before the first record stand before it, for a reader of a file
 * that was never finished. */
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

/* A fork begins with a copy of the records so far. Then both go on independently. */
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layout),
		cmocka_unit_test(test_early_features),
		cmocka_unit_test(test_the_last_one_is_kept),
		cmocka_unit_test(test_giving_up_leaves_the_last_one),
		cmocka_unit_test(test_two_at_a_time),
		cmocka_unit_test(test_what_a_killed_one_left_is_kept),
		cmocka_unit_test(test_a_file_of_another_user_is_not_taken_over),
		cmocka_unit_test(test_a_locked_file_stays),
		cmocka_unit_test(test_names_that_cannot_be_written),
		cmocka_unit_test(test_a_fork),
	};

	return cmocka_run_group_tests_name("perfdata_write", tests, setup,
					   teardown);
}
