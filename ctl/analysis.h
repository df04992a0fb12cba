/* SPDX-License-Identifier: GPL-2.0 */
/* From a capture's file to its profile and the figures that go with it: what every
 * report begins with. */
#ifndef LBRCTL_ANALYSIS_H
#define LBRCTL_ANALYSIS_H

#include "profile.h"
#include "samples.h"
#include "stacks.h"
#include "symbols.h"

struct analysis {
	struct samples *samples;
	struct symbols *symbols;
	struct profile *profile;
	struct stitch *stitch;
	char *event;			/* names of the sampled events, "a, b" */
	bool offcpu;			/* periods are ns off the CPU */
	uint64_t nr_samples;
	uint64_t period;		/* of each sample; 0: not fixed */
	uint64_t period_sum;
	uint64_t first_time, last_time;	/* ns; both 0 without times */
	uint64_t verdicts[STACKS_NR_VERDICTS];	/* in samples */
	struct analysis_reason {
		const char *text;
		uint64_t samples;
	} reasons[8];			/* why stacks are broken; text NULL ends */
	uint64_t inferred;		/* samples with inferred tail calls */
	uint64_t unwound;		/* samples with frames that only the recorded
					 * user stack tells */
	uint64_t stitched;		/* samples with frames by the thread's past */
	bool strict;			/* without stacks that are broken or disputed */
	uint64_t left_out;		/* samples of these; not in period_sum */
	uint64_t unverified;		/* samples with entries that could not be
					 * checked for want of the code */
};

/* Of an event as samples_select() takes it. NULL with the reason printed. */
struct analysis *analysis_open(const char *path, const char *event, bool strict,
			       const struct symbols_options *names);
void analysis_free(struct analysis *analysis);

/* period_part in percent of all. */
double analysis_percent(const struct analysis *analysis, uint64_t period_part);

/* The summary that stands above each report, line by line without line ends;
 * `line` is called for each. */
void analysis_summary(const struct analysis *analysis,
		      void (*line)(void *ctx, const char *text), void *ctx);

#endif
