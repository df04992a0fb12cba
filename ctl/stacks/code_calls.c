// SPDX-License-Identifier: GPL-2.0
/* Finds call instructions. */
#include "base/err.h"
#include "stacks/code_calls.h"

#define LONGEST_INSTRUCTION	15
/* Maximum bytes that a program executes before its first call. */
#define LONGEST_START		64

static enum stacks_call call_kind(const cs_insn *insn, uint64_t *target)
{
	const cs_x86_op *op = &insn->detail->x86.operands[0];

	if (insn->id != X86_INS_CALL)
		return STACKS_CALL_NONE;
	if (op->type != X86_OP_IMM)
		return STACKS_CALL_INDIRECT;
	*target = op->imm;
	return STACKS_CALL_DIRECT;
}

cs_insn *code_calls_insn(csh disassembler)
{
	cs_insn *insn = cs_malloc(disassembler);

	if (!insn)
		err_short_of_memory();
	return insn;
}

/* insn: from cs_malloc(). *size: bytes that could be read; 0 if they are no instruction. */
static enum stacks_call call_at(csh disassembler, const struct object *o,
				uint64_t vaddr, cs_insn *insn, uint64_t *target,
				size_t *size)
{
	unsigned char bytes[LONGEST_INSTRUCTION];
	size_t nr = object_read(o, vaddr, bytes, sizeof(bytes));
	const uint8_t *code = bytes;

	*size = 0;
	if (!nr)
		return STACKS_CALL_UNKNOWN;
	if (!cs_disasm_iter(disassembler, &code, &nr, &vaddr, insn))
		return STACKS_CALL_NONE;
	*size = insn->size;
	return call_kind(insn, target);
}

enum stacks_call code_calls_at(csh disassembler, const struct object *o,
			       uint64_t vaddr, uint64_t *target)
{
	cs_insn *insn = code_calls_insn(disassembler);
	enum stacks_call kind;
	size_t size;

	if (!insn)
		return STACKS_CALL_UNKNOWN;
	kind = call_at(disassembler, o, vaddr, insn, target, &size);
	cs_free(insn, 1);
	return kind;
}

enum stacks_call code_calls_before(csh disassembler, const struct object *o,
				   uint64_t back, uint64_t *from,
				   uint64_t *target)
{
	static const unsigned char lengths[] = { 5, 2, 3, 6, 7, 4, 8 };
	cs_insn *insn = code_calls_insn(disassembler);
	enum stacks_call kind = STACKS_CALL_UNKNOWN;
	size_t size;

	for (size_t i = 0; insn && i < sizeof(lengths); i++) {
		uint64_t vaddr = back - lengths[i];

		kind = call_at(disassembler, o, vaddr, insn, target, &size);
		if (kind == STACKS_CALL_UNKNOWN)
			break;
		if (kind != STACKS_CALL_NONE && size == lengths[i]) {
			*from = vaddr;
			break;
		}
		kind = STACKS_CALL_NONE;
	}
	if (insn)
		cs_free(insn, 1);
	return kind;
}

/* Reads the address that the instruction loads into %rdi, as `lea x(%rip)` or `mov $x` do. */
static void take_argument(const cs_insn *insn, uint64_t *value)
{
	const cs_x86_op *to = &insn->detail->x86.operands[0], *op = to + 1;

	if (insn->detail->x86.op_count != 2 || to->type != X86_OP_REG ||
	    (to->reg != X86_REG_RDI && to->reg != X86_REG_EDI))
		return;
	*value = 0;
	if (insn->id == X86_INS_LEA && op->mem.base == X86_REG_RIP)
		*value = insn->address + insn->size + op->mem.disp;
	else if (insn->id == X86_INS_MOV && op->type == X86_OP_IMM)
		*value = op->imm;
}

bool code_calls_main(csh disassembler, const struct object *o, uint64_t *vaddr)
{
	unsigned char bytes[LONGEST_START];
	uint64_t at = object_entry(o), main = 0;
	size_t size = at ? object_read(o, at, bytes, sizeof(bytes)) : 0;
	cs_insn *insn = code_calls_insn(disassembler);
	const uint8_t *code = bytes;
	bool called = false;

	while (insn && !called && cs_disasm_iter(disassembler, &code, &size, &at, insn)) {
		called = insn->id == X86_INS_CALL;
		if (!called)
			take_argument(insn, &main);
	}
	if (insn)
		cs_free(insn, 1);
	*vaddr = main;
	return called && main && object_is_entry(o, main);
}
