/* SPDX-License-Identifier: GPL-2.0 */
/* Side records as the kernel writes them, straight into a struct maps. */
#ifndef ANALYSIS_MAPPING_H
#define ANALYSIS_MAPPING_H

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "file_writer.h"
#include "stacks/maps.h"

static inline void feed_at(struct maps *maps, const struct bytes *b, uint64_t time)
{
	struct perfdata_record r = {
		.data = b->data, .size = b->nr, .body_size = b->nr, .time = time,
	};
	struct perf_event_header h;

	memcpy(&h, b->data, sizeof(h));
	r.type = h.type;
	r.misc = h.misc;
	assert_int_equal(maps_record(maps, &r), 0);
}

static inline void feed(struct maps *maps, const struct bytes *b)
{
	feed_at(maps, b, 0);
}

static inline void feed_file(struct maps *maps, uint32_t pid, uint64_t start, uint64_t len,
			     uint64_t pgoff, const char *name, const struct stat *file,
			     uint64_t time)
{
	static struct bytes b;
	size_t at;

	b.nr = 0;
	at = record_begin(&b, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
	put_u32(&b, pid);
	put_u32(&b, pid);
	put_u64(&b, start);
	put_u64(&b, len);
	put_u64(&b, pgoff);
	put_u32(&b, major(file->st_dev));
	put_u32(&b, minor(file->st_dev));
	put_u64(&b, file->st_ino);
	put_u64(&b, 0);		/* its generation */
	put_u64(&b, 0);		/* prot, flags */
	put_name(&b, name);
	record_end(&b, at);
	feed_at(maps, &b, time);
}

static inline void feed_mmap2(struct maps *maps, uint32_t pid, uint64_t start,
			      uint64_t len, uint64_t pgoff, const char *name)
{
	const struct stat unknown = { 0 };

	feed_file(maps, pid, start, len, pgoff, name, &unknown, 0);
}

static inline void feed_comm(struct maps *maps, uint32_t pid, uint32_t tid,
			     const char *name, bool exec)
{
	static struct bytes b;
	size_t at;

	b.nr = 0;
	at = record_begin(&b, PERF_RECORD_COMM,
			  exec ? PERF_RECORD_MISC_COMM_EXEC : 0);
	put_u32(&b, pid);
	put_u32(&b, tid);
	put_name(&b, name);
	record_end(&b, at);
	feed(maps, &b);
}

static inline void feed_fork(struct maps *maps, uint32_t pid, uint32_t ppid,
			     uint32_t tid, uint32_t ptid)
{
	static struct bytes b;
	size_t at;

	b.nr = 0;
	at = record_begin(&b, PERF_RECORD_FORK, 0);
	put_u32(&b, pid);
	put_u32(&b, ppid);
	put_u32(&b, tid);
	put_u32(&b, ptid);
	put_u64(&b, 0);		/* time */
	record_end(&b, at);
	feed(maps, &b);
}

#endif
