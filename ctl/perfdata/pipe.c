// SPDX-License-Identifier: GPL-2.0
/* Reads what perf writes into a pipe: records instead of tables. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/err.h"
#include "base/grow.h"
#include "base/tempfile.h"
#include "perfdata/parse.h"

#define PIPE_BUFFER	(1 << 20)

struct pipe {
	const char *path;
	struct perfdata_window records;
	struct perfdata_event *events;
	size_t nr, max;
	struct perfdata_info *info;
	bool compressed;
};

static int pipe_put(int fd, const char *path, const char *why, FILE *file, uint64_t *size)
{
	unsigned char *buffer = malloc(PIPE_BUFFER);
	ssize_t got;
	int err = 0;

	if (!buffer)
		return err_fail("out of memory");
	while (!err && (got = read(fd, buffer, PIPE_BUFFER))) {
		if (got > 0 && !fwrite(buffer, got, 1, file))
			err = temporary_failed(why);
		else if (got > 0)
			*size += got;
		else if (errno != EINTR)
			err = err_errno("reading %s", path);
	}
	free(buffer);
	return err;
}

const unsigned char *perfdata_pipe_copy(const char *path, int fd, uint64_t *size)
{
	const unsigned char *map = NULL;
	FILE *file = NULL;
	char *why;

	*size = 0;
	if (asprintf(&why, "%s: the file cannot be read twice", path) < 0) {
		err_fail("out of memory");
		return NULL;
	}
	file = temporary_open(why);
	if (file && !pipe_put(fd, path, why, file, size)) {
		if (*size)
			map = temporary_map(file, why, *size);
		else
			err_fail("%s: no data in the pipe; was it written by 'perf record -o -'?",
				 path);
	}
	if (file)
		fclose(file);
	free(why);
	return map;
}

static int pipe_damaged(const struct pipe *p, const unsigned char *record,
			const char *what)
{
	return err_fail("%s: the record at byte %llu %s: damaged", p->path,
			(unsigned long long)(PERFDATA_PIPE_SIZE + record - p->records.at),
			what);
}

static int pipe_event(struct pipe *p, const unsigned char *record, size_t size)
{
	const unsigned char *attr = record + sizeof(struct perf_event_header);
	size_t left = size - sizeof(struct perf_event_header), attr_size;

	if (left < PERF_ATTR_SIZE_VER0)
		return pipe_damaged(p, record, "is too short for an event");
	attr_size = perfdata_u32(attr + offsetof(struct perf_event_attr, size));
	if (attr_size < PERF_ATTR_SIZE_VER0 || attr_size > left)
		return pipe_damaged(p, record, "has an event of a wrong size");
	if (room_for(&p->events, p->nr + 1, &p->max, sizeof(*p->events)))
		return err_errno("reading %s", p->path);
	return perfdata_event_take(p->path, &p->events[p->nr++], attr, attr_size,
				   attr + attr_size, (left - attr_size) / 8);
}

static int pipe_feature(struct pipe *p, const unsigned char *record, size_t size)
{
	struct perfdata_window w = { record + sizeof(struct perf_event_header),
				     record + size, false };
	uint64_t feature = perfdata_take_u64(&w);

	p->compressed |= feature == PERFDATA_COMPRESSED;
	errno = 0;
	if (!w.failed && feature <= INT_MAX &&
	    !perfdata_feature_parse(feature, w, p->info, p->events, p->nr))
		return 0;
	return errno ? err_errno("reading %s", p->path) :
	       pipe_damaged(p, record, "has a feature that cannot be read");
}

/* Returns 1 when the description of the capture is complete. */
static int pipe_record(struct pipe *p, const unsigned char *record)
{
	struct perf_event_header header;

	memcpy(&header, record, sizeof(header));
	switch (header.type) {
	case PERFDATA_RECORD_HEADER_ATTR:
		return pipe_event(p, record, header.size);
	case PERFDATA_RECORD_HEADER_FEATURE:
		return pipe_feature(p, record, header.size);
	case PERFDATA_RECORD_COMPRESSED:
	case PERFDATA_RECORD_COMPRESSED2:
	case PERFDATA_RECORD_FINISHED_ROUND:
		return 1;
	default:
		return header.type < PERFDATA_RECORD_USER_START;
	}
}

int perfdata_pipe_parse(const char *path, struct perfdata_window records,
			struct perfdata_event **events, size_t *nr_events,
			struct perfdata_info *info, bool *compressed)
{
	struct pipe p = { .path = path, .records = records, .info = info };
	const unsigned char *at = records.at;
	const char *wrong;
	uint64_t size;
	int ret = 0;

	while (!ret && at < records.end) {
		size = perfdata_record_size(at, records.end - at, &wrong);
		if (!size && p.nr && perfdata_record_cut(at, records.end - at))
			break;
		ret = size ? pipe_record(&p, at) : pipe_damaged(&p, at, wrong);
		at += size;
	}
	if (ret >= 0 && !p.nr)
		ret = err_fail("%s: has no event: damaged", path);
	*events = p.events;
	*nr_events = p.nr;
	*compressed = p.compressed;
	return ret < 0 ? -1 : 0;
}
