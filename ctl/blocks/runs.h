/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The code between two consecutive taken branches in a branch record: from the target of the
 * older one to the address of the younger one. Exactly this code ran, so each run is one
 * execution of all instructions in between. The cycles of the younger entry are those since the
 * older one.
 */
#ifndef LBRCTL_BLOCKS_RUNS_H
#define LBRCTL_BLOCKS_RUNS_H

#include "base/hash.h"
#include "blocks/branches.h"
#include "profile/samples.h"
#include "stacks/maps.h"

struct runs_run {
	uint32_t file;		/* of both ends */
	uint64_t start, end;	/* places; end is that of the branch */
	struct place origin;	/* the branch to start, if runs.with_branches; else 0 */
	uint64_t executions;
	uint64_t mispredicted, predicted;	/* of the branch; both 0 if the CPU does not
						 * record this
						 */
	uint64_t timed;		/* executions with known cycles, and the sum of these */
	uint64_t cycles;
	size_t first_time;	/* index in runs.times, after runs_finish() */
	size_t nr_times;
	unsigned int instructions;	/* set by the caller who decodes them; else 0 */
};

/* How often a run took this number of cycles. */
struct runs_time {
	uint32_t run;
	uint32_t cycles;
	uint64_t executions;
};

/* Initialize with 0, but: */
struct runs {
	bool with_branches;		/* fill in the next five fields, and tell runs by their
					 * origin apart */
	struct branches taken;		/* all branches that begin or end in user mode */
	uint64_t empty, within_kernel;	/* entries without addresses; with both ends in the
					 * kernel, or one there and the other hidden */
	struct branches sampled;	/* the sampled addresses: from and to are the same */
	bool odd;			/* whether the number of the sample being added is odd */
	struct runs_run *list;
	size_t nr, max;
	struct hash index;
	struct runs_time *times;
	size_t nr_times, max_times;
	struct hash time_index;
	uint64_t samples, branches;	/* branch entries in these samples */
	uint64_t bare;			/* samples without entries */
	uint64_t wrong_path;		/* entries of branches that never retired (AMD) */
	uint64_t kernel;		/* runs that begin or end in the kernel */
	uint64_t backward;		/* runs that end before they begin */
	uint64_t pairs;			/* samples with more than one branch entry, */
	uint64_t repeats;		/* and those of them that repeat the newest one */
	struct runs *newest;		/* runs that end with the newest entry, up to runs_finish() */
	uint64_t left_out;		/* executions of these, if they were left out, */
	uint64_t taken_left_out;	/* and of the newest branches themselves */
};

/* Adds the runs of a sample's branch records. Returns 0, or -1 with a message. */
int runs_add(struct runs *runs, struct maps *maps, const struct recorded_sample *sample);

/* Sorts runs (by file, start, end and origin) and their times (by cycles). Leaves out what ends
 * with the newest entry of a sample, if more than 1 % of the samples have that entry twice, as on
 * Skylake. Call it once, after the last runs_add(). Returns 0, or -1 with a message. */
int runs_finish(struct runs *runs);
void runs_free(struct runs *runs);

/* Several runs as one, such as those that end at the same branch. */
struct runs_summary {
	uint64_t executions, mispredicted, predicted;
	uint64_t timed, cycles;
	uint64_t instructions;		/* of the timed executions */
	uint32_t low, median, high;	/* cycles that 10, 50 and 90 % of the timed executions
					 * did not exceed; 0 without timed ones */
};

/* Sums up the runs of a list. Returns 0, or -1 with a message. */
int runs_summarise(const struct runs *runs, const struct runs_run *const *list, size_t nr,
		   struct runs_summary *summary);

#endif
