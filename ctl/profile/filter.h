/* SPDX-License-Identifier: GPL-2.0 */
/* Which samples of a capture are meant, by the options that perf has for it. */
#ifndef LBRCTL_PROFILE_FILTER_H
#define LBRCTL_PROFILE_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cpulist.h"
#include "stacks/maps.h"

/* Some of these words; none: any will do. */
struct filter_words {
	char *text;		/* split at its commas */
	char **list;
	size_t nr;
};

struct filter_time {
	bool given, relative;	/* to the first sample */
	uint64_t ns;
};

/* Empty at first: all samples. filter_free() what filter_option() has filled. */
struct filter {
	struct filter_words comms, pids, tids;
	struct filter_words symbols, objects;	/* of the innermost frame */
	struct cpulist cpus;
	struct filter_time from, to;
	bool begun;		/* the first sample's time is known, */
	uint64_t begin;		/* this */
};

/* Theirs in getopt(3)'s way. */
enum { FILTER_TIME = 512, FILTER_PID, FILTER_TID };
#define FILTER_ROWS \
	{ "time", FILTER_TIME, "FROM,TO", \
	  "only samples from FROM to TO, seconds as script prints them; +FROM, +TO: " \
	  "since the first sample" }, \
	{ "comms", 'c', "NAME,…", \
	  "only these threads, by name" }, \
	{ "pid", FILTER_PID, "PID,…", \
	  "only these processes" }, \
	{ "tid", FILTER_TID, "TID,…", \
	  "only these threads" }, \
	{ "cpu", 'C', "LIST", \
	  "only these CPUs: 0-3,8" }, \
	{ "dsos", 'd', "NAME,…", \
	  "only where the innermost frame is in these files" }, \
	{ "symbols", 'S', "NAME,…", \
	  "or in these functions" }

/* Takes option c of these. 0, or an exit status with a message. */
int filter_option(const char *verb, int c, const char *argument,
		  struct filter *filter);
void filter_free(struct filter *filter);

/* Before the first sample of a capture. */
static inline void filter_begin(struct filter *filter)
{
	filter->begun = false;
}

/* Whether the sample's time, task and CPU are meant. To be asked in order of time. */
bool filter_sample(struct filter *filter, struct maps *maps,
		   const struct perfdata_sample *sample);

/* Whether frames are looked at, and one of this function in this file is meant. */
bool filter_has_frames(const struct filter *filter);
bool filter_frame(const struct filter *filter, const char *symbol,
		  const char *object);

/* Whether any sample may be left out. */
bool filter_active(const struct filter *filter);

#endif
