// SPDX-License-Identifier: GPL-2.0
/* Expands compressed records into a temporary file. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

#include "base/err.h"
#include "base/tempfile.h"
#include "perfdata/pack.h"
#include "perfdata/parse.h"

#define UNPACK_BUFFER		(1 << 20)

struct unpack {
	const char *path;
	char *why;			/* for a temporary file */
	const unsigned char *data;
	uint64_t len, at, most;
	bool cut;			/* the last record may be incomplete */
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
	if (u->size > u->most)
		return err_fail("%s: its records expand to more than %llu bytes, more than "
				"samples can: damaged",
				u->path, (unsigned long long)u->most);
	return !len || fwrite(data, len, 1, u->file) ? 0 : temporary_failed(u->why);
}

static int unpack_zstd(struct unpack *u, const unsigned char *data, size_t len)
{
	ZSTD_inBuffer in = { data, len, 0 };
	ZSTD_outBuffer out;

	do {
		out = (ZSTD_outBuffer){ u->buffer, UNPACK_BUFFER, 0 };
		if (ZSTD_isError(ZSTD_decompressStream(u->zstd, &out, &in)))
			return unpack_damaged(u, "is not zstd data");
		if (unpack_put(u, u->buffer, out.pos))
			return -1;
	} while (in.pos < in.size || out.pos == out.size);
	return 0;
}

/* Returns the size of one record in the section, or 0 with a message. */
static uint64_t unpack_record(struct unpack *u)
{
	const unsigned char *record = u->data + u->at;
	uint64_t left, size, skip;
	struct perf_event_header header;
	const char *wrong;

	size = perfdata_record_size(record, u->len - u->at, &wrong);
	if (!size && u->cut && perfdata_record_cut(record, u->len - u->at))
		return u->len - u->at;
	if (!size)
		return unpack_damaged(u, wrong), 0;
	memcpy(&header, record, sizeof(header));
	skip = sizeof(header);
	left = size - skip;
	if (header.type == PERFDATA_RECORD_COMPRESSED2) {
		/* Padded: the first word is the number of valid bytes. */
		skip += 8;
		if (size < skip || perfdata_u64(record + 8) > size - skip)
			return unpack_damaged(u, "has a wrong size"), 0;
		left = perfdata_u64(record + 8);
	} else if (header.type != PERFDATA_RECORD_COMPRESSED) {
		return unpack_put(u, record, size) ? 0 : size;
	}
	return unpack_zstd(u, record + skip, left) ? 0 : size;
}

static const unsigned char *unpack_all(struct unpack *u)
{
	const uint64_t in_page = (uintptr_t)u->data % sysconf(_SC_PAGESIZE);
	uint64_t forgotten = 0;

	for (uint64_t size; u->at < u->len; u->at += size) {
		size = unpack_record(u);
		if (!size)
			return NULL;
		perfdata_forget(u->data - in_page, &forgotten, in_page + u->at);
	}
	/* The packed bytes are not needed any more. */
	madvise((void *)(u->data - in_page), in_page + u->len, MADV_DONTNEED);
	/* An empty mapping is an error. */
	if (!u->size && unpack_damaged(u, "is incomplete, and no other follows"))
		return NULL;
	return temporary_map(u->file, u->why, u->size);
}

const unsigned char *perfdata_unpack(const char *path, const unsigned char *data,
				     uint64_t len, bool cut, uint64_t *size)
{
	struct unpack u = { .path = path, .data = data, .len = len, .cut = cut };
	const unsigned char *map = NULL;

	u.most = len > PERFDATA_UNPACK_MOST / PERFDATA_UNPACK_RATIO ?
		 len * PERFDATA_UNPACK_RATIO : PERFDATA_UNPACK_MOST;
	u.zstd = ZSTD_createDStream();
	u.buffer = malloc(UNPACK_BUFFER);
	if (asprintf(&u.why, "%s: its records are compressed", path) < 0)
		u.why = NULL;
	if (!u.zstd || !u.buffer || !u.why)
		err_fail("out of memory");
	else if ((u.file = temporary_open(u.why)))
		map = unpack_all(&u);
	if (u.file)
		fclose(u.file);
	free(u.buffer);
	free(u.why);
	ZSTD_freeDStream(u.zstd);
	*size = u.size;
	return map;
}
