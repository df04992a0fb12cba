// SPDX-License-Identifier: GPL-2.0
/* Makes rules of a row of call frame information, or of a frame size. */
#include <dwarf.h>
#include <string.h>

#include "object/cfi.h"

static bool is_atom(const Dwarf_Op *ops, size_t nr, size_t i, uint8_t atom)
{
	return i < nr && ops[i].atom == atom;
}

/* libdw states each rule in operations. The usual ones have a short form here: "CFA + n" and
 * "in memory at CFA + n". */
static bool take_simple(struct object_cfi_rule *rule, const Dwarf_Op *ops,
			size_t nr)
{
	size_t at = 1;

	if (is_atom(ops, nr, 0, DW_OP_regx) && nr == 1) {
		rule->kind = OBJECT_CFI_REGISTER;
		rule->reg = ops[0].number;
		return ops[0].number < OBJECT_CFI_NR_REGISTERS;
	}
	if (!is_atom(ops, nr, 0, DW_OP_call_frame_cfa))
		return false;
	if (is_atom(ops, nr, at, DW_OP_plus_uconst))
		rule->value = ops[at++].number;
	rule->kind = OBJECT_CFI_SAVED;
	if (is_atom(ops, nr, at, DW_OP_stack_value)) {
		rule->kind = OBJECT_CFI_OFFSET;
		at++;
	}
	return at == nr;
}

static void take_register(Dwarf_Frame *frame, int number,
			  struct object_cfi_rule *rule)
{
	Dwarf_Op own[3], *ops;
	size_t nr;

	memset(rule, 0, sizeof(*rule));
	if (dwarf_frame_register(frame, number, own, &ops, &nr))
		return;
	/* "Undefined" is a pointer to our own buffer with 0 operations, "same value" is a
	 * NULL pointer. */
	if (!nr) {
		rule->kind = ops ? OBJECT_CFI_UNDEFINED : OBJECT_CFI_SAME;
		return;
	}
	if (take_simple(rule, ops, nr))
		return;
	memset(rule, 0, sizeof(*rule));
	if (ops == own)		/* a register that does not exist */
		return;
	rule->kind = OBJECT_CFI_EXPRESSION;
	rule->ops = ops;
	rule->nr_ops = nr;
}

/* The usual rule, a register + n. Its operations lie in the frame itself. */
static void take_cfa(Dwarf_Frame *frame, struct object_cfi_rule *rule)
{
	Dwarf_Op *ops;
	size_t nr;

	if (dwarf_frame_cfa(frame, &ops, &nr) || !nr)
		return;
	if (nr > 1 || ops[0].atom != DW_OP_bregx) {
		rule->kind = OBJECT_CFI_EXPRESSION;
		rule->ops = ops;
		rule->nr_ops = nr;
	} else if (ops[0].number < OBJECT_CFI_NR_REGISTERS) {
		rule->kind = OBJECT_CFI_REGISTER;
		rule->reg = ops[0].number;
		rule->value = ops[0].number2;
	}
}

bool object_cfi_take(Dwarf_Frame *frame, struct object_cfi *cfi)
{
	memset(cfi, 0, sizeof(*cfi));
	if (dwarf_frame_info(frame, NULL, NULL, &cfi->signal) !=
	    OBJECT_CFI_RETURN_ADDRESS)
		return false;
	take_cfa(frame, &cfi->cfa);
	for (int i = 0; i < OBJECT_CFI_NR_REGISTERS; i++)
		take_register(frame, i, &cfi->registers[i]);
	return true;
}

void object_cfi_of_size(uint64_t bytes, struct object_cfi *cfi)
{
	memset(cfi, 0, sizeof(*cfi));
	cfi->cfa = (struct object_cfi_rule){ .kind = OBJECT_CFI_REGISTER,
					     .reg = OBJECT_CFI_STACK_POINTER,
					     .value = bytes + 8 };
	cfi->registers[OBJECT_CFI_STACK_POINTER].kind = OBJECT_CFI_OFFSET;
	cfi->registers[OBJECT_CFI_RETURN_ADDRESS] = (struct object_cfi_rule){
		.kind = OBJECT_CFI_SAVED, .value = -8 };
}
