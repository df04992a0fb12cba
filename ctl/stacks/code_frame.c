// SPDX-License-Identifier: GPL-2.0
/* Frame sizes: from call frame information, and if that uses the frame pointer, from the
 * effect of the instructions on the stack pointer. */
#include <stdlib.h>

#include "object/cfi.h"
#include "stacks/code_calls.h"
#include "stacks/code_frame.h"

/* Maximum bytes of a function that are followed. */
#define LONGEST_WAY		(1U << 16)
/* DWARF's number of the frame pointer (x86-64 psABI, figure 3.36). */
#define FRAME_POINTER		6
/* Distance from the frame pointer to the CFA after `push %rbp; mov %rsp, %rbp`. */
#define FRAME_POINTER_TO_CFA	16
#define RETURN_ADDRESS		8

/* The number of bytes on the stack, along the instructions of a function in memory order. */
struct way {
	int64_t bytes;
	int64_t body;			/* before the current epilogue */
	bool epilogue;
	bool begins;			/* the function was not called: see code_frame.h */
	bool known;
};

static int64_t multiple_of_16(int64_t bytes)
{
	return (bytes + 15) & ~15LL;
}

static bool is_stack_pointer(const cs_x86_op *op)
{
	return op->type == X86_OP_REG &&
	       (op->reg == X86_REG_RSP || op->reg == X86_REG_ESP || op->reg == X86_REG_SP);
}

static void way_grow(struct way *w, int64_t bytes)
{
	if (bytes < 0 && !w->epilogue)
		w->body = w->bytes;
	w->epilogue = bytes < 0;
	w->bytes += bytes;
}

/* The effect of an instruction whose first operand is the stack pointer. */
static void way_set(struct way *w, const cs_insn *insn)
{
	const cs_x86_op *op = insn->detail->x86.operands;
	bool number = insn->detail->x86.op_count == 2 && op[1].type == X86_OP_IMM;
	x86_reg base = op[1].type == X86_OP_MEM && op[1].mem.index == X86_REG_INVALID ?
		       op[1].mem.base : X86_REG_INVALID;

	if (!(op[0].access & CS_AC_WRITE))
		return;
	if (insn->id == X86_INS_SUB && number)
		way_grow(w, op[1].imm);
	else if (insn->id == X86_INS_ADD && number)
		way_grow(w, -op[1].imm);
	else if (insn->id == X86_INS_AND && number && op[1].imm == -16 && w->begins)
		w->bytes = multiple_of_16(w->bytes);
	else if (insn->id == X86_INS_LEA && base == X86_REG_RSP)
		way_grow(w, -op[1].mem.disp);
	else if (insn->id == X86_INS_LEA && base == X86_REG_RBP && !w->begins)
		way_grow(w, FRAME_POINTER_TO_CFA - op[1].mem.disp - w->bytes);
	else if (insn->id == X86_INS_MOV && op[1].type == X86_OP_REG &&
		 op[1].reg == X86_REG_RBP && !w->begins)
		way_grow(w, FRAME_POINTER_TO_CFA - w->bytes);
	else
		w->known = false;
}

/* After a jump or a return, the next instruction is reached from the function's body. */
static void way_end(struct way *w, bool returns)
{
	if (w->bytes == RETURN_ADDRESS && w->epilogue)
		w->bytes = w->body;
	else if (returns && w->bytes != RETURN_ADDRESS)
		w->known = false;
	w->epilogue = false;
}

static void way_take(struct way *w, const cs_insn *insn)
{
	const cs_x86 *x86 = &insn->detail->x86;

	switch (insn->id) {
	case X86_INS_PUSH:
	case X86_INS_PUSHFQ:
		way_grow(w, 8);
		return;
	case X86_INS_POP:
		w->known &= !is_stack_pointer(&x86->operands[0]);
		way_grow(w, -8);
		return;
	case X86_INS_POPFQ:
		way_grow(w, -8);
		return;
	case X86_INS_LEAVE:
		way_grow(w, RETURN_ADDRESS - w->bytes);
		return;
	case X86_INS_RET:
	case X86_INS_JMP:
		way_end(w, insn->id == X86_INS_RET);
		return;
	case X86_INS_SYSCALL:
		/* A thread begins behind its clone(). */
		if (w->begins)
			w->bytes = 0;
		return;
	case X86_INS_ENTER:
		w->known = false;
		return;
	default:
		break;
	}
	for (int i = 1; i < x86->op_count; i++)
		if (is_stack_pointer(&x86->operands[i]) &&
		    x86->operands[i].access & CS_AC_WRITE)
			w->known = false;
	if (x86->op_count && is_stack_pointer(&x86->operands[0]))
		way_set(w, insn);
}

/* Follows the function from its beginning to the instruction at vaddr. */
static bool way_go(csh disassembler, const struct object *o, uint64_t start, uint64_t vaddr,
		   struct way *w)
{
	size_t size = vaddr - start;
	unsigned char *bytes = size <= LONGEST_WAY ? malloc(size + 1) : NULL;
	cs_insn *insn = bytes ? code_calls_insn(disassembler) : NULL;
	const uint8_t *at = bytes;

	w->known = insn && object_read(o, start, bytes, size) == size;
	while (w->known && size) {
		w->known = cs_disasm_iter(disassembler, &at, &size, &start, insn);
		if (w->known)
			way_take(w, insn);
	}
	free(bytes);
	if (insn)
		cs_free(insn, 1);
	return w->known;
}

bool code_frame_bytes(csh disassembler, const struct object *o, uint64_t vaddr, int64_t *bytes)
{
	struct way w = { .begins = object_is_outermost(o, vaddr) };
	struct object_range range;
	struct object_cfi cfi;

	if (!object_function(o, vaddr, &range))
		return false;
	if (!w.begins) {
		if (!object_cfi(o, vaddr, &cfi) || cfi.signal ||
		    cfi.cfa.kind != OBJECT_CFI_REGISTER)
			return false;
		if (cfi.cfa.reg == OBJECT_CFI_STACK_POINTER) {
			*bytes = cfi.cfa.value;
			return true;
		}
		if (cfi.cfa.reg != FRAME_POINTER || cfi.cfa.value != FRAME_POINTER_TO_CFA ||
		    object_is_fragment(o, range.start))
			return false;
		w.bytes = w.body = RETURN_ADDRESS;
	}
	if (!way_go(disassembler, o, range.start, vaddr, &w))
		return false;
	*bytes = w.bytes;
	return true;
}
