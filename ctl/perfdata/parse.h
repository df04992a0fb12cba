/* SPDX-License-Identifier: GPL-2.0 */
/* Shared by the files of this folder that read. */
#ifndef LBRCTL_PERFDATA_PARSE_H
#define LBRCTL_PERFDATA_PARSE_H

#include "perfdata/read.h"

/* A window of bytes; every take checks that it is in the window. Once a take
 * has failed, all later ones fail, so that one check at the end is enough. */
struct perfdata_window {
	const unsigned char *at, *end;
	bool failed;
};

static inline const unsigned char *
perfdata_take(struct perfdata_window *w, uint64_t bytes)
{
	const unsigned char *at = w->at;

	if (w->failed || bytes > (uint64_t)(w->end - w->at)) {
		w->failed = true;
		return NULL;
	}
	w->at += bytes;
	return at;
}

static inline uint64_t perfdata_take_u64(struct perfdata_window *w)
{
	const unsigned char *p = perfdata_take(w, 8);

	return p ? perfdata_u64(p) : 0;
}

static inline uint32_t perfdata_take_u32(struct perfdata_window *w)
{
	const unsigned char *p = perfdata_take(w, 4);

	return p ? perfdata_u32(p) : 0;
}

/* Takes nr elements of `each` bytes; nr comes from the file, so it may be anything. */
static inline const unsigned char *
perfdata_take_array(struct perfdata_window *w, uint64_t nr, uint64_t each)
{
	if (nr > (uint64_t)(w->end - w->at) / each) {
		w->failed = true;
		return NULL;
	}
	return perfdata_take(w, nr * each);
}

/* The smallest size of a record. Trace data have 12 bytes in perf before 6.x: header and size. */
static inline uint16_t perfdata_record_least(uint32_t type)
{
	return type == PERFDATA_RECORD_AUXTRACE ? 16 :
	       type == PERFDATA_RECORD_TRACING_DATA ? 12 : sizeof(struct perf_event_header);
}

/* The size of the record at data, with those of its bytes that header.size does not count; 0
 * if that is invalid, with the reason in *wrong. left: bytes from data to the end. */
static inline uint64_t perfdata_record_size(const unsigned char *data, uint64_t left,
					    const char **wrong)
{
	struct perf_event_header header;
	uint64_t more = 0;

	*wrong = "is cut off";
	if (left < sizeof(header))
		return 0;
	memcpy(&header, data, sizeof(header));
	*wrong = "is shorter than its header";
	if (header.size < sizeof(header))
		return 0;
	*wrong = "is too short";
	if (header.size < perfdata_record_least(header.type))
		return 0;
	*wrong = "reaches beyond the data section";
	if (header.size > left)
		return 0;
	if (header.type == PERFDATA_RECORD_AUXTRACE ||
	    header.type == PERFDATA_RECORD_TRACING_DATA) {
		more = header.type == PERFDATA_RECORD_AUXTRACE ?
		       perfdata_u64(data + 8) : (perfdata_u32(data + 8) + 7ULL) & ~7ULL;
		if (more > left - header.size)
			return 0;
	}
	return header.size + more;
}

/* Whether a record without a size was cut off. A killed recorder or a truncated copy leaves
 * such a record at the end; a power failure leaves zeros there. */
static inline bool perfdata_record_cut(const unsigned char *data, uint64_t left)
{
	struct perf_event_header header;

	if (left < sizeof(header))
		return true;
	memcpy(&header, data, sizeof(header));
	return header.size >= perfdata_record_least(header.type) || !perfdata_u64(data);
}

/* Releases the pages of a mapping before offset, so that a large file does not fill the memory;
 * *forgotten: all before this were released. A page that is needed again is read again. */
void perfdata_forget(const unsigned char *base, uint64_t *forgotten, uint64_t offset);

/* Checks the fields that determine the layout of an event's records. Returns 0, or -1 with the
 * reason printed if they have unknown bits. */
int perfdata_layout_check(const char *path, const struct perf_event_attr *attr);

/* Whether the record is long enough to contain its time. *time points to it, or is NULL if the
 * event's records have none. */
bool perfdata_time(const struct perf_event_attr *attr, const unsigned char *data,
		   size_t size, bool sample, const unsigned char **time);

/* Parses a sample. Returns 0, or -1 when the record is too short. */
int perfdata_trailer(const struct perf_event_attr *attr,
		     struct perfdata_record *record);
int perfdata_sample_parse(const struct perfdata_event *event,
			  const unsigned char *body, size_t size,
			  struct perfdata_sample *sample);

/* Parses one feature section; events are named by EVENT_DESC. Returns 0, or -1: damaged, or
 * with errno memory is short. */
int perfdata_feature_parse(int feature, struct perfdata_window section,
			   struct perfdata_info *info,
			   struct perfdata_event *events, size_t nr_events);
void perfdata_info_free(struct perfdata_info *info);

/* Parses an event by its attr of attr_size bytes, in the file's version, and its ids. Returns
 * 0, or -1 with a message; in either case perfdata_event_free() frees the contents of *event,
 * which was all zeros before. */
int perfdata_event_take(const char *path, struct perfdata_event *event,
			const unsigned char *attr, size_t attr_size,
			const unsigned char *ids, size_t nr_ids);
void perfdata_event_free(struct perfdata_event *event);

/* Copies all data from a pipe to a temporary file and maps that; *size bytes, to be unmapped.
 * Returns NULL with a message. */
const unsigned char *perfdata_pipe_copy(const char *path, int fd, uint64_t *size);

/* Reads the events and the description from the records that perf writes into a pipe first,
 * in place of a file's tables. *events: malloc'd; *compressed: some of the records behind
 * these are compressed. An incomplete record ends them. Returns 0, or -1 with a message; the
 * caller frees the lists in either case. */
int perfdata_pipe_parse(const char *path, struct perfdata_window records,
			struct perfdata_event **events, size_t *nr_events,
			struct perfdata_info *info, bool *compressed);

#endif
