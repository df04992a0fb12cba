// SPDX-License-Identifier: GPL-2.0
/* Decodes x86-64 instructions by Zydis. */
#include <pthread.h>
#include <string.h>

#include "object/insn.h"

static ZydisDecoder decoder;

static void decoder_init(void)
{
	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
}

bool insn_decode(struct insn *insn, const unsigned char *bytes, size_t size, uint64_t addr)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, decoder_init);
	insn->addr = addr;
	insn->has_operands = false;
	return ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, &insn->context, bytes, size,
							  &insn->zydis));
}

enum insn_found insn_read(struct insn *insn, const struct object *o, uint64_t vaddr)
{
	unsigned char bytes[INSN_LONGEST];
	size_t nr = object_read(o, vaddr, bytes, sizeof(bytes));

	if (!nr)
		return INSN_UNREADABLE;
	return insn_decode(insn, bytes, nr, vaddr) ? INSN_FOUND : INSN_NONE;
}

const ZydisDecodedOperand *insn_operands(struct insn *insn)
{
	if (!insn->has_operands) {
		memset(insn->operands, 0, sizeof(insn->operands));
		ZydisDecoderDecodeOperands(&decoder, &insn->context, &insn->zydis, insn->operands,
					   insn->zydis.operand_count);
		insn->has_operands = true;
	}
	return insn->operands;
}

static bool is_far(const struct insn *insn)
{
	return insn->zydis.meta.branch_type == ZYDIS_BRANCH_TYPE_FAR;
}

bool insn_is_call(const struct insn *insn)
{
	return insn->zydis.mnemonic == ZYDIS_MNEMONIC_CALL && !is_far(insn);
}

bool insn_is_return(const struct insn *insn)
{
	return insn->zydis.mnemonic == ZYDIS_MNEMONIC_RET && !is_far(insn);
}

/* Transactions have the category of jumps. */
bool insn_is_jump(const struct insn *insn)
{
	return insn->zydis.mnemonic == ZYDIS_MNEMONIC_JMP ||
	       (insn->zydis.meta.category == ZYDIS_CATEGORY_COND_BR &&
		insn->zydis.mnemonic != ZYDIS_MNEMONIC_XBEGIN &&
		insn->zydis.mnemonic != ZYDIS_MNEMONIC_XEND);
}

bool insn_branches(const struct insn *insn)
{
	switch (insn->zydis.mnemonic) {
	case ZYDIS_MNEMONIC_CALL:
	case ZYDIS_MNEMONIC_RET:
	case ZYDIS_MNEMONIC_SYSCALL:
	case ZYDIS_MNEMONIC_SYSENTER:
	case ZYDIS_MNEMONIC_INT:
	case ZYDIS_MNEMONIC_INT3:
	case ZYDIS_MNEMONIC_IRETQ:
		return true;
	default:
		return insn_is_jump(insn);
	}
}

bool insn_ends_line(const struct insn *insn)
{
	switch (insn->zydis.mnemonic) {
	case ZYDIS_MNEMONIC_JMP:
	case ZYDIS_MNEMONIC_CALL:
	case ZYDIS_MNEMONIC_RET:
	case ZYDIS_MNEMONIC_IRETQ:
	case ZYDIS_MNEMONIC_UD2:
	case ZYDIS_MNEMONIC_HLT:
		return true;
	default:
		return false;
	}
}

bool insn_target(const struct insn *insn, uint64_t *target)
{
	if (!insn->zydis.raw.imm[0].is_relative || (!insn_is_call(insn) && !insn_is_jump(insn)))
		return false;
	*target = insn_end(insn) + insn->zydis.raw.imm[0].value.s;
	return true;
}
