// SPDX-License-Identifier: GPL-2.0
/* Writes instructions by Zydis, with names that are usual on Linux. */
#include <stdio.h>
#include <string.h>

#include "object/insn_text.h"

/* Conditions have two names; compilers and binutils use the other ones. Returns whether the name ends in
 * such a one: *usual: the other, *at: where it begins. */
static bool has_usual_condition(const struct insn *insn, const char *name, size_t *at,
				const char **usual)
{
	static const struct { const char *name, *usual; } names[] = {
		{ "z", "e" }, { "nz", "ne" }, { "nb", "ae" }, { "nbe", "a" }, { "nl", "ge" },
		{ "nle", "g" },
	};

	switch (insn->zydis.meta.category) {
	case ZYDIS_CATEGORY_COND_BR:
		*at = strlen("j");
		break;
	case ZYDIS_CATEGORY_SETCC:
		*at = strlen("set");
		break;
	case ZYDIS_CATEGORY_CMOV:
		*at = strlen("cmov");
		break;
	default:
		return false;
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		*usual = names[i].usual;
		if (!strcmp(name + *at, names[i].name))
			return true;
	}
	return false;
}

static char size_letter(unsigned int bits)
{
	return bits == 8 ? 'b' : bits == 16 ? 'w' : bits == 32 ? 'l' : 'q';
}

/* Whether a register tells the size of the operands, so that the name need not. */
static bool tells_size(const struct insn *insn)
{
	const ZydisDecodedOperand *op = insn->operands;

	if (insn->zydis.meta.category == ZYDIS_CATEGORY_CONVERT ||
	    insn->zydis.mnemonic == ZYDIS_MNEMONIC_CRC32)
		return false;
	for (int i = 0; i < insn->zydis.operand_count_visible; i++)
		if (op[i].type == ZYDIS_OPERAND_TYPE_REGISTER &&
		    op[i].visibility == ZYDIS_OPERAND_VISIBILITY_EXPLICIT &&
		    ZydisRegisterGetClass(op[i].reg.value) != ZYDIS_REGCLASS_SEGMENT)
			return true;
	return false;
}

/* The name in AT&T's syntax. zydis: the library's, which has a letter for the size wherever the operands
 * have different ones. */
static void att_name(const struct insn *insn, const char *name, const char *zydis, char *out,
		     size_t size)
{
	const ZydisDecodedOperand *op = insn->operands;

	switch (insn->zydis.mnemonic) {
	case ZYDIS_MNEMONIC_MOVZX:
	case ZYDIS_MNEMONIC_MOVSX:
	case ZYDIS_MNEMONIC_MOVSXD:
		snprintf(out, size, "%.4s%c%c", name, size_letter(op[1].size),
			 size_letter(op[0].size));
		return;
	case ZYDIS_MNEMONIC_CDQE:
		name = "cltq";
		break;
	case ZYDIS_MNEMONIC_CWDE:
		name = "cwtl";
		break;
	case ZYDIS_MNEMONIC_CDQ:
		name = "cltd";
		break;
	case ZYDIS_MNEMONIC_CQO:
		name = "cqto";
		break;
	default:
		if (!tells_size(insn))
			name = zydis;
	}
	snprintf(out, size, "%s", name);
}

/* Writes the usual name of an instruction. */
static void usual_name(const struct insn *insn, enum insn_syntax syntax, const char *zydis,
		       char *out, size_t size)
{
	const char *name = ZydisMnemonicGetString(insn->zydis.mnemonic), *usual;
	size_t at;

	if (has_usual_condition(insn, name, &at, &usual))
		snprintf(out, size, "%.*s%s", (int)at, name, usual);
	else if (syntax == INSN_ATT)
		att_name(insn, name, zydis, out, size);
	else
		snprintf(out, size, "%s", zydis);
}

static void write_by_zydis(struct insn *insn, enum insn_syntax syntax, char *text, size_t size)
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
	ZydisFormatterSetProperty(&f, ZYDIS_FORMATTER_PROP_IMM_SIGNEDNESS,
				  ZYDIS_SIGNEDNESS_UNSIGNED);
	text[0] = '\0';
	ZydisFormatterFormatInstruction(&f, &insn->zydis, insn_operands(insn),
					insn->zydis.operand_count_visible, text, size, insn->addr,
					NULL);
}

void insn_text(struct insn *insn, enum insn_syntax syntax, char *text, size_t size)
{
	const char *mnemonic = ZydisMnemonicGetString(insn->zydis.mnemonic);
	char written[256], zydis[64], name[64], *at;
	size_t length;

	write_by_zydis(insn, syntax, written, sizeof(written));
	/* Prefixes come first. */
	at = strstr(written, mnemonic);
	length = at ? strcspn(at, " ") : 0;
	snprintf(zydis, sizeof(zydis), "%.*s", (int)length, at ? at : "");
	usual_name(insn, syntax, zydis, name, sizeof(name));
	snprintf(text, size, "%.*s%s%s", (int)(at ? at - written : 0), written, at ? name : "",
		 at ? at + length : written);
}
