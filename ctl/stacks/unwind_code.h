/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the bytes of code without unwinding information say about a frame. They come from the
 * mapped file or a jitdump, or, while lbrctl records, from the memory of the process: it may
 * have made other code there since the sample.
 */
#ifndef LBRCTL_STACKS_UNWIND_CODE_H
#define LBRCTL_STACKS_UNWIND_CODE_H

#include "stacks/maps.h"

/* Where the return address of the function at a spot is. */
enum unwind_code_frame {
	UNWIND_CODE_BY_POINTER,	/* above the saved %rbp, to which %rbp points */
	UNWIND_CODE_MAYBE,	/* there, if the function has set up its frame: nothing shows it */
	UNWIND_CODE_TOP,	/* on top of the stack */
	UNWIND_CODE_PUSHED,	/* the second word of the stack, above the saved %rbp */
	UNWIND_CODE_NONE,	/* the function does not use %rbp as a frame pointer */
};

/* An address of a process, and its place. */
struct unwind_spot {
	uint32_t pid;
	uint64_t address;
	struct place place;
	const enum unwind_code_frame *frame;	/* the answer of unwind_code_frame(); NULL: it is not known */
};

enum unwind_code_call {
	UNWIND_CODE_UNKNOWN,	/* the code cannot be read */
	UNWIND_CODE_NO_CALL,
	UNWIND_CODE_CALL,
};

/* Judges the instruction before the spot. *target: where a direct call goes; 0: not known. */
enum unwind_code_call unwind_code_call(struct maps *maps, const struct unwind_spot *behind,
				       uint64_t *target);

/* called: the spot is behind a call. */
enum unwind_code_frame unwind_code_frame(struct maps *maps, const struct unwind_spot *spot,
					 bool called);

/* Whether the function that begins at `start` has not set up a frame on its straight way to
 * the spot, which is in the same file. */
bool unwind_code_is_bare(struct maps *maps, const struct unwind_spot *spot, uint64_t start);

#endif
