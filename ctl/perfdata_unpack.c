// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

#include "err.h"
#include "perfdata_pack.h"
#include "perfdata_read.h"

#define UNPACK_DIRECTORY	"/var/tmp"	/* of files that are too large for memory */
#define UNPACK_BUFFER		(1 << 20)
#define UNPACK_AUXTRACE		71	/* its data follows and is not in its size */

struct unpack {
	const char *path;
	const unsigned char *data;
	uint64_t len, at;
	ZSTD_DStream *zstd;
	FILE *file;
	uint64_t size;
	unsigned char *buffer;
};

static int unpack_damaged(const struct unpack *u, const char *what)
{
	return err_fail("%s: the record at byte %llu of the data section %s: damaged",
			u->path, (unsigned long long)u->at, what);
}

static int unpack_put(struct unpack *u, const void *data, size_t len)
{
	u->size += len;
	if (!len || fwrite(data, len, 1, u->file))
		return 0;
	return err_fail("%s: its records are compressed, and writing them to a "
			"temporary file failed: %s; name a directory with more room "
			"in TMPDIR", u->path, strerror(errno));
}

static int unpack_zstd(struct unpack *u, const unsigned char *data, size_t len)
{
	ZSTD_inBuffer in = { data, len, 0 };
	ZSTD_outBuffer out;

	do {
		out = (ZSTD_outBuffer){ u->buffer, UNPACK_BUFFER, 0 };
		if (ZSTD_isError(ZSTD_decompressStream(u->zstd, &out, &in)))
			return unpack_damaged(u, "is no zstd data");
		if (unpack_put(u, u->buffer, out.pos))
			return -1;
	} while (in.pos < in.size || out.pos == out.size);
	return 0;
}

/* One record: its size in the section, or 0 with a message. */
static uint64_t unpack_record(struct unpack *u)
{
	const unsigned char *record = u->data + u->at;
	uint64_t left = u->len - u->at, size, skip;
	struct perf_event_header header;

	if (left < sizeof(header))
		return unpack_damaged(u, "is cut off"), 0;
	memcpy(&header, record, sizeof(header));
	size = header.size;
	if (size < sizeof(header) || size > left)
		return unpack_damaged(u, "has a wrong size"), 0;
	if (header.type == UNPACK_AUXTRACE) {
		if (size < 16 || perfdata_u64(record + 8) > left - size)
			return unpack_damaged(u, "has a wrong size"), 0;
		size += perfdata_u64(record + 8);
	}
	skip = sizeof(header);
	left = size - skip;
	if (header.type == PERFDATA_RECORD_COMPRESSED2) {
		/* Padded: its first word says how much of it is meant. */
		skip += 8;
		if (size < skip || perfdata_u64(record + 8) > size - skip)
			return unpack_damaged(u, "has a wrong size"), 0;
		left = perfdata_u64(record + 8);
	} else if (header.type != PERFDATA_RECORD_COMPRESSED) {
		return unpack_put(u, record, size) ? 0 : size;
	}
	return unpack_zstd(u, record + skip, left) ? 0 : size;
}

static int unpack_file(struct unpack *u)
{
	const char *directory = getenv("TMPDIR");
	int fd;

	if (!directory || !*directory)
		directory = UNPACK_DIRECTORY;
	fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd >= 0)
		u->file = fdopen(fd, "w+");
	if (u->file)
		return 0;
	err_fail("%s: its records are compressed, and a temporary file in %s for them "
		 "cannot be made: %s; name a directory in TMPDIR", u->path, directory,
		 strerror(errno));
	if (fd >= 0)
		close(fd);
	return -1;
}

static const unsigned char *unpack_all(struct unpack *u)
{
	void *map;

	for (uint64_t size; u->at < u->len; u->at += size) {
		size = unpack_record(u);
		if (!size)
			return NULL;
	}
	if (fflush(u->file)) {
		unpack_put(u, "", 1);
		return NULL;
	}
	/* An empty mapping is none. */
	if (!u->size && unpack_damaged(u, "is the last, and there is none"))
		return NULL;
	map = mmap(NULL, u->size, PROT_READ, MAP_PRIVATE, fileno(u->file), 0);
	if (map != MAP_FAILED)
		return map;
	err_errno("mapping what %s has", u->path);
	return NULL;
}

const unsigned char *perfdata_unpack(const char *path, const unsigned char *data,
				     uint64_t len, uint64_t *size)
{
	struct unpack u = { .path = path, .data = data, .len = len };
	const unsigned char *map = NULL;

	u.zstd = ZSTD_createDStream();
	u.buffer = malloc(UNPACK_BUFFER);
	if (!u.zstd || !u.buffer)
		err_fail("out of memory");
	else if (!unpack_file(&u))
		map = unpack_all(&u);
	if (u.file)
		fclose(u.file);
	free(u.buffer);
	ZSTD_freeDStream(u.zstd);
	*size = u.size;
	return map;
}
