/* SPDX-License-Identifier: GPL-2.0 */
/* The instructions of a function in basic blocks: each begins where a jump can lead or
 * behind one, and ends with the next branch. */
#ifndef LBRCTL_BLOCKS_DISASSEMBLE_H
#define LBRCTL_BLOCKS_DISASSEMBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "blocks/runs.h"
#include "object/object.h"

struct blocks;

/* The disassembler; NULL with a message. */
struct blocks *blocks_new(void);
void blocks_free(struct blocks *blocks);

/* The instructions from start to the one at end, that included, or 0 where the code has
 * it that this was no run: no instruction begins at end, it is no branch, or another one
 * that is always taken lies before it. UINT_MAX where the code cannot be read. */
unsigned int blocks_count(struct blocks *blocks, const struct object *object,
			  uint64_t start, uint64_t end);

struct blocks_instruction {
	uint64_t address;
	char text[200];			/* AT&T syntax */
	bool leads;			/* a block begins here */
	uint64_t executions;		/* of the block; where it leads */
	const struct runs_run **runs;	/* that end here, nr_runs of them, by start */
	size_t nr_runs;
};

struct blocks_function {
	struct blocks_instruction *list;
	size_t nr;
	const struct runs_run **runs;	/* of all its instructions */
};

/* Disassembles a function of a file, and puts the runs (with instructions) that go through
 * it to it. 0, or -1 with a message; blocks_function_free() is for both. */
int blocks_function(struct blocks *blocks, const struct object *object, uint32_t file,
		    struct object_range range, const struct runs *runs,
		    struct blocks_function *function);
void blocks_function_free(struct blocks_function *function);

#endif
