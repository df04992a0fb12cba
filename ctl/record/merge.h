/* SPDX-License-Identifier: GPL-2.0 */
/* Merges sources that are each sorted by time. */
#ifndef LBRCTL_RECORD_MERGE_H
#define LBRCTL_RECORD_MERGE_H

#include <stdint.h>

/*
 * Streams of records, each sorted by time, merged into one order. Nothing is copied or stored:
 * a record stays where it is until its turn.
 */
struct merge_source {
	/* Sets time to that of the stream's oldest record and returns 1; 0 if there is no
	 * record now; negative on an error. */
	int (*peek)(struct merge_source *source);
	/* Writes that record and steps over it. Returns 0, or negative on an error. */
	int (*emit)(struct merge_source *source);
	uint64_t time;		/* ns */
	unsigned int order;	/* of two records with the same time, the one with the lower
				 * order is first
				 */
};

/* Emits all records with a time up to limit. heap: room for nr pointers. Returns their number,
 * or the first negative result of a source. */
int64_t merge_run(struct merge_source **sources, unsigned int nr,
		  struct merge_source **heap, uint64_t limit);

#endif
