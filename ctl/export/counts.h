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
	uint64_t contradicted;		/* executions of branches that the code contradicts */
};

struct counts_query {
	const char *input, *event;	/* as of struct analysis_query */
	const char *object;		/* its path or the end of it; NULL: the object with most
					 * branches */
	struct filter *filter;		/* without conditions on frames */
};

/* Counts what the code does not contradict, and prints what was left out. Returns 0, or -1 with a
 * message; counts_free() in both cases. */
int counts_read(struct counts *counts, const struct counts_query *query);
void counts_free(struct counts *counts);

#endif
