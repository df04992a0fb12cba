/* SPDX-License-Identifier: GPL-2.0 */
/* How code continues from one x86-64 instruction to the next. */
#ifndef LBRCTL_STACKS_CODE_FLOW_H
#define LBRCTL_STACKS_CODE_FLOW_H

#include <capstone/capstone.h>

#include "object/object.h"
#include "stacks/build.h"

enum code_line_kind {
	CODE_LINE_CALL, CODE_LINE_RETURN, CODE_LINE_OTHER, CODE_LINE_UNKNOWN,
};

/* Classifies the instruction at vaddr; *size: its bytes; UNKNOWN if there is no code. */
enum code_line_kind code_line_kind(csh disassembler, const struct object *object,
				   uint64_t vaddr, size_t *size);

/* Whether the instruction always branches, except into the kernel or out of it. */
bool code_line_always_branches(const cs_insn *insn);

/* Whether the instruction is a branch, or goes into the kernel and back. */
bool code_line_branches(csh disassembler, const cs_insn *insn);

/* Whether the instruction behind it comes next only by a branch. */
bool code_line_ends(const cs_insn *insn);

#endif
