/* SPDX-License-Identifier: GPL-2.0 */
/* Adds up the taken branches in branch records. */
#ifndef LBRCTL_BLOCKS_BRANCHES_H
#define LBRCTL_BLOCKS_BRANCHES_H

#include "base/hash.h"
#include "stacks/maps.h"

struct branches_branch {
	struct place from, to;		/* in MAPS_KERNEL: addr is 0 */
	uint64_t executions, mispredicted;
	uint64_t odd;			/* executions in samples with an odd number */
};

/* Initialize with 0. */
struct branches {
	struct branches_branch *list;
	size_t max;
	struct hash index;		/* index.used: the number of branches */
};

/* Adds the executions of a branch. Returns 0, or -1 when memory is short. */
int branches_add(struct branches *branches, const struct branches_branch *branch);

/* Adds all of another one. Returns 0, or -1 when memory is short. */
int branches_merge(struct branches *branches, const struct branches *from);

/* Returns the sum of all executions. */
uint64_t branches_sum(const struct branches *branches);
void branches_free(struct branches *branches);

#endif
