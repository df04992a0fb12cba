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

static const char *size_letter(unsigned int bits)
{
	return bits == 8 ? "b" : bits == 16 ? "w" : bits == 32 ? "l" : "q";
}

/* Whether an operand in memory is the only one that has a size. A shift's count has none. */
static const ZydisDecodedOperand *memory_alone(const struct insn *insn)
{
	const ZydisDecodedOperand *op = insn->operands, *memory = NULL;
	const bool counts = insn->zydis.meta.category == ZYDIS_CATEGORY_SHIFT ||
			    insn->zydis.meta.category == ZYDIS_CATEGORY_ROTATE;

	for (int i = 0; i < insn->zydis.operand_count_visible; i++) {
		if (op[i].type == ZYDIS_OPERAND_TYPE_MEMORY)
			memory = &op[i];
		else if (op[i].type == ZYDIS_OPERAND_TYPE_REGISTER &&
			 !(counts && op[i].reg.value == ZYDIS_REGISTER_CL) &&
			 ZydisRegisterGetClass(op[i].reg.value) != ZYDIS_REGCLASS_X87)
			return NULL;
	}
	return memory;
}

/* What AT&T's syntax appends to a name of the x87, for an operand in memory. */
static const char *x87_letter(const struct insn *insn, unsigned int bits)
{
	switch (insn->zydis.mnemonic) {
	case ZYDIS_MNEMONIC_FLD:
	case ZYDIS_MNEMONIC_FST:
	case ZYDIS_MNEMONIC_FSTP:
	case ZYDIS_MNEMONIC_FADD:
	case ZYDIS_MNEMONIC_FSUB:
	case ZYDIS_MNEMONIC_FSUBR:
	case ZYDIS_MNEMONIC_FMUL:
	case ZYDIS_MNEMONIC_FDIV:
	case ZYDIS_MNEMONIC_FDIVR:
	case ZYDIS_MNEMONIC_FCOM:
	case ZYDIS_MNEMONIC_FCOMP:
		return bits == 32 ? "s" : bits == 64 ? "l" : "t";
	case ZYDIS_MNEMONIC_FILD:
	case ZYDIS_MNEMONIC_FIST:
	case ZYDIS_MNEMONIC_FISTP:
	case ZYDIS_MNEMONIC_FISTTP:
	case ZYDIS_MNEMONIC_FIADD:
	case ZYDIS_MNEMONIC_FISUB:
	case ZYDIS_MNEMONIC_FISUBR:
	case ZYDIS_MNEMONIC_FIMUL:
	case ZYDIS_MNEMONIC_FIDIV:
	case ZYDIS_MNEMONIC_FIDIVR:
	case ZYDIS_MNEMONIC_FICOM:
	case ZYDIS_MNEMONIC_FICOMP:
		return bits == 16 ? "s" : bits == 32 ? "l" : "ll";
	default:
		return "";
	}
}

/* What AT&T's syntax appends to other names. */
static const char *att_letter(const struct insn *insn)
{
	const ZydisDecodedOperand *op = insn->operands, *memory = memory_alone(insn);

	switch (insn->zydis.mnemonic) {
	case ZYDIS_MNEMONIC_CVTSI2SD:
	case ZYDIS_MNEMONIC_CVTSI2SS:
		return op[1].type == ZYDIS_OPERAND_TYPE_MEMORY ? size_letter(op[1].size) : "";
	case ZYDIS_MNEMONIC_VCVTSI2SD:
	case ZYDIS_MNEMONIC_VCVTSI2SS:
		return op[2].type == ZYDIS_OPERAND_TYPE_MEMORY ? size_letter(op[2].size) : "";
	case ZYDIS_MNEMONIC_VCVTPD2PS:
	case ZYDIS_MNEMONIC_VCVTPD2DQ:
	case ZYDIS_MNEMONIC_VCVTTPD2DQ:
		return op[1].type != ZYDIS_OPERAND_TYPE_MEMORY || op[0].size == 256 ? "" :
		       op[1].size == 128 ? "x" : "y";
	case ZYDIS_MNEMONIC_CRC32:
		return size_letter(op[1].size);
	case ZYDIS_MNEMONIC_PUSH:
	case ZYDIS_MNEMONIC_POP:
		return insn->zydis.operand_width == 16 ? "w" : "";
	default:
		break;
	}
	if (!memory)
		return "";
	switch (insn->zydis.meta.category) {
	case ZYDIS_CATEGORY_BINARY:
	case ZYDIS_CATEGORY_BITBYTE:
	case ZYDIS_CATEGORY_DATAXFER:
	case ZYDIS_CATEGORY_LOGICAL:
	case ZYDIS_CATEGORY_ROTATE:
	case ZYDIS_CATEGORY_SHIFT:
	case ZYDIS_CATEGORY_WIDENOP:
		return memory->size <= 64 ? size_letter(memory->size) : "";
	case ZYDIS_CATEGORY_X87_ALU:
		return x87_letter(insn, memory->size);
	default:
		return "";
	}
}

/* The name in AT&T's syntax. */
static void att_name(const struct insn *insn, const char *name, char *out, size_t size)
{
	static const struct { ZydisMnemonic mnemonic; const char *name; } names[] = {
		{ ZYDIS_MNEMONIC_CBW, "cbtw" }, { ZYDIS_MNEMONIC_CWDE, "cwtl" },
		{ ZYDIS_MNEMONIC_CDQE, "cltq" }, { ZYDIS_MNEMONIC_CWD, "cwtd" },
		{ ZYDIS_MNEMONIC_CDQ, "cltd" }, { ZYDIS_MNEMONIC_CQO, "cqto" },
	};
	const ZydisDecodedOperand *op = insn->operands;
	size_t length = strlen(name);

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (names[i].mnemonic == insn->zydis.mnemonic)
			name = names[i].name;
	if (insn->zydis.mnemonic == ZYDIS_MNEMONIC_MOVZX ||
	    insn->zydis.mnemonic == ZYDIS_MNEMONIC_MOVSX ||
	    insn->zydis.mnemonic == ZYDIS_MNEMONIC_MOVSXD)
		snprintf(out, size, "%.4s%s%s", name, size_letter(op[1].size),
			 size_letter(op[0].size));
	/* movsd, with a string, is movsl. */
	else if ((insn->zydis.meta.category == ZYDIS_CATEGORY_STRINGOP ||
		  insn->zydis.meta.category == ZYDIS_CATEGORY_IOSTRINGOP) &&
		 name[length - 1] == 'd')
		snprintf(out, size, "%.*sl", (int)length - 1, name);
	else
		snprintf(out, size, "%s%s", name, att_letter(insn));
}

/* Writes the usual name of an instruction. */
static void usual_name(const struct insn *insn, enum insn_syntax syntax, const char *name,
		       char *out, size_t size)
{
	const char *usual;
	size_t at;

	if (has_usual_condition(insn, name, &at, &usual))
		snprintf(out, size, "%.*s%s", (int)at, name, usual);
	else if (syntax == INSN_ATT)
		att_name(insn, name, out, size);
	else
		snprintf(out, size, "%s", name);
}

static void write_by_zydis(struct insn *insn, enum insn_syntax syntax, char *text, size_t size)
{
	const ZydisDecodedOperand *op = insn_operands(insn);
	ZydisDecodedOperand changed[2];
	ZydisFormatter f;

	/* AT&T's syntax does not reverse these. */
	if (insn->zydis.mnemonic == ZYDIS_MNEMONIC_ENTER && syntax == INSN_ATT) {
		changed[0] = op[1];
		changed[1] = op[0];
		op = changed;
	}
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
	ZydisFormatterSetProperty(&f, ZYDIS_FORMATTER_PROP_FORCE_SIZE, syntax == INSN_INTEL);
	text[0] = '\0';
	ZydisFormatterFormatInstruction(&f, &insn->zydis, op, insn->zydis.operand_count_visible, text,
					size, insn->addr, NULL);
}

/* AT&T's syntax marks the address of an indirect branch. */
static bool is_indirect(const struct insn *insn)
{
	return (insn->zydis.mnemonic == ZYDIS_MNEMONIC_CALL ||
		insn->zydis.mnemonic == ZYDIS_MNEMONIC_JMP) &&
	       insn->operands[0].type != ZYDIS_OPERAND_TYPE_IMMEDIATE;
}

void insn_text(struct insn *insn, enum insn_syntax syntax, char *text, size_t size)
{
	const char *mnemonic = ZydisMnemonicGetString(insn->zydis.mnemonic), *operands;
	char written[256], name[64], *at;

	write_by_zydis(insn, syntax, written, sizeof(written));
	/* Prefixes come first, and AT&T's letter of far branches. */
	at = strstr(written, mnemonic);
	if (!at) {
		snprintf(text, size, "%s", written);
		return;
	}
	usual_name(insn, syntax, mnemonic, name, sizeof(name));
	operands = at + strcspn(at, " ");
	operands += *operands == ' ';
	snprintf(text, size, "%.*s%s%s%s%s", (int)(at - written), written, name,
		 *operands ? " " : "", syntax == INSN_ATT && is_indirect(insn) ? "*" : "", operands);
}
