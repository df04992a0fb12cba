// SPDX-License-Identifier: GPL-2.0
/*
 * Returns the records of a capture sorted by time.
 *
 * Memory holds the records that wait to be sorted, as far as they are not in a mapped file (view.h),
 * and 16 bytes for each. perf's recorder marks rounds: at the end of one,
 * everything older than the youngest record of the previous round is complete and can be
 * returned.
 *
 * A file may end early: its recorder was killed, so the header does not have the size of the
 * data section; or the file, or a pipe, was truncated. Its records are then read up to the last
 * complete one, with a warning.
 */
#include <stdlib.h>

#include "base/err.h"
#include "base/grow.h"
#include "perfdata/file.h"

/* Prefetch: this many bytes of the next sample, and the beginning of the record that is this
 * many records ahead. */
#define MOST_AHEAD	2048
#define RECORDS_AHEAD	4

/* The size of a record has 16 bits. */
#define MOST_RECORD	(64UL << 10)

static int damaged(struct perfdata_file *f, uint64_t offset, const char *what)
{
	f->damaged = true;
	return err_fail("%s: the record at byte %llu %s: damaged",
			f->path, (unsigned long long)offset, what);
}

/* The word of the record that holds the event's id, counted as the layout
 * common to all events says; NULL if the layout has none. */
static const unsigned char *record_id(const struct perfdata_file *f,
				      const unsigned char *data, size_t size,
				      bool sample)
{
	uint64_t type = f->events[0].attr.sample_type;
	size_t at;

	if (sample) {
		at = sizeof(struct perf_event_header);
		if (!(type & PERF_SAMPLE_IDENTIFIER)) {
			if (!(type & PERF_SAMPLE_ID))
				return NULL;
			at += 8 * __builtin_popcountll(type &
				(PERF_SAMPLE_IP | PERF_SAMPLE_TID |
				 PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR));
		}
		return at + 8 <= size ? data + at : NULL;
	}
	if (!f->events[0].attr.sample_id_all)
		return NULL;
	at = 8;
	if (!(type & PERF_SAMPLE_IDENTIFIER)) {
		if (!(type & PERF_SAMPLE_ID))
			return NULL;
		at += 8 * __builtin_popcountll(type & (PERF_SAMPLE_STREAM_ID |
						       PERF_SAMPLE_CPU));
	}
	return at + sizeof(struct perf_event_header) <= size ?
		data + size - at : NULL;
}

static const struct perfdata_event *
record_event(struct perfdata_file *f, const unsigned char *data,
	     size_t size, bool sample)
{
	const unsigned char *p;
	struct perfdata_id key = { 0, 0 };

	if (f->nr_events == 1)
		return &f->events[0];
	p = record_id(f, data, size, sample);
	if (p)
		key.id = perfdata_u64(p);
	/* Records that perf itself synthesizes carry id 0. */
	if (!key.id)
		return &f->events[0];
	/* Most records are of the event of the record before. */
	if (!f->found || f->found->id != key.id)
		f->found = bsearch(&key, f->ids, f->nr_ids, sizeof(key), perfdata_id_compare);
	return f->found ? &f->events[f->found->event] : NULL;
}

/* The caller has checked that the record is in the file. */
static int record_fill(struct perfdata_file *f, uint64_t offset, uint64_t time,
		       struct perfdata_record *r)
{
	const size_t head = sizeof(struct perf_event_header);
	struct perf_event_header header;

	r->data = perfdata_view_at(&f->view, offset);
	memcpy(&header, r->data, sizeof(header));
	r->size = r->body_size = header.size;
	r->offset = offset;
	r->type = header.type;
	r->misc = header.misc;
	r->pid = r->tid = 0;
	r->event = record_event(f, r->data, r->size,
				r->type == PERF_RECORD_SAMPLE);
	if (!r->event)
		return damaged(f, offset, "has the id of an unknown event");
	if (r->type != PERF_RECORD_SAMPLE) {
		if (perfdata_trailer(&r->event->attr, r))
			return damaged(f, offset, "is too short");
	} else if (perfdata_sample_parse(r->event, r->data + head,
					 r->size - head, &r->sample)) {
		return damaged(f, offset, "is too short for its fields");
	} else {
		r->pid = r->sample.pid;
		r->tid = r->sample.tid;
	}
	r->time = time;
	if (r->type == PERF_RECORD_SAMPLE && deferred_is(&r->sample) &&
	    deferred_join(&f->deferred, f->base, f->begin, f->end, &r->sample))
		return err_errno("joining the call chains of %s", f->path);
	return 0;
}

/* Reads the record's time with as few accesses as possible; a record without one has the time
 * of the record before. */
static int record_time(struct perfdata_file *f, uint64_t offset,
		       const struct perf_event_header *header)
{
	const unsigned char *data = perfdata_view_at(&f->view, offset), *time;
	bool sample = header->type == PERF_RECORD_SAMPLE;
	const struct perfdata_event *event =
		record_event(f, data, header->size, sample);

	if (!event)
		return damaged(f, offset, "has the id of an unknown event");
	if (!perfdata_time(&event->attr, data, header->size, sample, &time))
		return damaged(f, offset, "is too short");
	if (time)
		f->last_time = perfdata_u64(time);
	return 0;
}

static int pending_add(struct perfdata_file *f, uint64_t time, uint64_t offset)
{
	if (room_for(&f->pending, f->nr_pending + 1, &f->max_pending, sizeof(*f->pending)))
		return err_errno("ordering the records of %s", f->path);
	f->pending[f->nr_pending++] = (struct perfdata_pending){ time, offset };
	if (time > f->round_max)
		f->round_max = time;
	return 0;
}

static int pending_compare(const void *a, const void *b)
{
	const struct perfdata_pending *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Sorts the pending records, and releases those that are not younger than limit. */
static void pending_release(struct perfdata_file *f, uint64_t limit)
{
	size_t i;

	for (i = 1; i < f->nr_pending; i++)
		if (pending_compare(&f->pending[i - 1], &f->pending[i]) > 0)
			break;
	if (i < f->nr_pending)
		qsort(f->pending, f->nr_pending, sizeof(*f->pending),
		      pending_compare);
	f->out = 0;
	for (f->ready = 0; f->ready < f->nr_pending; f->ready++)
		if (f->pending[f->ready].time > limit)
			break;
}

/* Keeps the records that are pending readable, and makes the next one so. */
static int view_next(struct perfdata_file *f)
{
	uint64_t keep = f->at;

	if (f->at + MOST_RECORD <= f->view.to || f->view.to == f->end)
		return 0;
	for (size_t i = f->out; i < f->nr_pending; i++)
		if (f->pending[i].offset < keep)
			keep = f->pending[i].offset;
	return perfdata_view_move(&f->view, keep, f->at, MOST_RECORD, f->end);
}

/* Reads one record of the data section, which becomes pending, ends a round, or is skipped.
 * Returns 1 when records were released, 0 when not, -1 on damage. */
static int read_record(struct perfdata_file *f)
{
	uint64_t offset = f->at, size;
	struct perf_event_header header;
	const unsigned char *data;
	const char *wrong;

	if (view_next(f))
		return -1;
	data = perfdata_view_at(&f->view, offset);
	size = perfdata_record_size(data, f->end - offset, &wrong);
	if (!size && f->cut && perfdata_record_cut(data, f->end - offset)) {
		f->at = f->end;
		/* For a file this was found when it was opened. */
		if (f->in_pipe) {
			f->info.cut = "truncated";
			err_warn("%s: ends within the record at byte %llu: the last records are "
				 "missing",
				 f->path, (unsigned long long)offset);
		}
		return 0;
	}
	if (!size)
		return damaged(f, offset, wrong);
	memcpy(&header, data, sizeof(header));
	f->at += size;
	/* Most records are as large as the one before. */
	__builtin_prefetch(data + (1 + RECORDS_AHEAD) * size);
	if (header.type == PERFDATA_RECORD_COMPRESSED ||
	    header.type == PERFDATA_RECORD_COMPRESSED2)
		return damaged(f, offset, "is compressed, but the header does not say so");
	/* The rounds of one file of several say nothing of the others. */
	if (header.type == PERFDATA_RECORD_FINISHED_ROUND && f->folder < 0) {
		pending_release(f, f->prev_round_max);
		f->prev_round_max = f->round_max;
		return 1;
	}
	f->info.traced |= header.type == PERFDATA_RECORD_AUXTRACE;
	if (header.type >= PERFDATA_RECORD_USER_START)
		return 0;
	if (++f->nr_records > f->most_records)
		return damaged(f, offset, "claims more than the compressed bytes can hold");
	if (record_time(f, offset, &header))
		return -1;
	return pending_add(f, f->last_time, offset);
}

/* Pages of a mapping are released again. */
static void forget(struct perfdata_file *f, uint64_t offset)
{
	if (f->view.fd < 0)
		perfdata_forget(f->base, &f->forgotten, offset);
}

int perfdata_next(struct perfdata_file *f, struct perfdata_record *r)
{
	const struct perfdata_pending *next;
	int ret;

	while (f->out == f->ready) {
		if (f->damaged)
			return -1;
		if (f->ready) {
			f->nr_pending -= f->ready;
			memmove(f->pending, f->pending + f->ready,
				f->nr_pending * sizeof(*f->pending));
			f->out = f->ready = 0;
		}
		if (f->at >= f->end) {
			if (!f->nr_pending)
				return 0;
			pending_release(f, UINT64_MAX);
			continue;
		}
		ret = read_record(f);
		if (ret < 0)
			return -1;
		forget(f, f->at);
	}
	next = &f->pending[f->out++];
	forget(f, next->offset);
	if (record_fill(f, next->offset, next->time, r))
		return -1;
	/* Prefetches the next record, assuming the same size. Not a separate function: gcc
	 * drops calls of a function that only prefetches. */
	for (size_t at = 0; f->out < f->ready && at < r->size && at < MOST_AHEAD; at += 64)
		__builtin_prefetch(perfdata_view_at(&f->view, f->pending[f->out].offset) + at);
	return 1;
}
