// SPDX-License-Identifier: GPL-2.0
/* What an instruction does to the flow of control. */
#include "stacks/code_calls.h"
#include "stacks/code_flow.h"

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

bool code_line_branches(csh disassembler, const cs_insn *insn)
{
	switch (insn->id) {
	case X86_INS_SYSCALL:
	case X86_INS_SYSENTER:
	case X86_INS_INT:
	case X86_INS_INT3:
	case X86_INS_IRETQ:
		return true;
	}
	return code_line_always_branches(insn) ||
	       cs_insn_group(disassembler, insn, CS_GRP_JUMP);
}

bool code_line_ends(const cs_insn *insn)
{
	return code_line_always_branches(insn) || insn->id == X86_INS_IRETQ ||
	       insn->id == X86_INS_UD2 || insn->id == X86_INS_HLT;
}
