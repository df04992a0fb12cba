/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The calls in a branch history that have not returned: the innermost callers of the sampled
 * address. Pure, as build.h is.
 *
 * The history is replayed from its oldest branch on: a call opens a frame, and the return to
 * the instruction after it closes the frame. This is valid only while each branch begins where
 * the previous one led. Where it does not (a signal, a switch of stacks, a lost entry), no open
 * call is known to be still open. The same holds for a return that goes elsewhere (an
 * exception, a coroutine), and for a jump that the function's code does not contain (longjmp).
 */
#ifndef LBRCTL_STACKS_REPLAY_H
#define LBRCTL_STACKS_REPLAY_H

#include "stacks/build.h"

enum replay_kind {
	REPLAY_UNKNOWN,		/* not recorded: the code shows it */
	REPLAY_CALL,
	REPLAY_RETURN,
	REPLAY_JUMP,
	REPLAY_GAP,		/* no branch: one was lost here, or was undone */
};

struct replay_branch {
	struct place from, to;		/* in MAPS_KERNEL: an address of the kernel */
	enum replay_kind kind;
};

struct replay {
	const struct replay_branch *history;	/* newest first */
	size_t nr;
	bool jumps;			/* it has jumps as well as calls and returns */
};

/* Fills in what the history shows of the sample: lbr and nr_lbr, has_lbr, history, and the leaf
 * if it is not known; and the calls that were made. `calls` has room for twice as many as the
 * history, and must outlive the sample. */
void replay_sample(const struct replay *replay, const struct stacks_code *code,
		   struct stacks_branch *calls, struct stacks_sample *sample);

#endif
