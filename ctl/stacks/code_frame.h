/* SPDX-License-Identifier: GPL-2.0 */
/* The size of a function's frame at one of its instructions. */
#ifndef LBRCTL_STACKS_CODE_FRAME_H
#define LBRCTL_STACKS_CODE_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "object/object.h"

/* What is known of the functions that were asked for. Initialize with 0. The objects must outlive the
 * frames. */
struct code_frames {
	struct code_walker *walker;	/* NULL until the first walk */
	struct code_frames_function *list;
	size_t max;
	struct hash index;
};

void code_frames_free(struct code_frames *frames);

/*
 * *bytes: from the stack pointer at the instruction at vaddr up to its value before the call
 * of the function, which is the CFA (DWARF 5, section 6.4). For code that was not called, up
 * to its value when the thread began, which is a multiple of 16 (x86-64 psABI, section 3.4.1).
 * entered: the first instruction of the function, as the call shows it; 0: not known. It matters
 * only where the file says nothing about the function.
 * Returns false if it depends on more than the code (alloca(), a realigned stack), or nothing
 * shows it.
 */
bool code_frames_bytes(struct code_frames *frames, const struct object *object, uint64_t vaddr,
		       uint64_t entered, int64_t *bytes);

/* Whether the branches of a function lead from its first instruction to the one at vaddr. */
bool code_frames_leads(struct code_frames *frames, const struct object *object, uint64_t entered,
		       uint64_t vaddr);

#endif
