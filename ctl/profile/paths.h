/* SPDX-License-Identifier: GPL-2.0 */
/* Puts stacks into the call tree and the table. */
#ifndef LBRCTL_PROFILE_PATHS_H
#define LBRCTL_PROFILE_PATHS_H

#include <limits.h>

#include "base/hash.h"
#include "profile/symbols.h"
#include "profile/table.h"
#include "profile/tally.h"
#include "profile/tree.h"
#include "stacks/build.h"

struct paths {
	/* Set by the caller; the rest is 0. */
	struct paths_to {
		struct symbols *symbols;
		struct profile *profile;
		struct rows *rows;	/* NULL: no table */
		bool no_tree;		/* the profile gets the entries alone */
		bool fold;		/* recursive calls are folded into the first occurrence */
		bool inverted;		/* callers below their callees, no processes */
		bool waiting;		/* samples are times off the CPU */
		bool sources;		/* entries differ by what shows them, and below each
					 * process come its thread and the verdict, with its reason
					 * as object */
	} to;

	/* 1 + entry of a function by its number and source; without to.sources, that is BY_CODE of
	 * a tail caller, else ANY. 0: not created. */
	uint32_t (*of)[PROFILE_NR_SOURCES];
	uint32_t *path;
	struct rows_line *lines;	/* the current path */
	uint32_t *place;		/* by entry: it is in the folded path */
	uint32_t *tasks;		/* entries of processes and threads, */
	struct hash by_name;		/* and their index */
	size_t max, max_path, max_lines, max_place, max_tasks;
	uint32_t marks[VERDICT_ROWS];	/* 1 + entry of each mark, by the row of verdict_table, or
					 * without to.sources by its verdict; 0: not created */

	uint32_t states[UCHAR_MAX + 1];	/* the same for each samples_state() */

	/* Of the last paths_add(): */
	uint32_t end;			/* the node that the path ends in */
	uint32_t own;			/* the entry whose self the samples are */
	uint32_t concluded;		/* entries of the path up to the innermost that is
					 * PROFILE_CONCLUDED; 0: none is */
};

/* Adds the stack, with the samples of t. Returns 0, or -1 when memory is short. */
int paths_add(struct paths *paths, const struct tally_stack *t,
	      const struct stacks_stack *stack);

void paths_free(struct paths *paths);

#endif
