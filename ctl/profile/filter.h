/* SPDX-License-Identifier: GPL-2.0 */
/* The filters for samples, with perf's options. */
#ifndef LBRCTL_PROFILE_FILTER_H
#define LBRCTL_PROFILE_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cpulist.h"
#include "base/part.h"
#include "stacks/maps.h"
#include "stacks/verdict.h"

/* A list of accepted words; empty: any word is accepted. */
struct filter_words {
	char *text;		/* the text, split at its commas */
	char **list;
	size_t nr;
};

struct filter_time {
	bool given, relative;	/* relative to the first sample */
	uint64_t ns;
};

/* Initialize with 0: all samples. filter_free() frees what the options have added. */
struct filter {
	struct filter_words comms, pids, tids;
	struct filter_words symbols, objects;	/* of the innermost frame */
	uint32_t verdicts;	/* a bit for each accepted enum stacks_verdict; 0: all */
	struct cpulist cpus;
	struct filter_time from, to;
	bool begun;		/* the time of the first sample is known, */
	uint64_t begin;		/* namely */
};

/* Rows for option tables of verbs; at: a struct filter of the type. */
#define FILTER_ROWS(type, at) \
	{ "time", 0, "FROM,TO", \
	  "only samples from FROM to TO, seconds as script prints them; +FROM, +TO: " \
	  "since the first sample", \
	  filter_times, part_of(type, at, struct filter) }, \
	{ "comms", 'c', "NAME,…", \
	  "only threads with these names", \
	  filter_comms, part_of(type, at, struct filter) }, \
	{ "pid", 0, "PID,…", \
	  "only these processes", \
	  filter_pids, part_of(type, at, struct filter) }, \
	{ "tid", 0, "TID,…", \
	  "only these threads", \
	  filter_tids, part_of(type, at, struct filter) }, \
	{ "cpu", 'C', "LIST", \
	  "only these CPUs: 0-3,8", \
	  filter_cpus, part_of(type, at, struct filter) }, \
	{ "dsos", 'd', "NAME,…", \
	  "only samples with the innermost frame in these files", \
	  filter_objects, part_of(type, at, struct filter) }, \
	{ "symbols", 'S', "NAME,…", \
	  "only samples with the innermost frame in these functions", \
	  filter_symbols, part_of(type, at, struct filter) }

/* A row for verbs that judge stacks. */
#define FILTER_VERDICT_ROW(type, at) \
	{ "verdict", 0, "NAME,…", \
	  "only stacks with these verdicts: complete, truncated, partial, broken, disputed, " \
	  "unproved, 'kernel only'", \
	  filter_verdicts, part_of(type, at, struct filter) }

/* The functions of these options; part: the struct filter. Return 0, or an exit status with a
 * message. */
int filter_times(const char *verb, const char *text, void *part);
int filter_comms(const char *verb, const char *text, void *part);
int filter_pids(const char *verb, const char *text, void *part);
int filter_tids(const char *verb, const char *text, void *part);
int filter_cpus(const char *verb, const char *text, void *part);
int filter_objects(const char *verb, const char *text, void *part);
int filter_symbols(const char *verb, const char *text, void *part);
int filter_verdicts(const char *verb, const char *text, void *part);
void filter_free(struct filter *filter);

/* Call it before the first sample of a capture. */
static inline void filter_begin(struct filter *filter)
{
	filter->begun = false;
}

/* Whether the sample's time, task and CPU pass the filter. Call it in order of time. */
bool filter_sample(struct filter *filter, struct maps *maps,
		   const struct perfdata_sample *sample);

/* Whether the filter has conditions on frames; whether a frame of this function in this file
 * meets them. */
bool filter_has_frames(const struct filter *filter);
bool filter_frame(const struct filter *filter, const char *symbol,
		  const char *object);

/* Whether stacks with this verdict pass. */
static inline bool filter_verdict(const struct filter *filter, enum stacks_verdict verdict)
{
	return !filter->verdicts || filter->verdicts & 1U << verdict;
}

/* Whether any sample may be left out. */
bool filter_active(const struct filter *filter);

#endif
