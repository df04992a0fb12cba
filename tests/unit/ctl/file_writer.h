/* SPDX-License-Identifier: GPL-2.0 */
/* Builds perf.data files and records byte by byte, from the format's description
 * and not with the project's own writer. */
#ifndef ANALYSIS_FILE_WRITER_H
#define ANALYSIS_FILE_WRITER_H

#include <unistd.h>

#include "perfdata/format.h"
#include "test.h"

struct bytes {
	unsigned char data[65536];
	size_t nr;
};

static inline void put(struct bytes *b, const void *p, size_t n)
{
	assert_true(b->nr + n <= sizeof(b->data));
	memcpy(b->data + b->nr, p, n);
	b->nr += n;
}

static inline void put_u64(struct bytes *b, uint64_t v)
{
	put(b, &v, 8);
}

static inline void put_u32(struct bytes *b, uint32_t v)
{
	put(b, &v, 4);
}

/* A NUL-padded string, a multiple of 8 bytes. */
static inline void put_name(struct bytes *b, const char *name)
{
	static const char zero[8];
	size_t len = strlen(name) + 1;

	put(b, name, len);
	put(b, zero, (8 - len % 8) % 8);
}

static inline size_t record_begin(struct bytes *b, uint32_t type, uint16_t misc)
{
	struct perf_event_header h = { .type = type, .misc = misc };
	size_t at = b->nr;

	put(b, &h, sizeof(h));
	return at;
}

static inline void record_end(struct bytes *b, size_t at)
{
	uint16_t size = b->nr - at;

	memcpy(b->data + at + offsetof(struct perf_event_header, size), &size, 2);
}

/* Header, one event with one id, the records, and no features. */
static inline void file_put(struct bytes *file, const struct perf_event_attr *attr,
			    uint64_t id, const struct bytes *records)
{
	struct perfdata_header h = {
		.magic = PERFDATA_MAGIC, .size = sizeof(h),
		.attr_size = PERF_ATTR_SIZE_VER5 + 16,
		.attrs = { sizeof(h) + 8, PERF_ATTR_SIZE_VER5 + 16 },
		.data = { sizeof(h) + 8 + PERF_ATTR_SIZE_VER5 + 16, records->nr },
	};

	file->nr = 0;
	put(file, &h, sizeof(h));
	put_u64(file, id);
	put(file, attr, PERF_ATTR_SIZE_VER5);
	put_u64(file, sizeof(h));
	put_u64(file, 8);
	put(file, records->data, records->nr);
}

static inline void file_write(const char *path, const void *data, size_t nr)
{
	FILE *out = fopen(path, "w");

	assert_non_null(out);
	assert_int_equal(fwrite(data, 1, nr, out), nr);
	assert_int_equal(fclose(out), 0);
}

#endif
