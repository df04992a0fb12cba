// SPDX-License-Identifier: GPL-2.0
/* Scans functions for the jumps that leave them, and stores the results. */
#include <stdlib.h>

#include "base/err.h"
#include "base/grow.h"
#include "object/cfi.h"
#include "object/insn.h"
#include "stacks/code_exits.h"
#include "stacks/unwind_bytes.h"

/* Maximum bytes of a function that is scanned for jumps. */
#define LONGEST_FUNCTION	(1U << 20)
#define LONGEST_THUNK		64
/* DWARF's number of the register (x86-64 psABI, figure 3.36). */
#define FRAME_POINTER		6

static int u64_compare(const void *x, const void *y)
{
	const uint64_t *a = x, *b = y;

	return *a < *b ? -1 : *a > *b;
}

static void exits_add(struct code_exits *e, size_t *max, uint64_t target)
{
	if (!code_in_range(e->range, target) &&
	    !room_for(&e->targets, e->nr + 1, max, sizeof(*e->targets)))
		e->targets[e->nr++] = target;
}

static bool ends_flow(const struct insn *insn)
{
	switch (insn->zydis.mnemonic) {
	case ZYDIS_MNEMONIC_JMP:
	case ZYDIS_MNEMONIC_RET:
	case ZYDIS_MNEMONIC_CALL:	/* the last instruction of a function calls one that does not
				 * return */
	case ZYDIS_MNEMONIC_UD2:
	case ZYDIS_MNEMONIC_HLT:
	case ZYDIS_MNEMONIC_INT3:
	case ZYDIS_MNEMONIC_SYSCALL:
		return true;
	default:
		return false;
	}
}

/* The state of a scan over the instructions of a function. */
struct scan {
	struct code_exits *exits;
	const struct object *object;
	const unsigned char *bytes;	/* of the function */
	size_t size;
	size_t bare;			/* unwind_bytes_bare() of them; 0: not known yet */
	size_t max;			/* number of targets that there is room for */
	ZydisRegister added;		/* the register that the previous instruction added to,
					 * or none */
	bool put_return;		/* the previous instruction wrote the return address */
	bool other_stack;		/* an instruction has loaded another stack pointer */
	bool leaves;			/* has a jump to an address in a register, or a return */
};

enum frame { FRAME_UNKNOWN, FRAME_GONE, FRAME_THERE };

/* What is known of the frame: it is gone when the return address is on top. */
static enum frame frame_at(struct scan *s, uint64_t vaddr)
{
	struct object_cfi cfi;

	if (!object_cfi(s->object, vaddr, &cfi)) {
		if (!s->bare)
			s->bare = unwind_bytes_bare(s->bytes, s->size);
		return s->bare >= vaddr - s->exits->range.start ? FRAME_GONE : FRAME_UNKNOWN;
	}
	if (cfi.cfa.kind != OBJECT_CFI_REGISTER)
		return FRAME_UNKNOWN;
	if (cfi.cfa.reg == OBJECT_CFI_STACK_POINTER)
		return cfi.cfa.value == 8 ? FRAME_GONE : FRAME_THERE;
	return cfi.cfa.reg == FRAME_POINTER ? FRAME_THERE : FRAME_UNKNOWN;
}

/* A switch stays in its function. Its jump goes through an indexed table in memory,
 * or through a register to which the table's base was just added; the compiler may
 * mark it with prefix 3E (CET, SDM vol. 1, "No-track prefix"). A table may have functions in it, which
 * are called last, when the frame is gone. */
static bool is_jump_table(const struct scan *s, struct insn *insn, enum frame frame)
{
	const ZydisDecodedOperand *op = insn_operands(insn);

	if (insn->zydis.attributes & ZYDIS_ATTRIB_HAS_NOTRACK)
		return true;
	if (op->type == ZYDIS_OPERAND_TYPE_MEMORY)
		return op->mem.index != ZYDIS_REGISTER_NONE && frame != FRAME_GONE;
	return insn_is_register(op, s->added);
}

/* A tail call takes its frame down first; `goto *label` of C keeps it. The dynamic linker and longjmp()
 * have rules of their own. */
static void exits_jump(struct scan *s, struct insn *insn)
{
	enum frame frame;
	uint64_t target;

	if (!insn_is_jump(insn))
		return;
	if (insn_target(insn, &target)) {
		exits_add(s->exits, &s->max, target);
		return;
	}
	frame = frame_at(s, insn->addr);
	if (!is_jump_table(s, insn, frame)) {
		s->leaves = true;
		s->exits->indirect |= frame != FRAME_THERE || object_is_linker(s->object);
	}
}

static ZydisRegister register_added_to(struct insn *insn)
{
	if (insn->zydis.mnemonic != ZYDIS_MNEMONIC_ADD ||
	    insn_operands(insn)->type != ZYDIS_OPERAND_TYPE_REGISTER)
		return ZYDIS_REGISTER_NONE;
	return insn_operands(insn)->reg.value;
}

/* longjmp() and similar functions load another stack before they jump or return: the next code
 * was not called from here. The dynamic linker only restores its stack. So do functions that
 * take their frame down (from %rbp), or had aligned it (from %r10, GCC's register for that). */
static bool loads_stack(struct insn *insn)
{
	const ZydisDecodedOperand *op;

	switch (insn->zydis.mnemonic) {
	case ZYDIS_MNEMONIC_XCHG:
		op = insn_operands(insn);
		return insn_is_register(&op[0], ZYDIS_REGISTER_RSP) ||
		       insn_is_register(&op[1], ZYDIS_REGISTER_RSP);
	case ZYDIS_MNEMONIC_POP:
		return insn_is_register(insn_operands(insn), ZYDIS_REGISTER_RSP);
	case ZYDIS_MNEMONIC_MOV:
		op = insn_operands(insn);
		return insn_is_register(&op[0], ZYDIS_REGISTER_RSP) &&
		       !insn_is_register(&op[1], ZYDIS_REGISTER_RBP);
	case ZYDIS_MNEMONIC_ADD:
	case ZYDIS_MNEMONIC_SUB:
		op = insn_operands(insn);
		return insn_is_register(&op[0], ZYDIS_REGISTER_RSP) &&
		       op[1].type == ZYDIS_OPERAND_TYPE_MEMORY;
	case ZYDIS_MNEMONIC_LEA:
		op = insn_operands(insn);
		return insn_is_register(&op[0], ZYDIS_REGISTER_RSP) &&
		       op[1].mem.base != ZYDIS_REGISTER_RSP &&
		       op[1].mem.base != ZYDIS_REGISTER_RBP &&
		       op[1].mem.base != ZYDIS_REGISTER_R10;
	default:
		return false;
	}
}

/* Recognizes `mov %reg, (%rsp)` or `push %reg`, which make a jump of the next `ret`. */
static bool puts_return(struct insn *insn)
{
	const ZydisDecodedOperand *op;

	if (insn->zydis.mnemonic == ZYDIS_MNEMONIC_PUSH)
		return insn_operands(insn)->type == ZYDIS_OPERAND_TYPE_REGISTER;
	if (insn->zydis.mnemonic != ZYDIS_MNEMONIC_MOV)
		return false;
	op = insn_operands(insn);
	return op[0].type == ZYDIS_OPERAND_TYPE_MEMORY && op[0].mem.base == ZYDIS_REGISTER_RSP &&
	       op[0].mem.index == ZYDIS_REGISTER_NONE && !op[0].mem.disp.value &&
	       op[1].type == ZYDIS_OPERAND_TYPE_REGISTER;
}

static void exits_instruction(struct scan *s, struct insn *insn)
{
	exits_jump(s, insn);
	if (insn_is_return(insn)) {
		s->leaves = true;
		s->exits->thunk |= s->put_return;
	}
	s->added = register_added_to(insn);
	s->put_return = puts_return(insn);
	s->other_stack |= loads_stack(insn);
}

static void exits_scan(const struct object *o, struct code_exits *e)
{
	size_t size = e->range.end - e->range.start;
	unsigned char *bytes = malloc(size);
	struct scan scan = { e, o, bytes, .added = ZYDIS_REGISTER_NONE };
	const unsigned char *at = bytes;
	uint64_t addr = e->range.start;
	bool falls_through = true;
	struct insn insn;
	size_t length;

	if (!bytes) {
		err_short_of_memory();
		return;
	}
	size = object_read(o, addr, bytes, size);
	scan.size = size;
	for (; size; at += length, size -= length, addr += length) {
		if (!insn_decode(&insn, at, size, addr)) {
			length = 1;
			continue;
		}
		length = insn.zydis.length;
		exits_instruction(&scan, &insn);
		if (insn.zydis.mnemonic != ZYDIS_MNEMONIC_NOP)
			falls_through = !ends_flow(&insn);
	}
	e->thunk &= e->range.end - e->range.start <= LONGEST_THUNK;
	e->switches = scan.leaves && scan.other_stack && !object_is_linker(o);
	if (e->switches)
		e->indirect = false;
	/* Hand-written functions continue into their neighbour. */
	if (falls_through)
		exits_add(e, &scan.max, e->range.end);
	if (e->nr)
		qsort(e->targets, e->nr, sizeof(*e->targets), u64_compare);
	free(bytes);
}

const struct code_exits *code_exits_of(struct code_files *c, uint32_t file,
					const struct object *o,
					struct object_range range)
{
	uint64_t hash = hash_add(hash_u64(file), range.start);
	struct code_exits *e;

	if (range.end <= range.start ||
	    range.end - range.start > LONGEST_FUNCTION ||
	    hash_reserve(&c->exits_index))
		return NULL;
	hash_for_each(i, &c->exits_index, hash) {
		e = &c->exits[i];
		if (e->file == file && e->range.start == range.start &&
		    e->range.end == range.end)
			return e;
	}
	if (room_for(&c->exits, c->exits_index.used + 1, &c->max_exits, sizeof(*e)))
		return NULL;
	e = &c->exits[c->exits_index.used];
	*e = (struct code_exits){ .file = file, .range = range };
	exits_scan(o, e);
	hash_put(&c->exits_index, hash);
	return e;
}

void code_files_free(struct code_files *c)
{
	for (size_t i = 0; i < c->exits_index.used; i++)
		free(c->exits[i].targets);
	free(c->exits);
	hash_free(&c->exits_index);
}
