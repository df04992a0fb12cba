/* SPDX-License-Identifier: GPL-2.0 */
/* Where a frame saved its caller's registers, by call frame information (DWARF 5, section 6.4;
 * register numbers: x86-64 psABI, figure 3.36). */
#ifndef LBRCTL_OBJECT_CFI_H
#define LBRCTL_OBJECT_CFI_H

#include "object/object.h"

enum {
	OBJECT_CFI_STACK_POINTER = 7,
	OBJECT_CFI_RETURN_ADDRESS = 16,
	OBJECT_CFI_NR_REGISTERS = 17,
};

enum object_cfi_kind {
	OBJECT_CFI_UNKNOWN,	/* cannot be determined */
	OBJECT_CFI_UNDEFINED,	/* lost; for the return address: the function was not called */
	OBJECT_CFI_SAME,	/* the register's value in this frame */
	OBJECT_CFI_SAVED,	/* in memory at the CFA + value */
	OBJECT_CFI_OFFSET,	/* the CFA + value */
	OBJECT_CFI_REGISTER,	/* the value of `reg` in this frame, + value */
	OBJECT_CFI_EXPRESSION,	/* in memory at the address that the expression computes */
	OBJECT_CFI_VALUE,	/* what the expression computes */
};

struct object_cfi_rule {
	enum object_cfi_kind kind;
	uint16_t reg;
	uint16_t size;		/* of the expression, which begins at expressions[value] */
	int64_t value;
};

struct object_cfi {
	bool signal;		/* the frame that a signal handler returns to: its caller was
				 * interrupted and made no call */
	struct object_cfi_rule cfa;	/* the canonical frame address */
	struct object_cfi_rule registers[OBJECT_CFI_NR_REGISTERS];
	uint16_t size;			/* of all expressions: operations as DWARF has them. Those */
	unsigned char expressions[256];	/* of a register begin with the CFA on their stack. */
};

/* Finds the rules at the instruction at vaddr, in the call frame information or else in Go's
 * table; false if it has no rules. */
bool object_cfi(const struct object *object, uint64_t vaddr,
		struct object_cfi *cfi);
/* Whether vaddr is in code that was entered without a call, see object_is_outermost(); cfi: its rules, NULL:
 * it has none. */
bool object_cfi_is_outermost(const struct object *object, uint64_t vaddr, const struct object_cfi *cfi);

/* The rules of a frame of which only the bytes below the return address are known. */
void object_cfi_of_size(uint64_t bytes, struct object_cfi *cfi);

#endif
