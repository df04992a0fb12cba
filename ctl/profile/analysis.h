/* SPDX-License-Identifier: GPL-2.0 */
/* From a capture's file to its profile and the figures that go with it: what every
 * report begins with. */
#ifndef LBRCTL_PROFILE_ANALYSIS_H
#define LBRCTL_PROFILE_ANALYSIS_H

#include <stdio.h>

#include "base/confidence.h"
#include "profile/filter.h"
#include "profile/group_counts.h"
#include "profile/samples.h"
#include "profile/symbols.h"
#include "profile/table.h"
#include "profile/tree.h"
#include "stacks/build.h"

/* The query of an analysis. */
struct analysis_query {
	const char *input;		/* the capture */
	const char *event;		/* as samples_select() takes it */
	bool strict;			/* without stacks that are broken or disputed */
	struct filter *filter;		/* of which samples; NULL: all */
	const struct symbols_options *names;
	const struct rows_sort *sort;	/* of the table; NULL: none is needed */
	/* Of the tree. */
	bool fold;			/* recursion is where it began */
	bool inverted;			/* callers below what they call, no threads */
};

#define ANALYSIS_REASONS	8

struct analysis_cpu {
	uint64_t samples, period;
};

struct analysis {
	struct samples *samples;
	struct symbols *symbols;
	struct targets *targets;
	struct profile *profile;
	struct rows *rows;		/* NULL without query.sort */
	struct stitch *stitch;
	struct group group;		/* what was counted besides, */
	uint64_t *counts;		/* by event, in all */
	uint64_t *words;		/* of a sample, and where it was */
	size_t max_words;
	char *event;			/* names of the sampled events, "a, b" */
	bool offcpu;			/* periods are ns off the CPU */
	uint64_t nr_samples;
	uint64_t nr_read;		/* samples of the event, before the filter */
	struct analysis_cpu *cpus;	/* by number; without samples: no such CPU */
	size_t nr_cpus, max_cpus;
	uint64_t period;		/* of each sample; 0: not fixed */
	uint64_t period_sum;
	double squares_sum;		/* of the periods */
	uint64_t first_time, last_time;	/* ns; both 0 without times */
	uint64_t verdicts[STACKS_NR_VERDICTS];	/* in samples */
	struct analysis_reason {
		const char *text;
		uint64_t samples;
	} reasons[ANALYSIS_REASONS];			/* why stacks are broken; text NULL ends */
	uint64_t inferred;		/* samples with inferred tail calls */
	uint64_t unwound;		/* samples with frames that only the recorded user stack
					 * shows
					 */
	uint64_t stitched;		/* samples with frames by the thread's past */
	struct analysis_query query;
	uint64_t left_out;		/* samples of broken and disputed stacks that are
					 * left out; not in period_sum */
	uint64_t unverified;		/* samples with entries that could not be
					 * checked for want of the code */
};

/* Returns NULL with the reason printed; a capture without samples is no error. The query's
 * pointers must outlive the analysis. */
struct analysis *analysis_open(const struct analysis_query *query);
void analysis_free(struct analysis *analysis);

/* Prints that there are no samples, or none that passes the filter. Returns -1. */
int analysis_none(const struct analysis *analysis);

/* What the recorder found when it compared stacks that the LBR called complete with the user
 * stack: all of the recording, not only the samples that are selected. */
struct analysis_audit {
	uint64_t checked, disagreed;	/* samples */
	size_t failed;			/* processes of those that disagreed */
	struct share_interval wrong;	/* the part that is wrong, with 95 % confidence */
};
struct analysis_audit analysis_audit(const struct analysis *analysis);

/* period_part in percent of all. */
double analysis_percent(const struct analysis *analysis, uint64_t period_part);

/* The same as a JSON object, as lbrctl-json(7) has it; key: that of base/json.h. */
struct json;
void analysis_put_json(const struct analysis *analysis, struct json *json, const char *key);

/* The summary that stands above each report, line by line without line ends;
 * `line` is called for each. */
void analysis_summary(const struct analysis *analysis,
		      void (*line)(void *ctx, const char *text), void *ctx);

/* Prints only which files have no names, and why. */
void analysis_unnamed(const struct analysis *analysis,
		      void (*line)(void *ctx, const char *text), void *ctx);

#endif
