/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The formats that `lbrctl export` writes, each in a file of its own. Most are made of the same
 * profiles as the report, so their sums are its sums; those with write_counts are made of
 * branch records, as `lbrctl blocks` takes them.
 */
#ifndef LBRCTL_EXPORT_FORMAT_H
#define LBRCTL_EXPORT_FORMAT_H

#include <stdio.h>

#include "export/counts.h"
#include "profile/analysis.h"

/* What the one number of a stack counts. */
enum out_weight {
	OUT_EVENTS,		/* or nanoseconds of clocks and times off the CPU */
	OUT_SAMPLES,
};

struct out_format {
	const char *name;
	const char *description;
	bool binary;		/* output must not go to a terminal */
	bool sources;		/* needs analysis_query.sources */
	bool traces;		/* needs analysis.traces, with times off the CPU */
	bool moments;		/* needs analysis.moments, too */
	const char *one_event;	/* the reason that it cannot hold several events; NULL: it can */
	/* Writes the analysis and those that follow it. Returns 0, or -1 when memory is short.
	 * Write errors stay with out. */
	int (*write)(const struct analysis *analysis, FILE *out);
	/* Instead, of a format with one number for a stack: the same, by that number. */
	int (*write_weights)(const struct analysis *analysis, enum out_weight weight, FILE *out);
	/* Instead: writes a file of that name. Returns 0, or -1 with a message. */
	int (*write_file)(const struct analysis *analysis, const char *path);
	/* Instead: writes the branches of one object. */
	void (*write_counts)(const struct counts *counts, FILE *out);
};

extern const struct out_format out_folded, out_csv, out_json, out_speedscope,
	out_pprof, out_firefox, out_perf, out_bolt, out_profgen, out_autofdo;

uint64_t out_number(enum out_weight weight, uint64_t samples, uint64_t period);

const struct perf_event_attr *out_attr(const struct analysis *analysis);

/* Whether the event's periods are nanoseconds: of times off the CPU, and of clocks. */
bool out_is_time(const struct analysis *analysis);

/* Their unit: "nanoseconds" or "count". */
const char *out_unit(const struct analysis *analysis);

/* The times of an analysis and those that follow it, in ns. */
struct out_time {
	uint64_t begin;		/* since 1970; 0: the capture does not relate its clock to that */
	uint64_t duration;	/* from the first sample to the last */
};
struct out_time out_time(const struct analysis *first);

/* A stack of an analysis with sources, divided into its parts. */
struct out_stack {
	const char *process, *thread;
	char verdict[32];	/* as in the report */
	const char *reason;	/* of the verdict */
	const uint32_t *frames;	/* nodes of functions, outermost first */
	size_t nr;
};

void out_split(const struct profile *profile,
	       const struct profile_stack *whole, struct out_stack *stack);

#endif
