/* SPDX-License-Identifier: GPL-2.0 */
/* The instructions of a function in basic blocks. A block begins at the target of a jump or
 * behind a branch, and ends with the next branch. */
#ifndef LBRCTL_BLOCKS_DISASSEMBLE_H
#define LBRCTL_BLOCKS_DISASSEMBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "blocks/runs.h"
#include "object/insn_text.h"

struct blocks;

/* Returns NULL with a message on failure. */
struct blocks *blocks_new(enum insn_syntax syntax);
void blocks_free(struct blocks *blocks);

/* Returns the number of instructions from start to the branch at end, inclusive; 0 if the code
 * contradicts such a run: no instruction begins at end, it is no branch, or the run contains
 * another branch that is always taken. UINT_MAX if the code cannot be read. */
unsigned int blocks_count(struct blocks *blocks, const struct object *object,
			  uint64_t start, uint64_t end);

/* What the code says of a branch from `from` to `to` (0: out of this object). */
enum blocks_leads {
	BLOCKS_LEADS,		/* possible, or the code cannot be read */
	BLOCKS_NO_INSTRUCTION,	/* the bytes at `from` are no instruction */
	BLOCKS_NO_BRANCH,	/* the instruction there is no branch */
	BLOCKS_ELSEWHERE,	/* it is a direct branch to another place */
};
enum blocks_leads blocks_leads(const struct object *object, uint64_t from, uint64_t to);

struct blocks_instruction {
	uint64_t address;
	uint64_t target;		/* of a direct jump or call; 0: no target */
	char text[200];			/* insn_text() */
	uint8_t size;
	bool branches;			/* a branch, or into the kernel and back */
	bool jumps;			/* a jump: no call and no return */
	bool goes_on;			/* the next instruction may follow, after a call too */
	bool leads;			/* a block begins here */
	uint64_t executions;		/* of the block; set where a block begins */
	const struct runs_run **runs;	/* the runs that end here, nr_runs of them, by start */
	size_t nr_runs;
};

struct blocks_function {
	struct blocks_instruction *list;
	size_t nr;
	const struct runs_run **runs;	/* the runs of all instructions */
};

/* Disassembles a function of a file, and assigns the runs (with instructions) in it. Returns
 * 0, or -1 with a message; call blocks_function_free() in both cases. */
int blocks_function(struct blocks *blocks, const struct object *object, uint32_t file,
		    struct object_range range, const struct runs *runs,
		    struct blocks_function *function);
void blocks_function_free(struct blocks_function *function);

/* Returns the instruction that begins at an address; NULL if none does. */
struct blocks_instruction *blocks_instruction_at(const struct blocks_function *function,
						 uint64_t address);

#endif
