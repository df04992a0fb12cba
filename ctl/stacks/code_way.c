// SPDX-License-Identifier: GPL-2.0
/* Walks through the code of a function, and keeps the number of bytes on the stack. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "object/insn.h"
#include "stacks/code_way.h"

#define RETURN_ADDRESS		8
/* Instructions that are walked where nothing tells the bounds of functions; of a longer one nothing is
 * known. */
#define MOST_INSTRUCTIONS	4096
/* Bytes that a jump inside of a function without a frame skips. */
#define LONGEST_JUMP		1024

/* What holds before an instruction. */
struct state {
	int64_t bytes;			/* from the stack pointer to the CFA */
	int64_t pointer;		/* from the frame pointer to the CFA; 0: not known */
	bool known;			/* bytes are */
};

struct branch {
	uint64_t vaddr;
	struct state state;
	bool behind_call;		/* which may not return */
};

/* What was found out about the instruction at an address. */
struct cell {
	struct state state;
	bool seen;
	bool weak;			/* only a call that may not return led here */
};

struct branch_list {
	struct branch *list;
	size_t nr, max;
};

struct code_walker {
	const struct object *object;
	struct insn insn;
	uint64_t start;
	bool begins, bounded;		/* a table tells the bounds of the function */
	struct branch_list open;	/* what waits to be walked; */
	struct branch_list behind;	/* what lies behind calls comes later */
	uint64_t *gaps;			/* what lies behind a jump or a return */
	size_t nr_gaps, max_gaps;
	bool has_table;			/* there is a switch; */
	struct state table;		/* what holds at its cases */
	uint64_t *cases;		/* gaps that were taken for cases */
	size_t nr_cases, max_cases;
	int32_t *seen;			/* the cells that were seen, from start */
	size_t nr_seen, max_seen;
	bool failed;			/* memory was short */
	struct cell cells[CODE_WAY_BEFORE + CODE_WAY_BEHIND];
};

/* --- the effect of an instruction --- */

/* Whether an operand is a register or a part of it. */
static bool is_of(const ZydisDecodedOperand *op, ZydisRegister reg)
{
	return op->type == ZYDIS_OPERAND_TYPE_REGISTER &&
	       ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, op->reg.value) == reg;
}

static bool is_stack_pointer(const ZydisDecodedOperand *op)
{
	return is_of(op, ZYDIS_REGISTER_RSP);
}

static bool is_frame_pointer(const ZydisDecodedOperand *op)
{
	return is_of(op, ZYDIS_REGISTER_RBP);
}

static bool is_written(const ZydisDecodedOperand *op)
{
	return op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
}

/* Returns the register of an address that depends on no other one. */
static ZydisRegister base_of(const ZydisDecodedOperand *op)
{
	return op->type == ZYDIS_OPERAND_TYPE_MEMORY && op->mem.index == ZYDIS_REGISTER_NONE ?
		op->mem.base : ZYDIS_REGISTER_NONE;
}

/* The stack pointer is now so far below the frame pointer. */
static void by_pointer(struct state *s, int64_t below)
{
	s->known = s->pointer != 0;
	s->bytes = s->pointer + below;
}

/* An instruction that writes its first operand, the stack pointer. */
static void set_stack(const struct code_walker *walk, struct state *s,
		      ZydisMnemonic mnemonic, const ZydisDecodedOperand *op)
{
	bool number = op[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE;

	if (mnemonic == ZYDIS_MNEMONIC_SUB && number)
		s->bytes += op[1].imm.value.s;
	else if (mnemonic == ZYDIS_MNEMONIC_ADD && number)
		s->bytes -= op[1].imm.value.s;
	/* A thread's stack begins at a multiple of 16 (x86-64 psABI, section 3.4.1). */
	else if (mnemonic == ZYDIS_MNEMONIC_AND && number && op[1].imm.value.s == -16 &&
		 walk->begins)
		s->bytes = (s->bytes + 15) & ~15LL;
	else if (mnemonic == ZYDIS_MNEMONIC_LEA && base_of(&op[1]) == ZYDIS_REGISTER_RSP)
		s->bytes -= op[1].mem.disp.value;
	else if (mnemonic == ZYDIS_MNEMONIC_LEA && base_of(&op[1]) == ZYDIS_REGISTER_RBP)
		by_pointer(s, -op[1].mem.disp.value);
	else if (mnemonic == ZYDIS_MNEMONIC_MOV && is_frame_pointer(&op[1]))
		by_pointer(s, 0);
	else
		s->known = false;
}

static void take_operands(const struct code_walker *walk, struct state *s,
			  const ZydisDecodedInstruction *insn, const ZydisDecodedOperand *op)
{
	bool writes = insn->operand_count && is_written(&op[0]);

	for (int i = 1; i < insn->operand_count; i++) {
		if (!is_written(&op[i]))
			continue;
		s->known &= !is_stack_pointer(&op[i]);
		if (is_frame_pointer(&op[i]))
			s->pointer = 0;
	}
	if (writes && is_stack_pointer(&op[0]))
		set_stack(walk, s, insn->mnemonic, op);
	if (!writes || !is_frame_pointer(&op[0]))
		return;
	s->pointer = 0;
	if (s->known && insn->mnemonic == ZYDIS_MNEMONIC_MOV && is_stack_pointer(&op[1]))
		s->pointer = s->bytes;
	else if (s->known && insn->mnemonic == ZYDIS_MNEMONIC_LEA &&
		 base_of(&op[1]) == ZYDIS_REGISTER_RSP)
		s->pointer = s->bytes - op[1].mem.disp.value;
}

static void take(struct code_walker *walk, struct state *s)
{
	const ZydisDecodedOperand *op = insn_operands(&walk->insn);
	const int64_t size = walk->insn.zydis.operand_width / 8;

	switch (walk->insn.zydis.mnemonic) {
	case ZYDIS_MNEMONIC_PUSH:
	case ZYDIS_MNEMONIC_PUSHF:
	case ZYDIS_MNEMONIC_PUSHFQ:
		s->bytes += size;
		return;
	case ZYDIS_MNEMONIC_POP:
		s->known &= !is_stack_pointer(op);
		if (is_frame_pointer(op))
			s->pointer = 0;
		s->bytes -= size;
		return;
	case ZYDIS_MNEMONIC_POPF:
	case ZYDIS_MNEMONIC_POPFQ:
		s->bytes -= size;
		return;
	case ZYDIS_MNEMONIC_LEAVE:
		by_pointer(s, -8);
		s->pointer = 0;
		return;
	case ZYDIS_MNEMONIC_SYSCALL:
		/* A thread begins behind its clone(). */
		if (walk->begins)
			*s = (struct state){ .known = true };
		return;
	case ZYDIS_MNEMONIC_ENTER:
		/* A push of %rbp, a move, and a subtraction; with a second operand more pushes. */
		s->known &= size == 8 && !op[1].imm.value.u;
		s->bytes += size;
		s->pointer = s->known ? s->bytes : 0;
		s->bytes += op[0].imm.value.u;
		return;
	default:
		take_operands(walk, s, &walk->insn.zydis, op);
	}
}

/* --- the walk --- */

/* The cell of an address; NULL: it is not near the function. */
static struct cell *cell_of(struct code_walker *walk, uint64_t vaddr)
{
	uint64_t at = vaddr - walk->start + CODE_WAY_BEFORE;

	return at < CODE_WAY_BEFORE + CODE_WAY_BEHIND ? &walk->cells[at] : NULL;
}

/* Keeps of a state what holds in both; returns whether that is less. */
static bool merge(struct state *s, const struct state *other)
{
	const struct state old = *s;

	s->known &= other->known && s->bytes == other->bytes;
	if (s->pointer != other->pointer)
		s->pointer = 0;
	return old.known != s->known || old.pointer != s->pointer;
}

/* Comes to an instruction again, with another state. Returns whether that is news: what was known is
 * not known any more, for example in a loop that takes memory from the stack. */
static bool come_again(struct cell *cell, struct branch *b)
{
	const struct state old = cell->state;
	bool news;

	if (b->behind_call)
		return false;
	if (cell->weak) {
		cell->weak = false;
		cell->state = b->state;
		news = old.known != b->state.known || old.bytes != b->state.bytes ||
		       old.pointer != b->state.pointer;
	} else {
		news = merge(&cell->state, &b->state);
	}
	b->state = cell->state;
	return news;
}

/* Returns whether there is news for the instructions behind this one. */
static bool come(struct code_walker *walk, struct branch *b)
{
	struct cell *cell = cell_of(walk, b->vaddr);
	bool news = cell;

	if (news && cell->seen) {
		news = come_again(cell, b);
	} else if (news && room_for(&walk->seen, walk->nr_seen + 1, &walk->max_seen,
				    sizeof(*walk->seen))) {
		walk->failed = true;
		news = false;
	} else if (news) {
		*cell = (struct cell){ b->state, true, b->behind_call };
		walk->seen[walk->nr_seen++] = b->vaddr - walk->start;
	}
	b->behind_call = false;
	return news;
}

static void wait(struct code_walker *walk, struct branch_list *list, uint64_t vaddr,
		 const struct state *state)
{
	const struct branch b = { vaddr, *state, list == &walk->behind };

	if (room_for(&list->list, list->nr + 1, &list->max, sizeof(*list->list)))
		walk->failed = true;
	else
		list->list[list->nr++] = b;
}

/* Adds an address to a list. */
static void note(struct code_walker *walk, uint64_t **list, size_t *nr, size_t *max, uint64_t vaddr)
{
	if (room_for(list, *nr + 1, max, sizeof(**list)))
		walk->failed = true;
	else
		(*list)[(*nr)++] = vaddr;
}

/* Notes the end of a line. A jump through a register or a table with a frame on the stack is that of a
 * switch: a tail call has none. */
static void end(struct code_walker *walk, const struct branch *behind)
{
	uint64_t target;

	note(walk, &walk->gaps, &walk->nr_gaps, &walk->max_gaps, behind->vaddr);
	if (walk->insn.zydis.mnemonic != ZYDIS_MNEMONIC_JMP || insn_target(&walk->insn, &target) ||
	    (behind->state.known && behind->state.bytes == RETURN_ADDRESS))
		return;
	if (!walk->has_table) {
		walk->has_table = true;
		walk->table = behind->state;
	} else if (merge(&walk->table, &behind->state)) {
		/* Two switches with different frames, or one in a loop that takes memory from the
		 * stack. */
		for (size_t i = 0; i < walk->nr_cases; i++)
			wait(walk, &walk->open, walk->cases[i], &walk->table);
	}
}

/* Goes on with the cases of a switch, which lie behind jumps and returns. */
static void open_cases(struct code_walker *walk)
{
	while (walk->has_table && walk->nr_gaps && !walk->failed) {
		const uint64_t gap = walk->gaps[--walk->nr_gaps];
		const struct cell *cell = cell_of(walk, gap);

		if (!cell || cell->seen)
			continue;
		wait(walk, &walk->open, gap, &walk->table);
		note(walk, &walk->cases, &walk->nr_cases, &walk->max_cases, gap);
	}
}

bool code_way_is_part(const struct object *o, uint64_t vaddr)
{
	const struct object_symbol *symbol = object_symbol(o, vaddr);

	return symbol && strstr(symbol->name, ".cold");
}

/* Whether another function begins at an address. */
static bool is_other(const struct code_walker *walk, uint64_t vaddr)
{
	return vaddr != walk->start && object_is_entry(walk->object, vaddr) &&
	       !code_way_is_part(walk->object, vaddr);
}

/* Whether a jump without a frame leaves the function. Where nothing tells the bounds of functions, it
 * does so if it goes far: the walk would not end. */
static bool leaves(const struct code_walker *walk, uint64_t from, uint64_t to)
{
	return is_other(walk, to) ||
	       (!walk->bounded && (to < walk->start || to > from + LONGEST_JUMP));
}

/* Takes the instruction at b->vaddr, and goes on to the next one. Returns false at the end of the
 * way. */
static bool step(struct code_walker *walk, struct branch *b)
{
	const struct insn *insn = &walk->insn;
	bool call, direct;
	uint64_t target;

	if (!come(walk, b) || insn_read(&walk->insn, walk->object, b->vaddr) != INSN_FOUND)
		return false;
	b->vaddr = insn_end(insn);
	call = insn_is_call(insn);
	direct = insn_target(insn, &target);
	/* The call that ends a function does not return, and what fills the space up to the next one is
	 * not executed. */
	if ((call || insn->zydis.mnemonic == ZYDIS_MNEMONIC_NOP) && is_other(walk, b->vaddr))
		return false;
	if (call) {
		/* A call of the next instruction is a push of its address. */
		if (direct && target == b->vaddr)
			b->state.bytes += 8;
		wait(walk, &walk->behind, b->vaddr, &b->state);
		return false;
	}
	if (direct && insn->zydis.mnemonic == ZYDIS_MNEMONIC_JMP) {
		end(walk, b);
		b->vaddr = target;
		return b->state.bytes != RETURN_ADDRESS || !leaves(walk, insn->addr, b->vaddr);
	}
	if (insn_ends_line(insn) || insn->zydis.mnemonic == ZYDIS_MNEMONIC_INT3) {
		end(walk, b);
		return false;
	}
	if (direct)
		wait(walk, &walk->open, target, &b->state);
	take(walk, &b->state);
	return true;
}

/* Takes a branch that waits. */
static bool next(struct code_walker *walk, struct branch *b)
{
	if (!walk->open.nr) {
		struct branch_list empty = walk->open;

		walk->open = walk->behind;
		walk->behind = empty;
	}
	if (!walk->open.nr)
		open_cases(walk);
	if (!walk->open.nr)
		return false;
	*b = walk->open.list[--walk->open.nr];
	return true;
}

static int spot_compare(const void *x, const void *y)
{
	const struct code_way_spot *a = x, *b = y;

	return a->at < b->at ? -1 : a->at > b->at;
}

/* Keeps what is known. Returns 0, or -1 when memory is short. */
static int keep(struct code_walker *walk, struct code_way *way)
{
	way->spots = calloc(walk->nr_seen + 1, sizeof(*way->spots));
	if (!way->spots)
		return -1;
	for (size_t i = 0; i < walk->nr_seen; i++) {
		const struct state *s = &cell_of(walk, walk->start + walk->seen[i])->state;

		if (s->known)
			way->spots[way->nr++] = (struct code_way_spot){ walk->seen[i], s->bytes };
	}
	qsort(way->spots, way->nr, sizeof(*way->spots), spot_compare);
	return 0;
}

struct code_walker *code_walker_new(void)
{
	return calloc(1, sizeof(struct code_walker));
}

void code_walker_free(struct code_walker *walk)
{
	if (!walk)
		return;
	free(walk->open.list);
	free(walk->behind.list);
	free(walk->gaps);
	free(walk->cases);
	free(walk->seen);
	free(walk);
}

/* Forgets the last walk. */
static void begin(struct code_walker *walk)
{
	for (size_t i = 0; i < walk->nr_seen; i++)
		*cell_of(walk, walk->start + walk->seen[i]) = (struct cell){ .seen = false };
	walk->nr_seen = walk->nr_gaps = walk->open.nr = walk->behind.nr = 0;
	walk->nr_cases = 0;
	walk->has_table = false;
	walk->failed = false;
}

static bool is_endless(const struct code_walker *walk)
{
	return !walk->bounded && walk->nr_seen > MOST_INSTRUCTIONS;
}

int code_walker_go(struct code_walker *walk, const struct object *o, uint64_t start, bool begins,
		   struct code_way *way)
{
	const struct state first = { .bytes = begins ? 0 : RETURN_ADDRESS, .known = true };
	struct object_range range;
	struct branch b;

	*way = (struct code_way){ 0 };
	begin(walk);
	walk->object = o;
	walk->start = start;
	walk->begins = begins;
	walk->bounded = object_function(o, start, &range);
	wait(walk, &walk->open, start, &first);
	while (!walk->failed && !is_endless(walk) && next(walk, &b))
		while (step(walk, &b))
			;
	if (walk->failed)
		return -1;
	return is_endless(walk) ? 0 : keep(walk, way);
}

bool code_way_bytes(const struct code_way *way, int64_t at, int64_t *bytes)
{
	const struct code_way_spot wanted = { .at = at }, *spot;

	if (!way->nr || at < -CODE_WAY_BEFORE || at >= CODE_WAY_BEHIND)
		return false;
	spot = bsearch(&wanted, way->spots, way->nr, sizeof(wanted), spot_compare);
	if (spot)
		*bytes = spot->bytes;
	return spot;
}
