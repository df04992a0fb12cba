// SPDX-License-Identifier: GPL-2.0
/* Decodes x86-64 instructions by Zydis. */
#include <pthread.h>
#include <stdio.h>
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

/* Conditions have two names. Compilers and binutils use the other ones. */
static void rename_condition(const struct insn *insn, char *text, size_t size)
{
	static const struct { const char *name, *usual; } names[] = {
		{ "z", "e" }, { "nz", "ne" }, { "nb", "ae" }, { "nbe", "a" }, { "nl", "ge" }, { "nle", "g" },
	};
	const char *name = ZydisMnemonicGetString(insn->zydis.mnemonic), *condition = NULL;
	char *at = strstr(text, name), rest[128];

	if (insn->zydis.meta.category == ZYDIS_CATEGORY_COND_BR)
		condition = name + 1;
	else if (insn->zydis.meta.category == ZYDIS_CATEGORY_SETCC)
		condition = name + 3;
	else if (insn->zydis.meta.category == ZYDIS_CATEGORY_CMOV)
		condition = name + 4;
	for (size_t i = 0; at && condition && i < sizeof(names) / sizeof(*names); i++) {
		if (strcmp(condition, names[i].name))
			continue;
		snprintf(rest, sizeof(rest), "%s", at + strlen(name));
		at += condition - name;
		snprintf(at, size - (at - text), "%s%s", names[i].usual, rest);
		return;
	}
}

void insn_text(struct insn *insn, enum insn_syntax syntax, char *text, size_t size)
{
	ZydisFormatter f;

	ZydisFormatterInit(&f, syntax == INSN_INTEL ? ZYDIS_FORMATTER_STYLE_INTEL :
						      ZYDIS_FORMATTER_STYLE_ATT);
	ZydisFormatterSetProperty(&f, ZYDIS_FORMATTER_PROP_HEX_UPPERCASE, ZYAN_FALSE);
	ZydisFormatterSetProperty(&f, ZYDIS_FORMATTER_PROP_FORCE_RELATIVE_RIPREL, ZYAN_TRUE);
	ZydisFormatterSetProperty(&f, ZYDIS_FORMATTER_PROP_ADDR_PADDING_ABSOLUTE,
				  ZYDIS_PADDING_DISABLED);
	ZydisFormatterSetProperty(&f, ZYDIS_FORMATTER_PROP_DISP_PADDING, ZYDIS_PADDING_DISABLED);
	ZydisFormatterSetProperty(&f, ZYDIS_FORMATTER_PROP_IMM_PADDING, ZYDIS_PADDING_DISABLED);
	text[0] = '\0';
	ZydisFormatterFormatInstruction(&f, &insn->zydis, insn_operands(insn),
					insn->zydis.operand_count_visible, text, size, insn->addr,
					NULL);
	rename_condition(insn, text, size);
}
