// SPDX-License-Identifier: GPL-2.0
/* Writes a perf.data file. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/err.h"
#include "perfdata/writer.h"

/* Whether the file has records although its disk has failed: it stays, as after a kill. */
static bool perfdata_write_is_kept(const struct perfdata_writer *w)
{
	return w->failed && w->begun && w->written > w->header.data.offset;
}

static int perfdata_write_failed(struct perfdata_writer *w)
{
	w->failed = true;
	if (perfdata_write_is_kept(w))
		return err_fail("writing %s: %s; what was written before is in %s, -i %s reads it",
				w->path, strerror(errno), w->partial, w->partial);
	return err_fail("writing %s: %s; the capture was removed", w->path, strerror(errno));
}

static int perfdata_write_fd(struct perfdata_writer *w, const char *data,
			     size_t len)
{
	ssize_t n;

	while (len && !w->failed) {
		n = write(w->fd, data, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			if (!n)
				errno = ENOSPC;
			perfdata_write_failed(w);
			break;
		}
		data += n;
		len -= n;
		w->written += n;
	}
	return w->failed ? -1 : 0;
}

/* Reserves len bytes, and the reserve behind them. If the file system cannot reserve space, a
 * full disk is an error like any other. */
static int perfdata_write_reserve(struct perfdata_writer *w, size_t len)
{
	uint64_t need = w->written + len + PERFDATA_RESERVE;

	if (w->full)
		return PERFDATA_WRITE_FULL;
	if (need <= w->reserved)
		return 0;
	if (!fallocate(w->fd, FALLOC_FL_KEEP_SIZE, w->written,
		       need - w->written + PERFDATA_RESERVE)) {
		w->reserved = need + PERFDATA_RESERVE;
		return 0;
	}
	if (errno != ENOSPC && errno != EDQUOT && errno != EFBIG) {
		w->reserved = UINT64_MAX;
		return 0;
	}
	w->full = true;
	err_fail(w->written ? "writing %s: %s; the recording ends here" :
		 "writing %s: %s: no room for the first megabytes",
		 w->path, strerror(errno));
	return PERFDATA_WRITE_FULL;
}

static int perfdata_write_flush(struct perfdata_writer *w)
{
	size_t len = w->fill;

	w->fill = 0;
	return perfdata_write_fd(w, w->buffer, len);
}

static int perfdata_write_bytes(void *writer, const void *bytes, size_t len)
{
	struct perfdata_writer *w = writer;

	if (len > sizeof(w->buffer) - w->fill && perfdata_write_flush(w))
		return -1;
	if (len > sizeof(w->buffer))
		return perfdata_write_fd(w, bytes, len);
	if (bytes != w->buffer + w->fill)
		memcpy(w->buffer + w->fill, bytes, len);
	w->fill += len;
	return w->failed ? -1 : 0;
}

int perfdata_write_feature(struct perfdata_writer *w, unsigned int feature,
			   const void *data, size_t len)
{
	struct perfdata_feature_data *f = &w->features[feature];
	void *copy = malloc(len + 1);

	if (!copy)
		return err_fail("out of memory");
	memcpy(copy, data, len);
	free(f->data);
	*f = (struct perfdata_feature_data){ copy, len, true };
	w->header.features[0] |= 1ULL << feature;
	return 0;
}

/*
 * HEADER_COMPRESSED, five u32: version, type (1: zstd), level, ratio, and the most bytes that
 * one record expands to, which its reader allocates. The version is 0, as perf's: its
 * comp_ver is never set, and hotspot's parser refuses any other.
 */
static int perfdata_write_compression(struct perfdata_writer *w)
{
	uint64_t in, out;
	uint32_t feature[5] = { 0, 1, w->level };

	if (!w->pack)
		return 0;
	perfdata_pack_sums(w->pack, &in, &out);
	feature[3] = out ? (in + out / 2) / out : 1;
	feature[4] = PERFDATA_PACK_CHUNK;
	return perfdata_write_feature(w, PERFDATA_COMPRESSED, feature,
				      sizeof(feature));
}

/* Header, ids and attrs. */
static void perfdata_write_tables(struct perfdata_writer *w, uint64_t early)
{
	const size_t attr_size = PERF_ATTR_SIZE_VER5;
	const struct perfdata_event *events = w->events;
	struct perfdata_section ids = { .offset = sizeof(w->header) };
	struct perf_event_attr attr;
	uint64_t offset = ids.offset, features = w->header.features[0];
	unsigned int nr = w->nr_events, i;

	for (i = 0; i < nr; i++)
		offset += events[i].nr_ids * sizeof(uint64_t);
	w->header = (struct perfdata_header) {
		.magic = PERFDATA_MAGIC,
		.size = sizeof(w->header),
		.attr_size = attr_size + sizeof(ids),
		.attrs = { offset, nr * (attr_size + sizeof(ids)) },
	};
	w->header.data.offset = offset + w->header.attrs.size + early;

	/* This header announces no features: their sections come last. */
	perfdata_write_bytes(w, &w->header, sizeof(w->header));
	w->header.features[0] = features;
	for (i = 0; i < nr; i++)
		perfdata_write_bytes(w, events[i].ids,
			       events[i].nr_ids * sizeof(uint64_t));
	for (i = 0; i < nr; i++) {
		attr = events[i].attr;
		attr.size = attr_size;
		ids.size = events[i].nr_ids * sizeof(uint64_t);
		perfdata_write_bytes(w, &attr, attr_size);
		perfdata_write_bytes(w, &ids, sizeof(ids));
		ids.offset += ids.size;
	}
}

/* Writes the features that are known so far, for a reader of a file that is never finished. */
static void perfdata_write_early(struct perfdata_writer *w, uint64_t size)
{
	static const char zeros[8];
	uint64_t head[2] = { PERFDATA_EARLY_MAGIC, size };
	unsigned int i;

	perfdata_write_bytes(w, head, sizeof(head));
	for (i = 0; i < PERFDATA_WRITE_FEATURES; i++) {
		const struct perfdata_feature_data *f = &w->features[i];
		uint64_t entry[2] = { i, f->len };

		if (!f->set)
			continue;
		perfdata_write_bytes(w, entry, sizeof(entry));
		perfdata_write_bytes(w, f->data, f->len);
		perfdata_write_bytes(w, zeros, -f->len % 8);
	}
}

/* Writes everything that comes before the records. */
static int perfdata_write_begin(struct perfdata_writer *w)
{
	uint64_t early = 2 * sizeof(uint64_t);
	unsigned int i;

	if (w->begun)
		return 0;
	w->begun = true;
	if (perfdata_write_compression(w))
		return -1;
	for (i = 0; i < PERFDATA_WRITE_FEATURES; i++)
		if (w->features[i].set)
			early += 2 * sizeof(uint64_t) + ((w->features[i].len + 7) & ~7UL);
	perfdata_write_tables(w, early);
	perfdata_write_early(w, early);
	return perfdata_write_flush(w);
}

/* Compresses the waiting records. */
static int perfdata_write_packed(struct perfdata_writer *w)
{
	size_t len = w->waiting;

	w->waiting = 0;
	return len ? perfdata_pack(w->pack, w->chunk, len, perfdata_write_bytes,
				   w) : 0;
}

int perfdata_write_out(struct perfdata_writer *w)
{
	return perfdata_write_begin(w) || perfdata_write_packed(w) ? -1 :
	       perfdata_write_flush(w);
}

int perfdata_write(struct perfdata_writer *w, const void *records, size_t len)
{
	int full = perfdata_write_reserve(w, len);

	if (full)
		return full;
	if (perfdata_write_begin(w))
		return -1;
	if (!w->pack)
		return perfdata_write_bytes(w, records, len);
	if (len > PERFDATA_PACK_CHUNK - w->waiting && perfdata_write_packed(w))
		return -1;
	/* Callers write one or two records at a time. */
	if (len > PERFDATA_PACK_CHUNK)
		return perfdata_write_bytes(w, records, len);
	if (records != w->chunk + w->waiting)
		memmove(w->chunk + w->waiting, records, len);
	w->waiting += len;
	return w->failed ? -1 : 0;
}

/* perfdata_write() reports a failure here. */
void *perfdata_write_place(struct perfdata_writer *w)
{
	perfdata_write_begin(w);
	if (w->pack)
		return w->chunk + w->waiting;
	if (sizeof(w->buffer) - w->fill < PERFDATA_RECORD_MAX)
		perfdata_write_flush(w);
	return w->buffer + w->fill;
}

bool perfdata_write_is_full(const struct perfdata_writer *w)
{
	return w->full;
}

bool perfdata_write_room(const struct perfdata_writer *w)
{
	struct statvfs disk;

	return !fstatvfs(w->fd, &disk) &&
	       (uint64_t)disk.f_bavail * disk.f_frsize >= 4 * PERFDATA_RESERVE;
}

void perfdata_write_last(struct perfdata_writer *w)
{
	w->full = false;
	w->reserved = UINT64_MAX;
}

uint64_t perfdata_write_size(const struct perfdata_writer *w)
{
	return w->written + w->fill;
}

int perfdata_write_compressed(struct perfdata_writer *w, int level)
{
	w->level = level;
	w->pack = perfdata_pack_new(level);
	return w->pack ? 0 : err_fail("out of memory");
}

static void perfdata_write_free(struct perfdata_writer *w)
{
	unsigned int i;

	if (w->fd >= 0)
		close(w->fd);
	if (w->folder >= 0)
		close(w->folder);
	for (i = 0; i < PERFDATA_WRITE_FEATURES; i++)
		free(w->features[i].data);
	perfdata_pack_free(w->pack);
	free(w->path);
	free(w->partial);
	free(w);
}

struct perfdata_writer *perfdata_write_open(const char *path,
					    const struct perfdata_event *events,
					    unsigned int nr)
{
	struct perfdata_writer *w = calloc(1, sizeof(*w));

	if (!w) {
		err_fail("out of memory");
		return NULL;
	}
	w->fd = w->folder = -1;
	w->events = events;
	w->nr_events = nr;
	w->path = strdup(path);
	if (!w->path || asprintf(&w->partial, "%s.partial", path) < 0) {
		w->partial = NULL;
		err_fail("out of memory");
	} else if (!perfdata_write_create(w)) {
		if (!perfdata_write_reserve(w, 0))
			return w;
		unlink(w->partial);
	}
	perfdata_write_free(w);
	return NULL;
}

/* The other file begins with the same head, so that records lie at the same offsets. */
static int perfdata_write_copy(struct perfdata_writer *to,
			       struct perfdata_writer *from)
{
	uint64_t at = 0;
	ssize_t n;

	if (perfdata_write_out(from) || perfdata_write_reserve(to, from->written))
		return -1;
	to->begun = true;
	to->header = from->header;
	to->header.features[0] = 0;
	while (at < from->written) {
		n = pread(from->fd, to->buffer, sizeof(to->buffer), at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return err_errno("reading %s", from->partial);
		if (perfdata_write_fd(to, to->buffer, n))
			return -1;
		at += n;
	}
	return 0;
}

struct perfdata_writer *perfdata_write_fork(struct perfdata_writer *w,
					    const char *path)
{
	struct perfdata_writer *fork = perfdata_write_open(path, w->events,
							   w->nr_events);

	if (fork && ((w->pack && perfdata_write_compressed(fork, w->level)) ||
		     perfdata_write_copy(fork, w))) {
		perfdata_write_abort(fork);
		return NULL;
	}
	return fork;
}

/* The table of feature sections lies right behind the records, in the order of
 * the bits, and the sections behind it. */
static int perfdata_write_features(struct perfdata_writer *w)
{
	struct perfdata_section section;
	unsigned int i, nr = 0;

	for (i = 0; i < PERFDATA_WRITE_FEATURES; i++)
		nr += w->features[i].set;
	section.offset = w->written + nr * sizeof(section);
	for (i = 0; i < PERFDATA_WRITE_FEATURES; i++) {
		if (!w->features[i].set)
			continue;
		section.size = w->features[i].len;
		perfdata_write_bytes(w, &section, sizeof(section));
		section.offset += section.size;
	}
	for (i = 0; i < PERFDATA_WRITE_FEATURES; i++)
		if (w->features[i].set)
			perfdata_write_bytes(w, w->features[i].data,
				       w->features[i].len);
	return perfdata_write_flush(w);
}

/* Writes the final header over the first one, whose data size was 0. Returns unneeded reserved
 * space to the disk. */
static int perfdata_write_header(struct perfdata_writer *w)
{
	if (pwrite(w->fd, &w->header, sizeof(w->header), 0) !=
	    sizeof(w->header) || ftruncate(w->fd, w->written) || fsync(w->fd))
		return perfdata_write_failed(w);
	return 0;
}

int64_t perfdata_write_finish(struct perfdata_writer *w)
{
	int64_t size;

	if (perfdata_write_out(w) || perfdata_write_compression(w))
		goto failed;
	w->header.data.size = w->written - w->header.data.offset;
	if (perfdata_write_features(w) || perfdata_write_header(w) || perfdata_write_rename(w))
		goto failed;
	size = perfdata_write_sync_folder(w) ? -1 : (int64_t)w->written;
	perfdata_write_free(w);
	return size;

failed:
	perfdata_write_abort(w);
	return -1;
}

void perfdata_write_abort(struct perfdata_writer *w)
{
	if (!perfdata_write_is_kept(w) && unlink(w->partial))
		err_errno("removing the incomplete %s", w->partial);
	perfdata_write_free(w);
}
