/* SPDX-License-Identifier: GPL-2.0 */
/* The functions at the places of calls. Private to stitch.c. */
#ifndef LBRCTL_STACKS_STITCH_FUNCTIONS_H
#define LBRCTL_STACKS_STITCH_FUNCTIONS_H

#include <stdbool.h>

#include "base/hash.h"
#include "stacks/maps.h"

struct stitch_function {
	struct place place;		/* the key: a place */
	struct place start;		/* the beginning of its function */
	bool known;			/* that function is known, and was entered at start */
	uint32_t number;		/* of the start, from 1; 0: not known, or not looked up yet */
	uint64_t visit;			/* number of the last visit, of a start */
};

/* The caller sets maps; the rest is 0. */
struct stitch_functions {
	struct maps *maps;
	struct stitch_function *list;
	size_t max;
	struct hash index;
	uint64_t visit;			/* the caller begins a visit by a new number */
};

void stitch_functions_free(struct stitch_functions *functions);

/* Returns 1: *start is set; 0: the function is not known; -1: memory is short. */
int stitch_functions_start(struct stitch_functions *functions, struct place place,
			   struct place *start);

/* Sets *number to that of the function at the place, from 1; 0: the function is not known. Returns
 * 0, or -1 when memory is short. */
int stitch_functions_number(struct stitch_functions *functions, struct place place,
			    uint32_t *number);

/* Whether this visit meets the function of that number, which is not 0, for the first time. */
static inline bool stitch_functions_meet(struct stitch_functions *functions, uint32_t number)
{
	struct stitch_function *f = &functions->list[number - 1];
	bool fresh = f->visit != functions->visit;

	f->visit = functions->visit;
	return fresh;
}

/* Returns 1: this visit meets the function at the place for the first time; 0: not the first
 * time, or it is not known; -1: memory is short. */
int stitch_functions_visit(struct stitch_functions *functions, struct place place);

#endif
