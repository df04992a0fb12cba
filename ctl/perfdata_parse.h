/* SPDX-License-Identifier: GPL-2.0 */
/* Shared by perfdata_read.c, perfdata_sample.c and perfdata_feature.c alone. */
#ifndef LBRCTL_PERFDATA_PARSE_H
#define LBRCTL_PERFDATA_PARSE_H

#include "perfdata_read.h"

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

/* nr elements of `each` bytes; nr comes from the file, so it may be anything. */
static inline const unsigned char *
perfdata_take_array(struct perfdata_window *w, uint64_t nr, uint64_t each)
{
	if (nr > (uint64_t)(w->end - w->at) / each) {
		w->failed = true;
		return NULL;
	}
	return perfdata_take(w, nr * each);
}

/* What decides the layout of an event's records. 0, or -1 with the reason
 * printed when it has bits that we do not know. */
int perfdata_layout_check(const char *path, const struct perf_event_attr *attr);

/* Bytes of the sample_id trailer; 0 without sample_id_all. */
size_t perfdata_trailer_size(const struct perf_event_attr *attr);

/* Whether the record is long enough for what tells its time: *time is that, or NULL
 * where the event's records have none. */
bool perfdata_time(const struct perf_event_attr *attr, const unsigned char *data,
		   size_t size, bool sample, const unsigned char **time);

/* 0, or -1 when the record is too short. */
int perfdata_trailer(const struct perf_event_attr *attr,
		     struct perfdata_record *record);
int perfdata_sample_parse(const struct perf_event_attr *attr,
			  const unsigned char *body, size_t size,
			  struct perfdata_sample *sample);

/* One feature section; events are named by EVENT_DESC. 0, or -1 when damaged. */
int perfdata_feature_parse(int feature, struct perfdata_window section,
			   struct perfdata_info *info,
			   struct perfdata_event *events, size_t nr_events);
void perfdata_info_free(struct perfdata_info *info);

/* The name perf gives to an event that the file does not name; malloc'd. */
char *perfdata_event_name(const struct perf_event_attr *attr);

#endif
