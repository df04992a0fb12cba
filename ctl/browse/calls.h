/* SPDX-License-Identifier: GPL-2.0 */
/* A tree whose branches open and close: the callers and callees of a function, or all calls from
 * the threads down. */
#ifndef LBRCTL_BROWSE_CALLS_H
#define LBRCTL_BROWSE_CALLS_H

#include "browse/picture.h"

/* Function numbers of the two first lines. */
#define CALLS_CALLERS	(PICTURE_ALL - 1)
#define CALLS_CALLEES	(PICTURE_ALL - 2)

struct calls_line {
	uint32_t function;		/* of the event, or one of the above */
	uint32_t depth, parent;
	bool callers;			/* its branches are its callers */
	bool made, open, leaf;
	uint32_t first, nr;		/* its branches, if made: consecutive lines */
	struct profile_weight self, total;
	uint64_t concluded;		/* as picture_node.concluded; of a caller, also of samples
					 * that did not come through here */
	uint64_t whole;			/* the total that `concluded` is a part of */
	struct calls_place {
		uint32_t counted, here;	/* the node with the samples; the node of this line */
	} *places;
	size_t nr_places;
};

struct calls {
	const struct picture_event *event;
	struct calls_line *list;
	size_t nr, max;
	uint32_t *shown;		/* lines that are visible, in order */
	size_t nr_shown, max_shown;
	uint32_t *met;			/* by function: 1 + line, while branches are made */
};

/* Makes the tree of a function; PICTURE_ALL: of all calls. The event must outlive the calls, with
 * its choice of samples. Returns 0, or -1 when memory is short; call calls_free() in both cases. */
int calls_make(struct calls *calls, const struct picture_event *event, uint32_t function);
void calls_free(struct calls *calls);

/* Open or close the visible line; open with all its branches that have this weight at least. Return
 * 0, or -1 when memory is short. */
int calls_turn(struct calls *calls, size_t shown, bool open);
int calls_open_all(struct calls *calls, size_t shown, uint64_t least);
/* Closes all but the first lines. Returns 0, or -1 when memory is short. */
int calls_close_all(struct calls *calls);

/* Opens what is open in the other tree, of an earlier picture. Returns 0, or -1 when memory is
 * short. */
int calls_open_like(struct calls *calls, const struct calls *other);

#endif
