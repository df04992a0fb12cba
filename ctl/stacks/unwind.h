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

/* Judges a call chain that was unwound elsewhere, for process pid: nr addresses, the user address
 * first. Returns how many of them are frames: the others are not code, or belong to the beginning
 * of the stack. *end: why it ended, by the code of the last one better known than before. */
size_t unwind_judge(struct unwind *unwind, uint32_t pid, const uint64_t *addresses, size_t nr,
		    enum stacks_end *end);

#endif
