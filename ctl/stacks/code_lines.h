/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lines of x86-64 code: instructions that follow each other without a taken branch. Each
 * instruction is decoded once, however many questions are about it: a capture may ask for as
 * many lines as it has branch records, and each may be long.
 */
#ifndef LBRCTL_STACKS_CODE_LINES_H
#define LBRCTL_STACKS_CODE_LINES_H

#include "base/hash.h"
#include "object/object.h"
#include "stacks/build.h"

/* The instructions of all lines that were followed. Initialize with 0. The objects must outlive
 * the lines. */
struct code_lines {
	struct code_lines_insn *list;
	size_t max;
	struct hash index;
};

void code_lines_free(struct code_lines *lines);

/* From an instruction to a later one of its line. */
struct code_line {
	enum stacks_answer reaches;	/* UNKNOWN: the code cannot be read, or memory is short */
	uint32_t nr;			/* number of instructions, with the first and the last */
	bool branches;			/* the last one is a branch, or into the kernel and back */
};

/* Follows the line of the instruction at `from` to the one at `to`, which it reaches if there is
 * an instruction, and none before it ends the line (insn_ends_line()). */
struct code_line code_lines_follow(struct code_lines *lines, const struct object *object,
				   uint64_t from, uint64_t to);

#endif
