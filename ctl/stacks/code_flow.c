// SPDX-License-Identifier: GPL-2.0
/* Follows straight-line code. */
#include <stdlib.h>

#include "base/err.h"
#include "stacks/code_calls.h"
#include "stacks/code_flow.h"

/* Maximum bytes of a straight line. */
#define LONGEST_LINE		(1U << 16)
#define LONGEST_INSTRUCTION	15

enum code_line_kind code_line_kind(csh disassembler, const struct object *o,
				   uint64_t vaddr, size_t *size)
{
	unsigned char bytes[LONGEST_INSTRUCTION];
	size_t nr = object_read(o, vaddr, bytes, sizeof(bytes));
	enum code_line_kind kind = CODE_LINE_OTHER;
	const uint8_t *code = bytes;
	cs_insn *insn = code_calls_insn(disassembler);

	*size = 0;
	if (!nr || !insn) {
		kind = CODE_LINE_UNKNOWN;
	} else if (cs_disasm_iter(disassembler, &code, &nr, &vaddr, insn)) {
		*size = insn->size;
		if (insn->id == X86_INS_CALL)
			kind = CODE_LINE_CALL;
		else if (insn->id == X86_INS_RET)
			kind = CODE_LINE_RETURN;
	}
	if (insn)
		cs_free(insn, 1);
	return kind;
}

bool code_line_always_branches(const cs_insn *insn)
{
	switch (insn->id) {
	case X86_INS_JMP:
	case X86_INS_LJMP:
	case X86_INS_CALL:
	case X86_INS_LCALL:
	case X86_INS_RET:
	case X86_INS_RETF:
	case X86_INS_RETFQ:
		return true;
	default:
		return false;
	}
}

bool code_line_ends(const cs_insn *insn)
{
	return code_line_always_branches(insn) || insn->id == X86_INS_IRETQ ||
	       insn->id == X86_INS_UD2 || insn->id == X86_INS_HLT;
}

enum stacks_answer code_line_reaches(csh disassembler, const struct object *o,
				     uint64_t from, uint64_t to)
{
	size_t size = to - from, got;
	enum stacks_answer answer = STACKS_UNKNOWN;
	unsigned char *bytes;
	const uint8_t *code;
	cs_insn *insn;

	if (from == to)
		return STACKS_YES;
	if (to < from || size > LONGEST_LINE)
		return STACKS_NO;
	bytes = malloc(size + LONGEST_INSTRUCTION);
	insn = code_calls_insn(disassembler);
	if (!bytes)
		err_short_of_memory();
	if (!bytes || !insn)
		goto out;
	got = object_read(o, from, bytes, size + LONGEST_INSTRUCTION);
	if (got <= size)
		goto out;
	answer = STACKS_NO;
	code = bytes;
	while (from < to) {
		if (!cs_disasm_iter(disassembler, &code, &got, &from, insn) ||
		    code_line_ends(insn))
			goto out;
	}
	if (from == to)
		answer = STACKS_YES;
out:
	free(bytes);
	if (insn)
		cs_free(insn, 1);
	return answer;
}
