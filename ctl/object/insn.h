/* SPDX-License-Identifier: GPL-2.0 */
/* An x86-64 instruction: its length, where it leads and its operands. */
#ifndef LBRCTL_OBJECT_INSN_H
#define LBRCTL_OBJECT_INSN_H

#include <Zydis/Zydis.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "object/object.h"

/* Bytes (SDM vol. 2A, section 2.3.11). */
#define INSN_LONGEST	15

struct insn {
	uint64_t addr;
	ZydisDecodedInstruction zydis;	/* length, mnemonic … */
	ZydisDecoderContext context;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];	/* from insn_operands() */
	bool has_operands;
};

/* Decodes the instruction at the beginning of `size` bytes, whose address is addr. Returns false if no
 * instruction begins there. */
bool insn_decode(struct insn *insn, const unsigned char *bytes, size_t size, uint64_t addr);

enum insn_found {
	INSN_UNREADABLE,		/* there is no code */
	INSN_NONE,			/* the code is no instruction */
	INSN_FOUND,
};

enum insn_found insn_read(struct insn *insn, const struct object *object, uint64_t vaddr);

/* Returns the operands, zydis.operand_count_visible that are in its text and then the others. They take
 * as long to decode as all else, so that this is done when they are asked for. */
const ZydisDecodedOperand *insn_operands(struct insn *insn);

/* Returns the address of the byte behind it. */
static inline uint64_t insn_end(const struct insn *insn)
{
	return insn->addr + insn->zydis.length;
}

static inline bool insn_is_register(const ZydisDecodedOperand *op, ZydisRegister reg)
{
	return op->type == ZYDIS_OPERAND_TYPE_REGISTER && op->reg.value == reg;
}

/* Near calls and returns. */
bool insn_is_call(const struct insn *insn);
bool insn_is_return(const struct insn *insn);

/* Whether it is a jump, conditional or not. */
bool insn_is_jump(const struct insn *insn);

/* Whether it is a branch, or goes into the kernel and back. */
bool insn_branches(const struct insn *insn);

/* Whether the instruction behind it comes next only by a branch. */
bool insn_ends_line(const struct insn *insn);

/* *target: the address to which a direct call or jump goes. Returns false for all other instructions. */
bool insn_target(const struct insn *insn, uint64_t *target);

#endif
