// SPDX-License-Identifier: GPL-2.0
/* ctl/perfdata/view.c: the bytes that a reader asks for are those of the file, however it moves. */
#include "test.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "perfdata/view.h"

#define SIZE	(24UL << 20)
#define RECORD	(64UL << 10)

static unsigned char *bytes;
static int fd;

static int setup(void **state)
{
	char path[] = "/tmp/view_test.XXXXXX";

	(void)state;
	fd = mkstemp(path);
	if (fd < 0 || unlink(path) || ftruncate(fd, SIZE))
		return -1;
	bytes = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (bytes == MAP_FAILED)
		return -1;
	srandom(1);
	for (size_t i = 0; i < SIZE; i += 4)
		memcpy(bytes + i, &(uint32_t){ random() }, 4);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	munmap(bytes, SIZE);
	return close(fd);
}

static struct perfdata_view view_of(uint64_t at)
{
	return (struct perfdata_view){ .path = "capture", .map = bytes, .fd = fd, .from = at, .to = at };
}

/* Reads up to `end`; each record has up to `most` bytes, and up to `behind` bytes in front of one are kept. */
static void read_all(uint64_t end, uint64_t most, uint64_t behind)
{
	struct perfdata_view v = view_of(0);
	uint64_t at = 0, keep = 0, to;

	while (at < end) {
		if (at + RECORD > v.to && v.to != end)
			assert_int_equal(perfdata_view_move(&v, keep, at, RECORD, end), 0);
		to = at + RECORD < end ? at + RECORD : end;
		assert_true(v.from <= keep && v.to >= to);
		assert_memory_equal(perfdata_view_at(&v, keep), bytes + keep, to - keep);
		at += 1 + random() % most;
		keep = at > behind && keep < at - behind ? at - behind : keep;
	}
	perfdata_view_free(&v);
}

static void moves(void **state)
{
	(void)state;
	read_all(100, 10, 0);
	read_all(SIZE / 8, 300, 0);
	read_all(SIZE, RECORD, 0);
	read_all(SIZE - 77, RECORD, 3 * RECORD);
	read_all(SIZE, RECORD, 2UL << 20);
	/* Traces that are passed over. */
	read_all(SIZE, 1UL << 20, 0);
	read_all(SIZE, 1UL << 20, 3UL << 20);
	/* More than a buffer may keep. */
	read_all(SIZE, 2 * RECORD, 12UL << 20);
}

/* The bytes behind those that were read are gone. */
static void shrinks(void **state)
{
	struct perfdata_view v = view_of(0);
	uint64_t at = 0;
	int ret = 0;

	(void)state;
	for (; !ret && at + RECORD < SIZE; at += RECORD) {
		if (at == 4 * RECORD)
			assert_int_equal(ftruncate(fd, SIZE / 2), 0);
		if (at + RECORD > v.to)
			ret = perfdata_view_move(&v, at, at, RECORD, SIZE);
	}
	assert_int_equal(ret, -1);
	assert_true(at <= SIZE / 2 + RECORD);
	perfdata_view_free(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(moves),
		cmocka_unit_test(shrinks),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
