/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Targets of recorded calls. They mark the beginning of functions in code that has no other
 * information: hand-written assembler, or code compiled without unwind tables, after its
 * symbols were stripped.
 */
#ifndef LBRCTL_STACKS_CALL_TARGETS_H
#define LBRCTL_STACKS_CALL_TARGETS_H

#include "stacks/build.h"
#include "stacks/maps.h"

struct targets;

/* maps must outlive the result. NULL when memory is short. */
struct targets *targets_new(const struct maps *maps);
void targets_free(struct targets *targets);

/* Notes the calls of a sample. Returns 0, or -1 when memory is short. */
int targets_note(struct targets *targets, const struct stacks_code *code,
		 const struct stacks_sample *sample);

/* Finds the nearest target at or before place, if no function known otherwise lies between
 * them; *start: the beginning of the function that contains place. Returns false if there is
 * none. */
bool targets_find(struct targets *targets, struct place place, uint64_t *start);

#endif
