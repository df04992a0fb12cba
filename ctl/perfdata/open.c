// SPDX-License-Identifier: GPL-2.0
/* Opens a capture, and reads its header and tables; also one that a killed recorder left, which has
 * no tables behind its records. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/err.h"
#include "machine/machine.h"
#include "perfdata/file.h"
#include "perfdata/folder.h"
#include "perfdata/foreign.h"
#include "perfdata/pack.h"

#define UNPACKED_RECORDS	(4ULL << 20)	/* records that any compressed file may have */

/* A file that shrinks under the mapping causes SIGBUS, and there is no result then. */
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
	return err_fail("%s: truncated at byte %llu: its %s needs %llu bytes from byte %llu; "
			"record or copy it again",
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
		return err_fail("%s: neither a regular file nor a pipe; name a capture",
				f->path);
	f->size = st.st_size;
	f->info.written = st.st_mtim.tv_sec;
	if (!f->size)
		return 0;
	map = mmap(NULL, f->size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED)
		return err_errno("mapping %s", f->path);
	/* In huge pages, reading would be released only in steps of 2 MiB. */
	madvise(map, f->size, MADV_NOHUGEPAGE);
	f->map = map;
	f->view.fd = fd;
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
		err_fail("%s: no such file, but %s exists, from a recording that was killed or "
			 "is still running; read it with -i %s",
			 path, partial, partial);
	else
		err_fail("%s: no such file; record one with 'lbrctl record', or name it with -i",
			 path);
	free(partial);
	return -1;
}

/* Outputs are for those who may read the capture. Who may read a pipe's data is not known. */
static int limit_outputs(const struct perfdata_file *f, int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return err_errno("examining %s", f->path);
	if (strcmp(f->path, "-") && S_ISREG(st.st_mode))
		atomic_file_limit(st.st_mode, st.st_gid);
	else
		atomic_file_limit(0600, st.st_gid);
	return 0;
}

static bool is_folder(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && S_ISDIR(st.st_mode);
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
	err = limit_outputs(f, fd) || machine_open(f->path, &fd, &f->info.machine) ? -1 : 0;
	if (!err && is_folder(fd)) {
		f->folder = fd;
		fd = folder_open(f->path, fd);
		err = fd < 0 ? -1 : 0;
	}
	if (!err)
		err = map_open(f, fd);
	if (fd >= 0 && f->view.fd != fd)
		close(fd);
	if (!err && f->size < PERFDATA_PIPE_SIZE)
		return err_fail("%s: truncated at byte %llu: too short for a perf.data header",
				f->path, (unsigned long long)f->size);
	return err;
}

/* The number of samples in the whole records. *compressed: some of the records are. */
static uint64_t count_samples(const struct perfdata_file *f, bool *compressed)
{
	uint64_t at = f->at, forgotten = 0, samples = 0, size;
	struct perf_event_header header;
	const char *wrong;

	for (; (size = perfdata_record_size(f->base + at, f->end - at, &wrong)); at += size) {
		memcpy(&header, f->base + at, sizeof(header));
		samples += header.type == PERF_RECORD_SAMPLE;
		*compressed |= header.type == PERFDATA_RECORD_COMPRESSED ||
			       header.type == PERFDATA_RECORD_COMPRESSED2;
		perfdata_forget(f->base, &forgotten, at);
	}
	return samples;
}

/* perf sets the feature bit of compression only when the file is complete. */
static void unfinished(struct perfdata_file *f)
{
	f->cut = true;
	f->info.cut = "killed";
	count_samples(f, &f->compressed);
}

/* The records are unpacked now. */
static void warn_unfinished(const struct perfdata_file *f)
{
	bool compressed = false;

	err_warn("%s: its recorder was killed or is still running: it has %llu samples; "
		 "the last records and the list of build ids are missing",
		 f->path, (unsigned long long)count_samples(f, &compressed));
}

static void truncated(struct perfdata_file *f)
{
	f->cut = true;
	f->info.cut = "truncated";
	err_warn("%s: truncated at byte %llu: of %llu bytes of records the last %llu are "
		 "missing, and the list of build ids",
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
		return foreign_refuse(f->path, f->map, f->size);
	f->base = f->map;
	f->most_records = UINT64_MAX;
	f->in_pipe = perfdata_u64(f->map + 8) == PERFDATA_PIPE_SIZE;
	f->cut = f->in_pipe;
	f->at = PERFDATA_PIPE_SIZE;
	f->end = f->size;
	if (f->in_pipe)
		return 0;
	if (f->size < sizeof(*h))
		return err_fail("%s: truncated at byte %llu: the header alone has %zu bytes; "
				"record or copy it again",
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

/* Unpacks compressed records, and joins those of several files. */
static int read_elsewhere(struct perfdata_file *f)
{
	const unsigned char *records = f->map + f->at, *unpacked;
	const uint64_t len = f->end - f->at;
	uint64_t size;

	unpacked = f->folder < 0 ? perfdata_unpack(f->path, records, len, f->cut, &size) :
		   folder_join(f->path, f->folder, records, len, f->compressed, f->cut, &size);
	if (!unpacked)
		return -1;
	/* A real record takes at least a byte of the file, and 16 bytes unpacked. More records come from
	 * a forged file, and would only take memory. */
	f->most_records = f->folder >= 0 ? size / 16 : f->size;
	if (f->most_records < UNPACKED_RECORDS)
		f->most_records = UNPACKED_RECORDS;
	f->base = unpacked;
	f->at = 0;
	f->end = size;
	return 0;
}

static int read_event(struct perfdata_file *f, struct perfdata_event *e,
		      const unsigned char *p, size_t attr_size, uint64_t *left)
{
	struct perfdata_section ids;

	attr_size -= sizeof(ids);
	memcpy(&ids, p + attr_size, sizeof(ids));
	if (section_check(f, "list of event ids", &ids))
		return -1;
	/* Each list is copied. A forged file whose events share one would multiply the memory. */
	*left -= ids.size < *left ? ids.size : *left;
	if (!*left)
		return err_fail("%s: several events have the same list of ids: damaged", f->path);
	return perfdata_event_take(f->path, e, p, attr_size, f->map + ids.offset,
				   ids.size / 8);
}

static int read_events(struct perfdata_file *f)
{
	uint64_t each = f->header.attr_size, left = f->size, nr;

	if (each < PERF_ATTR_SIZE_VER0 + sizeof(struct perfdata_section) ||
	    each > 4096 || f->header.attrs.size % each)
		return err_fail("%s: events of %llu bytes in a list of %llu: damaged",
				f->path, (unsigned long long)each,
				(unsigned long long)f->header.attrs.size);
	nr = f->header.attrs.size / each;
	if (!nr)
		return err_fail("%s: has no event: damaged", f->path);
	f->events = calloc(nr, sizeof(*f->events));
	if (!f->events)
		return err_errno("reading %s", f->path);
	f->nr_events = nr;
	for (size_t i = 0; i < nr; i++)
		if (read_event(f, &f->events[i],
			       f->map + f->header.attrs.offset + i * each, each, &left))
			return -1;
	return 0;
}

/* If events differ in layout, each record must have the id of its event. */
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
		return err_fail("%s: events of different layout without PERF_SAMPLE_IDENTIFIER; "
				"record them separately",
				f->path);
	f->ids = calloc(n + 1, sizeof(*f->ids));
	if (!f->ids)
		return err_errno("reading %s", f->path);
	for (size_t i = 0; i < f->nr_events; i++)
		for (size_t j = 0; j < f->events[i].nr_ids; j++)
			f->ids[f->nr_ids++] = (struct perfdata_id){
				f->events[i].ids[j], i };
	qsort(f->ids, f->nr_ids, sizeof(*f->ids), perfdata_id_compare);
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

/* Reads the features that lbrctl wrote between the attrs and the records: see format.h. */
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

	/* The feature sections follow the records. */
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
	f->info.cut = "truncated";
	err_warn("%s: truncated at byte %llu, after its records: some header features are missing",
		 f->path, (unsigned long long)f->size);
	return read_early(f);
}

/* Reads events and features: from the tables of a file, or from the first records of a pipe. */
static int read_tables(struct perfdata_file *f)
{
	struct perfdata_window records = { f->map + f->at, f->map + f->end, false };

	if (f->in_pipe)
		return perfdata_pipe_parse(f->path, records, &f->events, &f->nr_events,
					   &f->info, &f->compressed);
	return read_events(f) || read_features(f) ? -1 : 0;
}

/* Unpacked records are read where they are. */
static void view_records(struct perfdata_file *f)
{
	if (f->base != f->map && f->view.fd >= 0) {
		close(f->view.fd);
		f->view.fd = -1;
	}
	f->view.path = f->path;
	f->view.map = f->base;
	f->view.from = f->view.to = f->begin = f->at;
}

struct perfdata_file *perfdata_open(const char *path)
{
	struct perfdata_file *f = calloc(1, sizeof(*f));

	if (!f || !(f->path = strdup(path))) {
		err_errno("opening %s", path);
		free(f);
		return NULL;
	}
	f->view.fd = -1;
	f->folder = -1;
	if (map_file(f) || read_header(f) || read_tables(f) || index_ids(f) ||
	    ((f->compressed || f->folder >= 0) && read_elsewhere(f))) {
		perfdata_close(f);
		return NULL;
	}
	if (!f->in_pipe && !f->header.data.size)
		warn_unfinished(f);
	view_records(f);
	return f;
}

void perfdata_close(struct perfdata_file *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->nr_events; i++)
		perfdata_event_free(&f->events[i]);
	free(f->events);
	free(f->ids);
	free(f->pending);
	perfdata_info_free(&f->info);
	perfdata_view_free(&f->view);
	deferred_free(&f->deferred);
	if (f->view.fd >= 0)
		close(f->view.fd);
	if (f->folder >= 0)
		close(f->folder);
	if (f->base != f->map)
		munmap((void *)f->base, f->end);
	if (f->map)
		munmap((void *)f->map, f->size);
	free(f->path);
	free(f);
}

const unsigned char *perfdata_contents(const struct perfdata_file *f, uint64_t *size)
{
	if (f->folder >= 0) {
		err_fail("%s: a folder of several files, which cannot be put into an archive: pack it by tar", f->path);
		return NULL;
	}
	*size = f->size;
	return f->map;
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
