/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Unwinds a recorded stack window by the call frame information of the mapped files. Code that
 * has none is left along the frame pointer, and the result tells the frames that rest on it. If
 * that is missing as well, or leads out of the window, unwinding ends with the reason.
 */
#ifndef LBRCTL_STACKS_UNWIND_H
#define LBRCTL_STACKS_UNWIND_H

#include "object/cfi.h"
#include "stacks/build.h"
#include "stacks/maps.h"

struct unwind;

/* Maximum frames of one stack. */
#define UNWIND_FRAMES_MAX	4100

/* A recorded thread in user mode. */
struct unwind_start {
	uint32_t pid;
	uint64_t registers[OBJECT_CFI_NR_REGISTERS];	/* DWARF's numbers; the
						 * last is the instruction pointer */
	const unsigned char *stack;	/* memory from the stack pointer on */
	uint64_t size;			/* its bytes */
};

/* frames and pointed as in stacks_sample, and the addresses of the frames in the process; valid
 * until the next call. */
struct unwind_result {
	const struct place *frames;
	const uint64_t *addresses;
	size_t nr;
	size_t pointed;
	enum stacks_end end;
};

/* maps must outlive the result. NULL when memory is short. */
struct unwind *unwind_new(struct maps *maps);
void unwind_free(struct unwind *unwind);

/* Unwinds by the current mappings. The rules of an address are looked up once. */
struct unwind_result unwind_stack(struct unwind *unwind,
				  const struct unwind_start *start);

/* A call chain that was unwound elsewhere. */
struct unwind_chain {
	uint64_t *addresses;	/* the user address first; there is room for another one */
	size_t nr;
	const uint64_t *top;	/* the first two words of the stack, if the first address was left
				 * along the frame pointer; else NULL
				 */
	enum stacks_end end;
	size_t pointed;		/* as in stacks_sample */
};

/* Judges a chain of process pid by the code, which knows better why it ended: cuts what is not code,
 * or belongs to the beginning of the stack, or is behind code that has no frame pointer, and adds
 * the caller of a function that has not set up its frame. */
void unwind_judge(struct unwind *unwind, uint32_t pid, struct unwind_chain *chain);

#endif
