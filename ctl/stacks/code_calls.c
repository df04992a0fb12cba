// SPDX-License-Identifier: GPL-2.0
/* Finds call instructions. */
#include "object/insn.h"
#include "stacks/code_calls.h"

/* Maximum bytes that a program executes before its first call. */
#define LONGEST_START		64

/* *size: the length of the instruction at vaddr; 0: no instruction begins there. */
static enum stacks_call call_at(const struct object *o, uint64_t vaddr, uint64_t *target,
				size_t *size)
{
	struct insn insn;

	*size = 0;
	switch (insn_read(&insn, o, vaddr)) {
	case INSN_UNREADABLE:
		return STACKS_CALL_UNKNOWN;
	case INSN_NONE:
		return STACKS_CALL_NONE;
	case INSN_FOUND:
		break;
	}
	*size = insn.zydis.length;
	if (!insn_is_call(&insn))
		return STACKS_CALL_NONE;
	return insn_target(&insn, target) ? STACKS_CALL_DIRECT : STACKS_CALL_INDIRECT;
}

enum stacks_call code_calls_at(const struct object *o, uint64_t vaddr, uint64_t *target)
{
	size_t size;

	return call_at(o, vaddr, target, &size);
}

enum stacks_call code_calls_before(const struct object *o, uint64_t back, uint64_t *from,
				   uint64_t *target)
{
	static const unsigned char lengths[] = { 5, 2, 3, 6, 7, 4, 8 };
	size_t size;

	for (size_t i = 0; i < sizeof(lengths); i++) {
		uint64_t vaddr = back - lengths[i];
		enum stacks_call kind = call_at(o, vaddr, target, &size);

		if (kind == STACKS_CALL_UNKNOWN)
			return kind;
		if (kind != STACKS_CALL_NONE && size == lengths[i]) {
			*from = vaddr;
			return kind;
		}
	}
	return STACKS_CALL_NONE;
}

/* Reads the address that the instruction loads into %rdi, as `lea x(%rip)` or `mov $x` do. */
static void take_argument(struct insn *insn, uint64_t *value)
{
	const ZydisDecodedOperand *to = insn_operands(insn), *op = to + 1;

	if (insn->zydis.operand_count_visible != 2 || to->type != ZYDIS_OPERAND_TYPE_REGISTER ||
	    (to->reg.value != ZYDIS_REGISTER_RDI && to->reg.value != ZYDIS_REGISTER_EDI))
		return;
	*value = 0;
	if (insn->zydis.mnemonic == ZYDIS_MNEMONIC_LEA && op->mem.base == ZYDIS_REGISTER_RIP)
		*value = insn_end(insn) + op->mem.disp.value;
	else if (insn->zydis.mnemonic == ZYDIS_MNEMONIC_MOV &&
		 op->type == ZYDIS_OPERAND_TYPE_IMMEDIATE)
		*value = op->imm.value.u;
}

bool code_calls_main(const struct object *o, uint64_t *vaddr)
{
	unsigned char bytes[LONGEST_START];
	uint64_t entry = object_entry(o), main = 0;
	size_t size = entry ? object_read(o, entry, bytes, sizeof(bytes)) : 0, at = 0;
	struct insn insn;
	bool called = false;

	while (!called && insn_decode(&insn, bytes + at, size - at, entry + at)) {
		called = insn_is_call(&insn);
		if (!called)
			take_argument(&insn, &main);
		at += insn.zydis.length;
	}
	*vaddr = main;
	return called && main && object_is_entry(o, main);
}
