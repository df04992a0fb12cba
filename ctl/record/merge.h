/* SPDX-License-Identifier: GPL-2.0 */
/* Merges sources that are each in order of time. */
#ifndef LBRCTL_RECORD_MERGE_H
#define LBRCTL_RECORD_MERGE_H

#include <stdint.h>

/*
 * Streams of records, each in time order by itself, brought into one order.
 * Nothing is copied or kept: a record stays where it is until its turn.
 */
struct merge_source {
	/* Sets time to that of the stream's oldest record: 1; 0 when it has
	 * none for now; negative on an error. */
	int (*peek)(struct merge_source *source);
	/* Writes that record out and steps over it. 0, or negative on an error. */
	int (*emit)(struct merge_source *source);
	uint64_t time;		/* ns */
	unsigned int order;	/* of two of the same time the lower goes first */
};

/* Emits all records with a time up to limit. heap: room for nr pointers.
 * Returns how many, or the first negative result of a source. */
int64_t merge_run(struct merge_source **sources, unsigned int nr,
		  struct merge_source **heap, uint64_t limit);

#endif
