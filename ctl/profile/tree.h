/* SPDX-License-Identifier: GPL-2.0 */
/* The call tree. It does not know where the samples came from. */
#ifndef LBRCTL_PROFILE_TREE_H
#define LBRCTL_PROFILE_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum profile_kind {
	PROFILE_USER,
	PROFILE_KERNEL,
	PROFILE_TAIL_CALL,	/* inferred: it was left by a jump */
	PROFILE_INLINED,	/* inlined into its caller */
	PROFILE_PROCESS,	/* a process by its name: the top of the tree */
	PROFILE_THREAD,		/* a thread by its name or id, if the query divides by these */
	PROFILE_MARK,		/* stands for the outer callers that a stack lacks, or for a state */
	PROFILE_NR_KINDS
};

/* What shows a frame. */
enum profile_source {
	PROFILE_ANY,		/* not asked for: paths_to.sources */
	PROFILE_SAMPLED,	/* the sampled address */
	PROFILE_LBR,
	PROFILE_LBR_AND_MEMORY,
	PROFILE_MEMORY,		/* the user stack, or the delivery of a signal */
	PROFILE_BY_POINTER,	/* frame pointers */
	PROFILE_OTHERS,		/* other samples of the thread */
	PROFILE_BY_CODE,	/* the code: a tail call */
	PROFILE_BY_KERNEL,	/* the kernel's unwinder, of its own stack */
	PROFILE_NR_SOURCES
};

/* An entry that nodes of the tree stand for; strings belong to the caller. */
struct profile_entry {
	enum profile_kind kind;
	enum profile_source source;
	bool unknown;		/* stands for all unknown functions */
	const char *name, *object;
};

/* Returns "user", "kernel" …, for files. */
const char *profile_kind_name(enum profile_kind kind);
/* Returns "LBR", "memory" …, for files; "" if it was not asked for. */
const char *profile_source_name(enum profile_source source);
/* Returns the text behind the name of a function, such as " [inlined]"; "": nothing. */
const char *profile_kind_suffix(enum profile_kind kind);

struct hash;

/* The weights are elsewhere: a search for a path passes four nodes of a new path in a cache line. */
struct profile_node {
	uint32_t entry;			/* not valid for the root */
	uint32_t parent, first_child, next;	/* 0: none, or the root */
};

/* The weight of samples: their number, the sum of their periods and of the squares. */
struct profile_weight {
	uint64_t samples, period;
	double squares;
};

/* Parts of a node's total. */
struct profile_marked {
	uint64_t unwound;		/* that only the recorded user stack shows, */
	uint64_t pointed;		/* and that rests on a frame pointer; */
	uint64_t stitched;		/* that other samples of the thread show, */
	uint64_t unproved;		/* in whole stacks without the verdict complete, which this
					 * node is the outermost frame of, */
	uint64_t recursive;		/* with the function on the stack more than once */
};

struct profile {
	struct profile_entry *entries;
	size_t nr_entries, max_entries;
	struct profile_node *nodes;	/* nodes[0] is the root */
	size_t nr_nodes, max_nodes;
	struct profile_weight *self, *total;	/* by node; total: NULL before profile_sort() */
	size_t max_self;
	struct profile_marked *marked;	/* by node; beyond nr_marked all are 0 */
	size_t nr_marked, max_marked;
	/* The children of nodes with more than a few of them, by parent and entry; entry i of the
	 * index is node indexed[i]. */
	struct hash *index;
	uint32_t *indexed;
	size_t max_indexed;
};

/* Returns NULL when memory is short. */
struct profile *profile_new(void);
void profile_free(struct profile *profile);

/* Adds an entry. Returns UINT32_MAX when memory is short. */
uint32_t profile_entry_new(struct profile *profile, enum profile_kind kind,
			   const char *name, const char *object);

/* In a path: only the recorded user stack shows this entry, or rests on a frame pointer where it
 * does, or only other samples of the thread show it. */
#define PROFILE_UNWOUND		(1U << 31)
#define PROFILE_POINTED		(1U << 28)
#define PROFILE_STITCHED	(1U << 30)
/* Samples of its recursive calls are folded into this entry. */
#define PROFILE_RECURSIVE	(1U << 29)
/* The outermost frame of a whole stack whose verdict is not complete. */
#define PROFILE_UNPROVED	(1U << 27)
#define PROFILE_CONCLUDED	(PROFILE_UNWOUND | PROFILE_POINTED | PROFILE_STITCHED)
#define PROFILE_MARKS		(PROFILE_CONCLUDED | PROFILE_RECURSIVE | PROFILE_UNPROVED)

/* Adds samples to the path of entries, outermost first; *end: its last node. Returns 0, or -1 when
 * memory is short. */
int profile_add(struct profile *profile, const uint32_t *path, size_t nr,
		const struct profile_weight *weight, uint32_t *end);

/* Computes the totals, and sorts the children of each node: larger total first, then by name. Call
 * it once, after the last profile_add(). */
int profile_sort(struct profile *profile);

/* Returns the parts of the node's total. */
struct profile_marked profile_marked(const struct profile *profile, uint32_t n);

/* Returns the next node after n in tree order, callers first, among those below a node (0:
 * all); 0: none. *depth: its number of callers plus one. */
uint32_t profile_next(const struct profile *profile, uint32_t n, uint32_t below,
		      size_t *depth);

/* A stack in which samples ended. */
struct profile_stack {
	const uint32_t *nodes;	/* outermost first, including the process */
	size_t nr;
	uint64_t samples, period;
};

/* Calls stack() for each stack below the node (0: all), in tree order, until it returns
 * non-zero, and returns that. -1 when memory is short. */
int profile_walk(const struct profile *profile, uint32_t below,
		 int (*stack)(void *ctx, const struct profile_stack *stack),
		 void *ctx);

#endif
