/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The taken branches of one object and the straight runs of its code between them, counted: the
 * input of optimizers. Addresses are virtual addresses of the file.
 */
#ifndef LBRCTL_EXPORT_COUNTS_H
#define LBRCTL_EXPORT_COUNTS_H

#include "blocks/capture.h"

/* Another object, the kernel, or memory that belongs to no file. No code has this address. */
#define COUNTS_OUTSIDE	0

struct counts_range {
	uint64_t start, end;		/* end is the address of the branch at the end */
	uint64_t executions;
	uint64_t entered;		/* those that a branch of another function led to */
};

struct counts_branch {
	uint64_t from, to;		/* COUNTS_OUTSIDE: one of them, at most */
	uint64_t executions, mispredicted;
	uint64_t odd;			/* executions in samples with an odd number */
};

/* Why an entry of the branch records is not counted. */
enum counts_cause {
	COUNTS_EMPTY,			/* the record was not full */
	COUNTS_KERNEL,			/* both ends are in the kernel, or hidden */
	COUNTS_WRONG_PATH,		/* the branch never retired */
	COUNTS_REPEATED,		/* the newest entry is a copy of the next one (runs.h) */
	COUNTS_NEWEST,			/* the newest of other samples, if copies are frequent */
	COUNTS_OTHER,			/* both ends are in other objects, or in no file */
	COUNTS_NO_CODE,			/* the object's code is not at hand, or is another one */
	COUNTS_NO_INSTRUCTION, COUNTS_NO_BRANCH, COUNTS_ELSEWHERE,	/* the code contradicts
					 * it: enum blocks_leads */
	COUNTS_CAUSES
};

/* What became of the records. */
struct counts_tally {
	uint64_t samples, bare;		/* all of them, and those without entries */
	uint64_t entries;		/* = used + the sum of left_out */
	uint64_t used, left_out[COUNTS_CAUSES];
	uint64_t runs;			/* executions of the runs that are counted, */
	uint64_t runs_contradicted;	/* and of those that the code contradicts, or that an
					 * interrupt ended; */
	uint64_t runs_backward;		/* in all objects: that end before they begin, or in
					 * another object */
};

/* What prevents a count. */
enum counts_failure {
	COUNTS_COUNTED,
	COUNTS_UNREADABLE,		/* the capture, or memory was short */
	COUNTS_NO_BRANCHES,		/* no entries, or none of an object */
	COUNTS_WITHOUT_CODE,		/* the object's code is not at hand, */
	COUNTS_OTHER_BUILD,		/* or only that of another build */
	COUNTS_NO_RUNS,			/* the code contradicts all runs */
};

/* A sampled address of the object. */
struct counts_sampled {
	uint64_t addr, samples;
};

struct counts {
	struct blocks_capture capture;	/* the runs of this object */
	uint32_t file;
	const char *path;
	const struct object *object;
	struct counts_range *ranges;	/* by start and end */
	size_t nr_ranges;
	struct counts_branch *branches;	/* by from and to */
	size_t nr_branches;
	struct counts_sampled *sampled;	/* by addr */
	size_t nr_sampled;
	struct counts_tally tally;	/* up to the failure, if there is one */
	enum counts_failure failure;
	const char *event;		/* the events with branches; NULL: several */
	uint64_t period;		/* of the samples; 0: it varies */
	uint64_t weight;		/* events that one counted execution stands for; 0: unknown */
};

struct counts_query {
	const char *input, *event;	/* as of struct analysis_query */
	const char *object;		/* its path or the end of it; NULL: the object with most
					 * branches */
	const struct counts *like;	/* instead: the object of this build; NULL: none */
	struct filter *filter;		/* without conditions on frames */
};

/* Counts what the code does not contradict. Returns 0, or -1 with a message; counts_free() in
 * both cases. */
int counts_read(struct counts *counts, const struct counts_query *query);

/* Prints what was left out, and the reason. */
void counts_warn_left_out(const struct counts *counts);

/* Sorts what is counted, and adds up what is equal. */
void counts_combine(struct counts *counts);

/* Adds the counts of another capture of the same build. If both have fixed periods that differ,
 * executions are multiplied, so that each stands for equally many; the tallies are not. Returns
 * 0, or -1 with a message. */
int counts_merge(struct counts *counts, struct counts *more);
void counts_free(struct counts *counts);

#endif
