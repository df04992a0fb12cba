/* SPDX-License-Identifier: GPL-2.0 */
/* The number of bytes on the stack before each instruction of a function, as its code tells. */
#ifndef LBRCTL_STACKS_CODE_WAY_H
#define LBRCTL_STACKS_CODE_WAY_H

#include <stdbool.h>
#include <stdint.h>

#include "object/object.h"

/* Bytes of a function that are walked, before and behind its first instruction: compilers put what is
 * seldom executed into a section of its own. */
#define CODE_WAY_BEFORE		(1 << 16)
#define CODE_WAY_BEHIND		(1 << 16)

/* The instruction at `at` bytes behind the first one. bytes: from the stack pointer to the CFA. */
struct code_way_spot {
	int32_t at;
	int32_t bytes;
};

struct code_way {
	struct code_way_spot *spots;	/* in the order of their addresses; malloc'd */
	size_t nr;
};

/* Walks through functions, one after the other; a large part of its memory is used again. */
struct code_walker;

/* NULL when memory is short. */
struct code_walker *code_walker_new(void);
void code_walker_free(struct code_walker *walker);

/*
 * Walks from `start` along all branches but those of calls. begins: the function was not called, so
 * that the stack is empty; else it has the return address. Instructions to which no branch leads, or
 * before which the stack pointer depends on more than the code (alloca(), a realigned stack), are
 * missing, and so are those that two ways reach with different sizes. Where a call does not return,
 * nothing leads on: what lies behind it counts only if no other way contradicts.
 * Returns 0, or -1 when memory is short.
 */
int code_walker_go(struct code_walker *walker, const struct object *object, uint64_t start,
		   bool begins, struct code_way *way);

/* Whether a symbol says that vaddr is in a part of a function that the compiler has split off. */
bool code_way_is_part(const struct object *object, uint64_t vaddr);

/* Finds the bytes at an instruction; false: not known. */
bool code_way_bytes(const struct code_way *way, int64_t at, int64_t *bytes);

#endif
