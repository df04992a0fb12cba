/* SPDX-License-Identifier: GPL-2.0 */
/* Call frame information as libdw reads it: the truth for our own reading. */
#ifndef ANALYSIS_LIBDW_CFI_H
#define ANALYSIS_LIBDW_CFI_H

#include <dwarf.h>
#include <elfutils/libdw.h>

#include "object/cfi.h"
#include "test.h"

/* libdw states a rule in operations. Those of registers begin with one that pushes the CFA. */
struct libdw_rule {
	enum object_cfi_kind kind;
	uint64_t reg;
	int64_t value;
	const Dwarf_Op *ops;
	size_t nr_ops;
};

struct libdw_cfi {
	bool signal;
	struct libdw_rule cfa, registers[OBJECT_CFI_NR_REGISTERS];
};

/* Takes "CFA + n", "in memory at CFA + n" and "value of a register", which lie in a buffer of ours. */
static inline void libdw_take_simple(struct libdw_rule *rule, const Dwarf_Op *ops, size_t nr)
{
	if (ops[0].atom == DW_OP_regx) {
		rule->kind = ops[0].number < OBJECT_CFI_NR_REGISTERS ? OBJECT_CFI_REGISTER : OBJECT_CFI_UNKNOWN;
		rule->reg = ops[0].number;
		return;
	}
	assert_int_equal(ops[0].atom, DW_OP_call_frame_cfa);
	rule->kind = ops[nr - 1].atom == DW_OP_stack_value ? OBJECT_CFI_OFFSET : OBJECT_CFI_SAVED;
	if (nr > 1 && ops[1].atom == DW_OP_plus_uconst)
		rule->value = ops[1].number;
}

static inline void libdw_take_register(Dwarf_Frame *frame, int number, struct libdw_rule *rule)
{
	Dwarf_Op own[3], *ops;
	size_t nr;

	if (dwarf_frame_register(frame, number, own, &ops, &nr))
		return;
	/* "Undefined" is a pointer to our own buffer with 0 operations, "same value" is a NULL pointer. */
	if (!nr)
		rule->kind = ops ? OBJECT_CFI_UNDEFINED : OBJECT_CFI_SAME;
	else if (ops == own)
		libdw_take_simple(rule, ops, nr);
	else
		*rule = (struct libdw_rule){ .ops = ops, .nr_ops = nr,
			.kind = ops[nr - 1].atom == DW_OP_stack_value ? OBJECT_CFI_VALUE : OBJECT_CFI_EXPRESSION };
}

static inline void libdw_take_cfa(Dwarf_Frame *frame, struct libdw_rule *rule)
{
	Dwarf_Op *ops;
	size_t nr;

	if (dwarf_frame_cfa(frame, &ops, &nr) || !nr)
		return;
	if (nr > 1 || ops[0].atom != DW_OP_bregx)
		*rule = (struct libdw_rule){ .kind = OBJECT_CFI_VALUE, .ops = ops, .nr_ops = nr };
	else if (ops[0].number < OBJECT_CFI_NR_REGISTERS)
		*rule = (struct libdw_rule){ .kind = OBJECT_CFI_REGISTER, .reg = ops[0].number, .value = ops[0].number2 };
}

/* Returns false if libdw finds no rules; the operations are valid as long as the Dwarf_CFI. */
static inline bool libdw_cfi(Dwarf_CFI *dwarf, uint64_t vaddr, struct libdw_cfi *cfi)
{
	Dwarf_Frame *frame;
	bool known;

	*cfi = (struct libdw_cfi){ .signal = false };
	if (!dwarf || dwarf_cfi_addrframe(dwarf, vaddr, &frame))
		return false;
	known = dwarf_frame_info(frame, NULL, NULL, &cfi->signal) == OBJECT_CFI_RETURN_ADDRESS;
	libdw_take_cfa(frame, &cfi->cfa);
	for (int i = 0; i < OBJECT_CFI_NR_REGISTERS; i++)
		libdw_take_register(frame, i, &cfi->registers[i]);
	free(frame);
	return known;
}

#endif
