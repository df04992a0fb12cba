// SPDX-License-Identifier: GPL-2.0
/*
 * The layout of samples and of the sample_id trailer, from the comments in
 * include/uapi/linux/perf_event.h of Linux (PERF_RECORD_SAMPLE, struct sample_id).
 */
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "perfdata/own_events.h"
#include "perfdata/parse.h"

/* Newer than the headers of Debian 12. */
#define SAMPLE_BRANCH_COUNTERS	(1U << 19)	/* Linux 6.8: a u64 an entry more */
#define SAMPLE_BRANCH_KNOWN	((1U << 20) - 1)
#define SAMPLE_TYPE_KNOWN	((1U << 25) - 1)
#define SAMPLE_READ_KNOWN	((1U << 5) - 1)
#define SAMPLE_READ_LOST	(1U << 4)

int perfdata_layout_check(const char *path, const struct perf_event_attr *attr)
{
	if (attr->sample_type & ~(uint64_t)SAMPLE_TYPE_KNOWN)
		return err_fail("%s: sample type %#llx has bits this version does not know; record without them",
				path, (unsigned long long)attr->sample_type);
	if (attr->read_format & ~(uint64_t)SAMPLE_READ_KNOWN)
		return err_fail("%s: read format %#llx has bits this version does not know; record without them",
				path, (unsigned long long)attr->read_format);
	if (attr->sample_type & PERF_SAMPLE_BRANCH_STACK &&
	    attr->branch_sample_type & ~(uint64_t)SAMPLE_BRANCH_KNOWN)
		return err_fail("%s: branch sample type %#llx has bits this version does not know; record without them",
				path, (unsigned long long)attr->branch_sample_type);
	return 0;
}

/* Bytes of the sample_id trailer; 0 without sample_id_all. */
static size_t perfdata_trailer_size(const struct perf_event_attr *attr)
{
	const uint64_t in_trailer = PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
		PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |
		PERF_SAMPLE_IDENTIFIER;

	if (!attr->sample_id_all)
		return 0;
	return 8 * __builtin_popcountll(attr->sample_type & in_trailer);
}

bool perfdata_time(const struct perf_event_attr *attr, const unsigned char *data,
		   size_t size, bool sample, const unsigned char **time)
{
	const uint64_t before = sample ? PERF_SAMPLE_IDENTIFIER |
		PERF_SAMPLE_IP | PERF_SAMPLE_TID : PERF_SAMPLE_TID;
	size_t trailer = sample ? 0 : perfdata_trailer_size(attr), at;

	*time = NULL;
	if (!(attr->sample_type & PERF_SAMPLE_TIME) || (!sample && !trailer))
		return true;
	at = 8 * __builtin_popcountll(attr->sample_type & before);
	if (sample) {
		at += sizeof(struct perf_event_header);
	} else {
		if (sizeof(struct perf_event_header) + trailer > size)
			return false;
		at += size - trailer;
	}
	*time = data + at;
	return at + 8 <= size;
}

int perfdata_trailer(const struct perf_event_attr *attr,
		     struct perfdata_record *record)
{
	size_t size = perfdata_trailer_size(attr);
	struct perfdata_window w;

	if (size + sizeof(struct perf_event_header) > record->size)
		return -1;
	record->body_size = record->size - size;
	w.at = record->data + record->body_size;
	w.end = record->data + record->size;
	w.failed = false;
	if (!size)
		return 0;
	if (attr->sample_type & PERF_SAMPLE_TID) {
		record->pid = perfdata_take_u32(&w);
		record->tid = perfdata_take_u32(&w);
	}
	return 0;
}

static void sample_read(struct perfdata_window *w, uint64_t format,
			struct perfdata_sample *s)
{
	uint64_t nr = 1, words = 1;

	words += !!(format & PERF_FORMAT_ID) + !!(format & SAMPLE_READ_LOST);
	if (format & PERF_FORMAT_GROUP)
		nr = perfdata_take_u64(w);
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		perfdata_take_u64(w);
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		perfdata_take_u64(w);
	s->read_size = 8 * words;
	s->read = perfdata_take_array(w, nr, s->read_size);
	s->read_nr = s->read ? nr : 0;
}

static void sample_branches(struct perfdata_window *w, uint64_t type,
			    struct perfdata_sample *s)
{
	s->branches_nr = perfdata_take_u64(w);
	if (type & PERF_SAMPLE_BRANCH_HW_INDEX)
		perfdata_take_u64(w);
	s->branches = perfdata_take_array(w, s->branches_nr,
					  sizeof(struct perf_branch_entry));
	if (type & SAMPLE_BRANCH_COUNTERS)
		perfdata_take_array(w, s->branches_nr, 8);
}

static const unsigned char *sample_regs(struct perfdata_window *w,
					uint64_t mask, uint64_t *abi)
{
	*abi = perfdata_take_u64(w);
	if (*abi == PERF_SAMPLE_REGS_ABI_NONE)
		return NULL;
	return perfdata_take_array(w, __builtin_popcountll(mask), 8);
}

static void sample_stack(struct perfdata_window *w, struct perfdata_sample *s)
{
	uint64_t size = perfdata_take_u64(w);

	if (!size)
		return;
	s->stack = perfdata_take(w, size);
	s->stack_size = perfdata_take_u64(w);
	if (s->stack_size > size)
		w->failed = true;
}

static void sample_fixed(struct perfdata_window *w, uint64_t type,
			 struct perfdata_sample *s)
{
	if (type & PERF_SAMPLE_IDENTIFIER)
		s->id = perfdata_take_u64(w);
	if (type & PERF_SAMPLE_IP)
		s->ip = perfdata_take_u64(w);
	if (type & PERF_SAMPLE_TID) {
		s->pid = perfdata_take_u32(w);
		s->tid = perfdata_take_u32(w);
	}
	if (type & PERF_SAMPLE_TIME) {
		s->time = perfdata_take_u64(w);
		s->has_time = true;
	}
	if (type & PERF_SAMPLE_ADDR)
		s->addr = perfdata_take_u64(w);
	if (type & PERF_SAMPLE_ID)
		s->id = perfdata_take_u64(w);
	if (type & PERF_SAMPLE_STREAM_ID)
		s->stream_id = perfdata_take_u64(w);
	if (type & PERF_SAMPLE_CPU) {
		s->cpu = perfdata_take_u32(w);
		s->has_cpu = true;
		perfdata_take_u32(w);
	}
	if (type & PERF_SAMPLE_PERIOD)
		s->period = perfdata_take_u64(w);
}

/* Only some fields are used, but a layout that does not add up to the record's size is a
 * damaged record. */
static void sample_rest(struct perfdata_window *w,
			const struct perf_event_attr *attr,
			struct perfdata_sample *s)
{
	const uint64_t words = PERF_SAMPLE_DATA_PAGE_SIZE |
		PERF_SAMPLE_CODE_PAGE_SIZE;
	uint64_t type = attr->sample_type, abi;

	if (type & PERF_SAMPLE_REGS_USER)
		s->regs = sample_regs(w, attr->sample_regs_user, &s->regs_abi);
	if (type & PERF_SAMPLE_STACK_USER)
		sample_stack(w, s);
	if (type & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT))
		perfdata_take_u64(w);
	if (type & PERF_SAMPLE_DATA_SRC)
		perfdata_take_u64(w);
	if (type & PERF_SAMPLE_TRANSACTION)
		perfdata_take_u64(w);
	if (type & PERF_SAMPLE_REGS_INTR)
		sample_regs(w, attr->sample_regs_intr, &abi);
	if (type & PERF_SAMPLE_PHYS_ADDR)
		perfdata_take_u64(w);
	if (type & PERF_SAMPLE_CGROUP)
		s->cgroup = perfdata_take_u64(w);
	perfdata_take_array(w, __builtin_popcountll(type & words), 8);
	if (type & PERF_SAMPLE_AUX)
		perfdata_take(w, perfdata_take_u64(w));
}

static bool begins_offcpu_text(const unsigned char *at, const unsigned char *end)
{
	const size_t len = strlen(PERFDATA_OFFCPU_TEXT);

	return (size_t)(end - at) >= len && !memcmp(at, PERFDATA_OFFCPU_TEXT, len);
}

/* The raw data of a time off the CPU (own_events.h). Of perf itself, which writes no text, they are the facts, and
 * the fields of the sample are those of the task that its program happened to run in. */
static void sample_offcpu(struct perfdata_sample *s)
{
	struct perfdata_window w = { s->raw, s->raw + s->raw_size, false };
	struct perfdata_sample told = *s;

	if (begins_offcpu_text(w.at, w.end))
		return;
	told.pid = perfdata_take_u32(&w);
	told.tid = perfdata_take_u32(&w);
	told.period = perfdata_take_u64(&w);
	told.chain_nr = perfdata_take_u64(&w);
	told.chain = perfdata_take_array(&w, told.chain_nr, 8);
	if (told.chain_nr > 1 && told.chain)
		told.ip = perfdata_u64(told.chain + 8);
	told.cgroup = perfdata_take_u64(&w);
	if (!told.chain_nr && w.end - w.at >= 8)
		perfdata_take_u64(&w);
	if (w.failed)
		return;
	if (!begins_offcpu_text(w.at, w.end))
		*s = told;
	s->text = w.at;
	s->text_size = w.end - w.at;
}

int perfdata_sample_parse(const struct perfdata_event *event,
			  const unsigned char *body, size_t size,
			  struct perfdata_sample *s)
{
	struct perfdata_window w = { body, body + size, false };
	const struct perf_event_attr *attr = &event->attr;
	uint64_t type = attr->sample_type;

	memset(s, 0, sizeof(*s));
	s->period = attr->freq ? 1 : attr->sample_period;
	sample_fixed(&w, type, s);
	if (type & PERF_SAMPLE_READ)
		sample_read(&w, attr->read_format, s);
	if (type & PERF_SAMPLE_CALLCHAIN) {
		s->chain_nr = perfdata_take_u64(&w);
		s->chain = perfdata_take_array(&w, s->chain_nr, 8);
	}
	if (type & PERF_SAMPLE_RAW) {
		s->raw_size = perfdata_take_u32(&w);
		s->text = s->raw = perfdata_take(&w, s->raw_size);
		s->text_size = s->raw_size;
	}
	if (type & PERF_SAMPLE_BRANCH_STACK)
		sample_branches(&w, attr->branch_sample_type, s);
	sample_rest(&w, attr, s);
	if (!w.failed && s->raw && perfdata_is_own_named(event, PERFDATA_OFFCPU_NAME))
		sample_offcpu(s);
	return w.failed ? -1 : 0;
}
