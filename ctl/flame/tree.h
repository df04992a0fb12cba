/* SPDX-License-Identifier: GPL-2.0 */
/* The tree that a flame graph shows: that of one profile, or of two profiles merged function
 * by function. */
#ifndef LBRCTL_FLAME_TREE_H
#define LBRCTL_FLAME_TREE_H

#include <stdbool.h>

#include "profile/analysis.h"

/* The kinds of frames that have their own colour. */
enum flame_kind {
	FLAME_USER,
	FLAME_KERNEL,
	FLAME_JIT,		/* code that was made at run time */
	FLAME_INLINED,		/* inlined into its caller */
	FLAME_INFERRED,		/* concluded, not recorded */
	FLAME_TASK,		/* a process */
	FLAME_MARK,		/* stands for outer frames that are missing */
	FLAME_NR_KINDS
};

/* One of the two profiles. */
struct flame_side {
	const struct analysis *analysis;
	double each;		/* weight of a sample; 0: its period */
};

struct flame_node {
	uint32_t entry;		/* index in flame.entries; not valid for the root */
	uint32_t parent, depth;	/* of the root 0 */
	uint32_t first_child, nr_children;	/* children are consecutive */
	uint64_t self[2], total[2];
	uint64_t self_samples[2], total_samples[2];
	double self_squares[2], total_squares[2];	/* sums of the squares of weights */
	uint32_t of[2];		/* nodes of the profiles; UINT32_MAX: absent */
};

struct flame {
	struct flame *next;		/* that of another event; NULL: none */
	struct flame_side sides[2];
	unsigned int nr_sides;
	struct profile_entry const **entries;
	size_t nr_entries;
	struct flame_node *nodes;	/* nodes[0] is the root */
	size_t nr_nodes, max_nodes;
};

/* Builds the tree of one analysis, or (b is not NULL) of two, which must outlive it. Returns 0,
 * or -1 when memory is short; call flame_free() in both cases. */
int flame_build(struct flame *flame, const struct flame_side *a,
		const struct flame_side *b);
void flame_free(struct flame *flame);

/* Returns the kind of frame for an entry. */
enum flame_kind flame_kind(const struct profile_entry *entry);

/* Returns the node after n in tree order, callers first; 0: none. */
uint32_t flame_next(const struct flame *flame, uint32_t n);

#endif
