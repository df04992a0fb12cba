// SPDX-License-Identifier: GPL-2.0
/*
 * Opens a perf.data file and hands out its records in order of time.
 *
 * The file is mapped, and pages that have been read are given back: memory holds 16
 * bytes for each record that waits to be ordered. perf's recorder marks rounds: at
 * the end of one, everything older than the youngest record of the round before it
 * is complete and can go out.
 *
 * A file may end early: its recorder was killed, so that the header does not tell the
 * size of the data section; or the file was truncated, as may be what came through a
 * pipe.  Records are read up to the last whole one then, with a warning.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "perfdata/pack.h"
#include "perfdata/parse.h"

/* What is fetched into the cache before its turn: so many bytes of the next sample, and where
 * the record begins that is so many further. */
#define MOST_AHEAD	2048
#define RECORDS_AHEAD	4

struct pending {
	uint64_t time, offset;
};

struct id_entry {
	uint64_t id;
	size_t event;
};

struct perfdata_file {
	char *path;
	const unsigned char *map;
	uint64_t size;
	/* What the records are in: that mapping, or one of unpacked records. Offsets
	 * are in it. */
	const unsigned char *base;
	struct perfdata_header header;	/* without one, in_pipe */
	bool in_pipe, compressed;
	bool cut;			/* it may end within a record */
	struct perfdata_event *events;
	size_t nr_events;
	struct id_entry *ids;		/* sorted by id */
	size_t nr_ids;
	const struct id_entry *found;	/* last, of them */
	struct perfdata_info info;

	uint64_t at, end;		/* of the records; those before were read */
	uint64_t forgotten;		/* pages before this were given back */
	uint64_t last_time;		/* of the record read last */
	struct pending *pending;
	size_t nr_pending, max_pending;
	size_t out, ready;		/* pending[out..ready) may go out */
	uint64_t round_max, prev_round_max;
	bool damaged;
};

/* A file that shrinks under the mapping ends in SIGBUS; there is no result then. */
static void file_shrank(int sig)
{
	static const char text[] =
		"lbrctl: the file shrank while it was being read; read it again when it is complete\n";

	(void)sig;
	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		_exit(ERR_EXIT_FAILED);
	_exit(ERR_EXIT_FAILED);
}

static int section_ok(const struct perfdata_file *f,
		      const struct perfdata_section *s)
{
	return s->offset <= f->size && s->size <= f->size - s->offset;
}

static int section_check(const struct perfdata_file *f, const char *what,
			 const struct perfdata_section *s)
{
	if (section_ok(f, s))
		return 0;
	return err_fail("%s: truncated at byte %llu: its %s needs %llu bytes from byte %llu; record again or copy it whole",
			f->path, (unsigned long long)f->size, what,
			(unsigned long long)s->size,
			(unsigned long long)s->offset);
}

static int map_open(struct perfdata_file *f, int fd)
{
	struct stat st;
	void *map;

	if (fstat(fd, &st))
		return err_errno("examining %s", f->path);
	if (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)) {
		f->map = perfdata_pipe_copy(f->path, fd, &f->size);
		return f->map ? 0 : -1;
	}
	if (!S_ISREG(st.st_mode))
		return err_fail("%s: not a regular file, and no pipe; name a capture",
				f->path);
	f->size = st.st_size;
	if (!f->size)
		return 0;
	map = mmap(NULL, f->size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED)
		return err_errno("mapping %s", f->path);
	/* In huge pages what is read would not be given back by less than 2 MiB. */
	madvise(map, f->size, MADV_NOHUGEPAGE);
	f->map = map;
	signal(SIGBUS, file_shrank);
	return 0;
}

static int no_such_file(const char *path)
{
	bool there = false;
	char *partial;

	if (asprintf(&partial, "%s.partial", path) < 0)
		return err_fail("out of memory");
	there = !access(partial, F_OK);
	if (there)
		err_fail("%s: no such file, but there is %s, of a recording that was killed or still goes on; -i %s reads it",
			 path, partial, partial);
	else
		err_fail("%s: no such file; make one with 'lbrctl record', or name it with -i",
			 path);
	free(partial);
	return -1;
}

static int map_file(struct perfdata_file *f)
{
	int fd = strcmp(f->path, "-") ? open(f->path, O_RDONLY | O_CLOEXEC) :
					fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
	int err;

	if (fd < 0 && errno == ENOENT)
		return no_such_file(f->path);
	if (fd < 0)
		return err_errno("opening %s", f->path);
	err = map_open(f, fd);
	close(fd);
	if (!err && f->size < PERFDATA_PIPE_SIZE)
		return err_fail("%s: truncated at byte %llu: too short for a perf.data header",
				f->path, (unsigned long long)f->size);
	return err;
}

/* perf says only at the end of a file that it has compressed some of the records. */
static bool holds_compressed(const struct perfdata_file *f)
{
	uint64_t at = f->at, size;
	struct perf_event_header header;
	const char *wrong;

	for (; (size = perfdata_record_size(f->map + at, f->end - at, &wrong)); at += size) {
		memcpy(&header, f->map + at, sizeof(header));
		if (header.type == PERFDATA_RECORD_COMPRESSED ||
		    header.type == PERFDATA_RECORD_COMPRESSED2)
			return true;
	}
	return false;
}

static void unfinished(struct perfdata_file *f)
{
	f->cut = true;
	f->compressed = holds_compressed(f);
	err_warn("%s: its recorder was killed or still goes on: its last records and its list of build ids are missing",
		 f->path);
}

static void truncated(struct perfdata_file *f)
{
	f->cut = true;
	err_warn("%s: truncated at byte %llu: of its %llu bytes of records the last %llu are missing, and its list of build ids",
		 f->path, (unsigned long long)f->size,
		 (unsigned long long)f->header.data.size,
		 (unsigned long long)(f->header.data.size - (f->size - f->at)));
}

static int read_header(struct perfdata_file *f)
{
	struct perfdata_header *h = &f->header;
	uint64_t magic = perfdata_u64(f->map);
	struct perfdata_section records;

	if (magic == PERFDATA_MAGIC_SWAPPED)
		return err_fail("%s: recorded on a machine of the other byte order; only little-endian files can be read",
				f->path);
	if (magic != PERFDATA_MAGIC)
		return err_fail("%s: not a perf.data file (version 2)", f->path);
	f->base = f->map;
	f->in_pipe = perfdata_u64(f->map + 8) == PERFDATA_PIPE_SIZE;
	f->cut = f->in_pipe;
	f->at = PERFDATA_PIPE_SIZE;
	f->end = f->size;
	if (f->in_pipe)
		return 0;
	if (f->size < sizeof(*h))
		return err_fail("%s: truncated at byte %llu: the header alone is %zu bytes; record again or copy it whole",
				f->path, (unsigned long long)f->size, sizeof(*h));
	memcpy(h, f->map, sizeof(*h));
	if (h->size != sizeof(*h))
		return err_fail("%s: header of %llu bytes, expected %zu", f->path,
				(unsigned long long)h->size, sizeof(*h));
	if (h->data.offset % 8)
		return err_fail("%s: data section at odd byte %llu", f->path,
				(unsigned long long)h->data.offset);
	records = (struct perfdata_section){ h->data.offset, 0 };
	if (section_check(f, "list of events", &h->attrs) ||
	    section_check(f, "data section", &records))
		return -1;
	f->at = h->data.offset;
	f->compressed = h->features[0] & (1ULL << PERFDATA_COMPRESSED);
	if (!h->data.size)
		unfinished(f);
	else if (!section_ok(f, &h->data))
		truncated(f);
	else
		f->end = f->at + h->data.size;
	return 0;
}

static int read_compressed(struct perfdata_file *f)
{
	const unsigned char *unpacked;
	uint64_t size;

	unpacked = perfdata_unpack(f->path, f->map + f->at, f->end - f->at, f->cut, &size);
	if (!unpacked)
		return -1;
	f->base = unpacked;
	f->at = 0;
	f->end = size;
	return 0;
}

static int read_event(struct perfdata_file *f, struct perfdata_event *e,
		      const unsigned char *p, size_t attr_size)
{
	struct perfdata_section ids;

	attr_size -= sizeof(ids);
	memcpy(&ids, p + attr_size, sizeof(ids));
	if (section_check(f, "list of event ids", &ids))
		return -1;
	return perfdata_event_take(f->path, e, p, attr_size, f->map + ids.offset,
				   ids.size / 8);
}

static int read_events(struct perfdata_file *f)
{
	uint64_t each = f->header.attr_size, nr;

	if (each < PERF_ATTR_SIZE_VER0 + sizeof(struct perfdata_section) ||
	    each > 4096 || f->header.attrs.size % each)
		return err_fail("%s: events of %llu bytes in a list of %llu: damaged",
				f->path, (unsigned long long)each,
				(unsigned long long)f->header.attrs.size);
	nr = f->header.attrs.size / each;
	if (!nr)
		return err_fail("%s: names no event: damaged", f->path);
	f->events = calloc(nr, sizeof(*f->events));
	if (!f->events)
		return err_errno("reading %s", f->path);
	f->nr_events = nr;
	for (size_t i = 0; i < nr; i++)
		if (read_event(f, &f->events[i],
			       f->map + f->header.attrs.offset + i * each, each))
			return -1;
	return 0;
}

static int id_compare(const void *a, const void *b)
{
	const struct id_entry *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

/* Where several events differ in layout, a record must say whose it is. */
static int index_ids(struct perfdata_file *f)
{
	const struct perf_event_attr *first = &f->events[0].attr, *a;
	bool same = true, identifier = true;
	size_t n = 0;

	for (size_t i = 0; i < f->nr_events; i++) {
		a = &f->events[i].attr;
		n += f->events[i].nr_ids;
		same &= a->sample_type == first->sample_type &&
			a->sample_id_all == first->sample_id_all;
		identifier &= !!(a->sample_type & PERF_SAMPLE_IDENTIFIER);
	}
	if (!same && !identifier)
		return err_fail("%s: events of different layout without PERF_SAMPLE_IDENTIFIER; record them apart",
				f->path);
	f->ids = calloc(n + 1, sizeof(*f->ids));
	if (!f->ids)
		return err_errno("reading %s", f->path);
	for (size_t i = 0; i < f->nr_events; i++)
		for (size_t j = 0; j < f->events[i].nr_ids; j++)
			f->ids[f->nr_ids++] = (struct id_entry){
				f->events[i].ids[j], i };
	qsort(f->ids, f->nr_ids, sizeof(*f->ids), id_compare);
	return 0;
}

static int read_feature(struct perfdata_file *f, int bit, uint64_t offset, uint64_t size)
{
	struct perfdata_window w = { f->map + offset, f->map + offset + size, false };

	if (!perfdata_feature_parse(bit, w, &f->info, f->events, f->nr_events))
		return 0;
	return errno ? err_errno("reading %s", f->path) :
	       err_fail("%s: feature %d at byte %llu is damaged", f->path, bit,
			(unsigned long long)offset);
}

/* What lbrctl wrote between the attrs and the records, if it did: see format.h. */
static int read_early(struct perfdata_file *f)
{
	uint64_t at = f->header.attrs.offset + f->header.attrs.size, end, bit, size;
	struct perfdata_early early;

	if (at > f->header.data.offset || f->header.data.offset - at < sizeof(early))
		return 0;
	memcpy(&early, f->map + at, sizeof(early));
	if (early.magic != PERFDATA_EARLY_MAGIC || early.size < sizeof(early) ||
	    early.size > f->header.data.offset - at)
		return 0;
	end = at + early.size;
	for (at += sizeof(early); end - at >= 16; at += (size + 7) & ~7ULL) {
		bit = perfdata_u64(f->map + at);
		size = perfdata_u64(f->map + at + 8);
		at += 16;
		if (bit >= 256 || size > (end - at) / 8 * 8)
			return err_fail("%s: the list of early features is damaged at byte %llu",
					f->path, (unsigned long long)at);
		if (read_feature(f, bit, at, size))
			return -1;
	}
	return 0;
}

static int read_features(struct perfdata_file *f)
{
	uint64_t at = f->header.data.offset + f->header.data.size;
	bool missing = false;

	/* They follow the records. */
	if (f->cut)
		return read_early(f);
	for (int bit = 0; bit < 256; bit++) {
		struct perfdata_section s = { at, sizeof(s) };

		if (!(f->header.features[bit / 64] & (1ULL << (bit % 64))))
			continue;
		missing = missing || !section_ok(f, &s);
		if (missing)
			break;
		memcpy(&s, f->map + at, sizeof(s));
		at += sizeof(s);
		missing = !section_ok(f, &s);
		if (!missing && read_feature(f, bit, s.offset, s.size))
			return -1;
	}
	if (!missing)
		return 0;
	err_warn("%s: truncated at byte %llu, behind its records: some of what it says about itself is missing",
		 f->path, (unsigned long long)f->size);
	return read_early(f);
}

/* What is in the records, whatever file they are in. */
static int read_tables(struct perfdata_file *f)
{
	struct perfdata_window records = { f->map + f->at, f->map + f->end, false };

	if (f->in_pipe)
		return perfdata_pipe_parse(f->path, records, &f->events, &f->nr_events,
					   &f->info, &f->compressed);
	return read_events(f) || read_features(f) ? -1 : 0;
}

struct perfdata_file *perfdata_open(const char *path)
{
	struct perfdata_file *f = calloc(1, sizeof(*f));

	if (!f || !(f->path = strdup(path))) {
		err_errno("opening %s", path);
		free(f);
		return NULL;
	}
	if (map_file(f) || read_header(f) || read_tables(f) || index_ids(f) ||
	    (f->compressed && read_compressed(f))) {
		perfdata_close(f);
		return NULL;
	}
	return f;
}

void perfdata_close(struct perfdata_file *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->nr_events; i++) {
		free(f->events[i].name);
		free(f->events[i].ids);
	}
	free(f->events);
	free(f->ids);
	free(f->pending);
	perfdata_info_free(&f->info);
	if (f->base != f->map)
		munmap((void *)f->base, f->end);
	if (f->map)
		munmap((void *)f->map, f->size);
	free(f->path);
	free(f);
}

const struct perfdata_info *perfdata_info(const struct perfdata_file *f)
{
	return &f->info;
}

const struct perfdata_event *perfdata_events(const struct perfdata_file *f,
					     size_t *nr)
{
	*nr = f->nr_events;
	return f->events;
}

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
	struct id_entry key = { 0, 0 };

	if (f->nr_events == 1)
		return &f->events[0];
	p = record_id(f, data, size, sample);
	if (p)
		key.id = perfdata_u64(p);
	/* Records that perf itself synthesizes carry id 0. */
	if (!key.id)
		return &f->events[0];
	/* Most are of the event that the one before was of. */
	if (!f->found || f->found->id != key.id)
		f->found = bsearch(&key, f->ids, f->nr_ids, sizeof(key), id_compare);
	return f->found ? &f->events[f->found->event] : NULL;
}

/* The record is known to be in the file. */
static int record_fill(struct perfdata_file *f, uint64_t offset, uint64_t time,
		       struct perfdata_record *r)
{
	const size_t head = sizeof(struct perf_event_header);
	struct perf_event_header header;

	memcpy(&header, f->base + offset, sizeof(header));
	r->data = f->base + offset;
	r->size = r->body_size = header.size;
	r->offset = offset;
	r->type = header.type;
	r->misc = header.misc;
	r->pid = r->tid = 0;
	r->event = record_event(f, r->data, r->size,
				r->type == PERF_RECORD_SAMPLE);
	if (!r->event)
		return damaged(f, offset, "has the id of no event");
	if (r->type != PERF_RECORD_SAMPLE) {
		if (perfdata_trailer(&r->event->attr, r))
			return damaged(f, offset, "is too short");
	} else if (perfdata_sample_parse(&r->event->attr, r->data + head,
					 r->size - head, &r->sample)) {
		return damaged(f, offset, "is too short for what it must hold");
	} else {
		r->pid = r->sample.pid;
		r->tid = r->sample.tid;
	}
	r->time = time;
	return 0;
}

/* When it was, by as little of it as that takes; where it does not say, with the one
 * before. */
static int record_time(struct perfdata_file *f, uint64_t offset,
		       const struct perf_event_header *header)
{
	const unsigned char *data = f->base + offset, *time;
	bool sample = header->type == PERF_RECORD_SAMPLE;
	const struct perfdata_event *event =
		record_event(f, data, header->size, sample);

	if (!event)
		return damaged(f, offset, "has the id of no event");
	if (!perfdata_time(&event->attr, data, header->size, sample, &time))
		return damaged(f, offset, "is too short");
	if (time)
		f->last_time = perfdata_u64(time);
	return 0;
}

static int pending_add(struct perfdata_file *f, uint64_t time, uint64_t offset)
{
	if (f->nr_pending == f->max_pending) {
		size_t max = f->max_pending ? 2 * f->max_pending : 4096;
		struct pending *p = realloc(f->pending, max * sizeof(*p));

		if (!p)
			return err_errno("ordering the records of %s", f->path);
		f->pending = p;
		f->max_pending = max;
	}
	f->pending[f->nr_pending++] = (struct pending){ time, offset };
	if (time > f->round_max)
		f->round_max = time;
	return 0;
}

static int pending_compare(const void *a, const void *b)
{
	const struct pending *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Sorts what waits, and lets go what is not younger than limit. */
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

/* One record of the data section: waits, ends a round, or is passed over.
 * 1 when records were released, 0 when not, -1 on damage. */
static int read_record(struct perfdata_file *f)
{
	uint64_t offset = f->at, size;
	struct perf_event_header header;
	const char *wrong;

	size = perfdata_record_size(f->base + offset, f->end - offset, &wrong);
	if (!size && f->cut && perfdata_record_cut(f->base + offset, f->end - offset)) {
		f->at = f->end;
		/* Of a file that was known before. */
		if (f->in_pipe)
			err_warn("%s: it ends within the record at byte %llu: the last records are missing",
				 f->path, (unsigned long long)offset);
		return 0;
	}
	if (!size)
		return damaged(f, offset, wrong);
	memcpy(&header, f->base + offset, sizeof(header));
	f->at += size;
	/* Most are as large as the one before. */
	__builtin_prefetch(f->base + f->at + RECORDS_AHEAD * size);
	if (header.type == PERFDATA_RECORD_COMPRESSED ||
	    header.type == PERFDATA_RECORD_COMPRESSED2)
		return damaged(f, offset, "is compressed, of which the header knows nothing");
	if (header.type == PERFDATA_RECORD_FINISHED_ROUND) {
		pending_release(f, f->prev_round_max);
		f->prev_round_max = f->round_max;
		return 1;
	}
	if (header.type >= PERFDATA_RECORD_USER_START)
		return 0;
	if (record_time(f, offset, &header))
		return -1;
	return pending_add(f, f->last_time, offset);
}

int perfdata_next(struct perfdata_file *f, struct perfdata_record *r)
{
	const struct pending *next;
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
		perfdata_forget(f->base, &f->forgotten, f->at);
	}
	next = &f->pending[f->out++];
	perfdata_forget(f->base, &f->forgotten, next->offset);
	if (record_fill(f, next->offset, next->time, r))
		return -1;
	/* The next one is on its way when it is asked for; it is likely to be as large. No
	 * function of its own: gcc drops calls of one that only does this. */
	for (size_t at = 0; f->out < f->ready && at < r->size && at < MOST_AHEAD; at += 64)
		__builtin_prefetch(f->base + f->pending[f->out].offset + at);
	return 1;
}
