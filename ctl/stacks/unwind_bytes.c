// SPDX-License-Identifier: GPL-2.0
/* Recognizes, in the bytes of code, calls and what sets up a frame pointer. */
#include <string.h>

#include "object/insn.h"
#include "stacks/unwind_bytes.h"

/* Bytes of push %rbp; mov %rsp, %rbp. */
#define PROLOGUE	4

/* Returns the length of an operand in registers or memory that begins with this ModRM byte; 0:
 * its bytes are not all there. */
static size_t operand_length(const unsigned char *modrm, size_t nr)
{
	unsigned int mod = *modrm >> 6, rm = *modrm & 7;
	size_t length = 1;

	if (mod == 3)
		return length;
	if (rm == 4) {
		length++;
		if (nr < length)
			return 0;
		rm = modrm[1] & 7;
	}
	if (mod == 1)
		return length + 1;
	return length + (mod == 2 || (mod == 0 && rm == 5) ? 4 : 0);
}

/* Whether the nr bytes are `call *operand`: FF /2, with REX, and notrack or bnd before it. */
static bool is_indirect(const unsigned char *at, size_t nr)
{
	if (nr && (*at == 0x3e || *at == 0xf2)) {
		at++;
		nr--;
	}
	if (nr && (*at & 0xf0) == 0x40) {
		at++;
		nr--;
	}
	return nr >= 2 && at[0] == 0xff && (at[1] & 0x38) == 0x10 &&
	       operand_length(at + 1, nr - 1) == nr - 1;
}

enum unwind_bytes_call unwind_bytes_call(const unsigned char *end, size_t nr, int32_t *relative)
{
	if (nr >= 5 && end[-5] == 0xe8) {
		memcpy(relative, end - 4, sizeof(*relative));
		return UNWIND_BYTES_DIRECT;
	}
	for (size_t length = 2; length <= nr && length <= UNWIND_BYTES_CALL; length++)
		if (is_indirect(end - length, length))
			return UNWIND_BYTES_INDIRECT;
	return UNWIND_BYTES_NO_CALL;
}

/* Whether the bytes begin with mov %rsp, %rbp, in either encoding. */
static bool is_move(const unsigned char *at, size_t nr)
{
	return nr >= 3 && at[0] == 0x48 && ((at[1] == 0x89 && at[2] == 0xe5) ||
					    (at[1] == 0x8b && at[2] == 0xec));
}

static bool is_prologue(const unsigned char *at, size_t nr)
{
	return nr >= PROLOGUE && *at == 0x55 && is_move(at + 1, nr - 1);
}

/* A jump behind pop %rbp or leave is a tail call. */
static bool is_tail_call(const unsigned char *at, size_t before, size_t nr)
{
	return before && nr >= 2 && (at[-1] == 0x5d || at[-1] == 0xc9) &&
	       (at[0] == 0xe9 || at[0] == 0xeb || (at[0] == 0xff && (at[1] & 0x38) == 0x20));
}

static bool writes(struct insn *insn, ZydisRegister reg)
{
	const ZydisDecodedOperand *op = insn_operands(insn);

	for (int i = 0; i < insn->zydis.operand_count; i++)
		if (op[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE && insn_is_register(&op[i], reg))
			return true;
	return false;
}

/* Whether all instructions up to the return leave the stack pointer alone: the frame is gone. */
static bool is_leaving(const unsigned char *bytes, size_t nr)
{
	struct insn insn;

	for (size_t at = 0; insn_decode(&insn, bytes + at, nr - at, at); at = insn_end(&insn)) {
		if (insn_is_return(&insn))
			return true;
		if (writes(&insn, ZYDIS_REGISTER_RSP) || insn_branches(&insn))
			break;
	}
	return false;
}

enum unwind_bytes_frame unwind_bytes_frame(const unsigned char *at, size_t before, size_t behind)
{
	static const unsigned char endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };

	if (before && at[-1] == 0x55 && is_move(at, behind))
		return UNWIND_BYTES_PUSHED;
	if (is_leaving(at, behind) || is_tail_call(at, before, behind) ||
	    is_prologue(at, behind))
		return UNWIND_BYTES_TOP;
	return behind >= sizeof(endbr64) && !memcmp(at, endbr64, sizeof(endbr64)) &&
	       is_prologue(at + sizeof(endbr64), behind - sizeof(endbr64)) ?
	       UNWIND_BYTES_TOP : UNWIND_BYTES_OTHER;
}

/* Whether an instruction with this byte may leave the function, or take down its frame: a return,
 * a jump or call, leave, pop %rbp, int3, ud2, push %rbp. */
static bool is_elsewhere(const unsigned char *at)
{
	static const unsigned char first[] = { 0xc3, 0xc2, 0xe9, 0xeb, 0xe8, 0xc9, 0x5d, 0xcc,
					       0x55 };

	return memchr(first, *at, sizeof(first)) || (at[0] == 0x0f && at[1] == 0x0b) ||
	       (at[0] == 0xff && (at[1] & 0x30) != 0x30);
}

bool unwind_bytes_before_prologue(const unsigned char *at, size_t nr)
{
	for (size_t i = 0; i + PROLOGUE <= nr; i++) {
		if (is_prologue(at + i, nr - i))
			return true;
		if (is_elsewhere(at + i))
			return false;
	}
	return false;
}

size_t unwind_bytes_bare(const unsigned char *bytes, size_t nr)
{
	struct insn insn;
	size_t at = 0;

	while (insn_decode(&insn, bytes + at, nr - at, at) && !writes(&insn, ZYDIS_REGISTER_RSP))
		at = insn_end(&insn);
	return at;
}

bool unwind_bytes_prologue(const unsigned char *bytes, size_t nr, struct unwind_bytes_prologue *p)
{
	const ZydisDecodedOperand *op;
	bool pushed = false;
	struct insn insn;

	for (size_t at = 0; insn_decode(&insn, bytes + at, nr - at, at); at = insn_end(&insn)) {
		op = insn_operands(&insn);
		if (insn.zydis.mnemonic == ZYDIS_MNEMONIC_PUSH &&
		    insn_is_register(op, ZYDIS_REGISTER_RBP)) {
			pushed = true;
			p->push = at;
		} else if (pushed && insn.zydis.mnemonic == ZYDIS_MNEMONIC_MOV &&
			   insn_is_register(&op[0], ZYDIS_REGISTER_RBP) &&
			   insn_is_register(&op[1], ZYDIS_REGISTER_RSP)) {
			p->end = insn_end(&insn);
			return true;
		} else {
			pushed &= !writes(&insn, ZYDIS_REGISTER_RSP) &&
				  !writes(&insn, ZYDIS_REGISTER_RBP) && !insn_branches(&insn);
		}
	}
	return false;
}
