/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The calls in a branch history that have not returned, which are the innermost
 * callers of what was sampled. Pure, as stacks.h is.
 *
 * The history is gone through from its oldest branch on: a call opens a frame, the
 * return that goes back behind it closes it. That holds only as long as each branch
 * begins where the code goes on from the one before. Where it does not (a signal, a
 * switch of stacks, an entry that went lost) nothing that was open is known to be open
 * still. The same goes for a return that comes back elsewhere (an exception, a
 * coroutine), and for a jump that no code of the function makes (longjmp).
 */
#ifndef LBRCTL_STACKS_REPLAY_H
#define LBRCTL_STACKS_REPLAY_H

#include "stacks/build.h"

enum replay_kind {
	REPLAY_UNKNOWN,		/* not recorded: the code says it */
	REPLAY_CALL,
	REPLAY_RETURN,
	REPLAY_JUMP,
	REPLAY_GAP,		/* no branch: one went lost here, or was undone */
};

struct replay_branch {
	struct place from, to;		/* in MAPS_KERNEL: the kernel's */
	enum replay_kind kind;
};

struct replay {
	const struct replay_branch *history;	/* newest first */
	size_t nr;
	bool jumps;			/* it has jumps as well as calls and returns */
};

/* Fills in what the history tells of the sample: lbr and nr_lbr, has_lbr, history, and
 * the leaf where that is not known; and the calls that were made. `calls` has room for
 * twice as many as the history, and must outlive the sample. */
void replay_sample(const struct replay *replay, const struct stacks_code *code,
		   struct stacks_branch *calls, struct stacks_sample *sample);

#endif
