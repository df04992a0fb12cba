/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where calls were seen to go, in code of which nothing else says where its functions begin:
 * hand-written assembler, or compiled without unwind tables, once its symbols are stripped.
 */
#ifndef LBRCTL_STACKS_CALL_TARGETS_H
#define LBRCTL_STACKS_CALL_TARGETS_H

#include "stacks/build.h"
#include "stacks/maps.h"

struct targets;

/* maps must outlive it. NULL when memory is short. */
struct targets *targets_new(const struct maps *maps);
void targets_free(struct targets *targets);

/* Takes note of the calls of a sample. 0, or -1 when memory is short. */
int targets_note(struct targets *targets, const struct stacks_code *code,
		 const struct stacks_sample *sample);

/* The nearest one that is not behind place, if no function that is known otherwise is between
 * them: *start of the one that holds place. False: there is none. */
bool targets_find(struct targets *targets, struct place place, uint64_t *start);

#endif
