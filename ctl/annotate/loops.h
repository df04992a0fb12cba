/* SPDX-License-Identifier: GPL-2.0 */
/* The loops of a function, by its jumps. */
#ifndef LBRCTL_ANNOTATE_LOOPS_H
#define LBRCTL_ANNOTATE_LOOPS_H

#include "blocks/disassemble.h"

struct loops_mark {
	uint32_t depth;		/* number of loops that contain the instruction */
	bool head;		/* a loop begins here */
};

/*
 * Sets a mark for each instruction of the function. An indirect jump is assumed to lead to
 * each block without a known edge to it, such as the cases of a switch. Returns 0, or -1 with
 * a message; *given_up: the search has reached its limit, and all depths are 0.
 */
int loops_find(const struct blocks_function *function, struct loops_mark *marks,
	       bool *given_up);

#endif
