/* SPDX-License-Identifier: GPL-2.0 */
/* For the tests of ctl/perfdata/write.c: a folder to write to, small files and what they hold,
 * and records to fill larger ones. */
#ifndef WRITTEN_FIXTURE_H
#define WRITTEN_FIXTURE_H

#include <stdbool.h>
#include <unistd.h>

#include "perfdata/write.h"
#include "test.h"

static char dir[] = "/tmp/perfdata_write_test.XXXXXX";
static const uint64_t ids[] = { 7, 8, 9 };
static const struct perfdata_event events[2] = {
	{ .attr = { .type = PERF_TYPE_RAW, .config = 0xc0 }, .name = "a",
	  .ids = ids, .nr_ids = 1 },
	{ .attr = { .type = PERF_TYPE_SOFTWARE }, .name = "b",
	  .ids = ids + 1, .nr_ids = 2 },
};

static inline bool is_there(const char *path)
{
	return !access(path, F_OK);
}

static inline size_t content(const char *path, char *bytes, size_t size)
{
	FILE *file = fopen(path, "r");
	size_t len;

	assert_non_null(file);
	len = fread(bytes, 1, size, file);
	fclose(file);
	return len;
}

static inline void write_one(const char *path, const char *records)
{
	struct perfdata_writer *w = perfdata_write_open(path, events, 1);

	assert_non_null(w);
	assert_int_equal(perfdata_write(w, records, 8), 0);
	assert_true(perfdata_write_finish(w) > 0);
}

static inline bool holds(const char *path, const char *records)
{
	char file[512];
	size_t len = content(path, file, sizeof(file));

	return memmem(file, len, records, 8);
}

/* Records of 8 to 65528 bytes: some that compress well, some not at all. */
static inline size_t make_records(char *records, size_t size)
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

static inline int setup(void **state)
{
	(void)state;
	return !mkdtemp(dir) || chdir(dir);
}

static inline int teardown(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", dir);
	return system(command);
}

#endif
