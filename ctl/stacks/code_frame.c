// SPDX-License-Identifier: GPL-2.0
/*
 * Frame sizes: from call frame information, and if that uses the frame pointer, from the
 * effect of the instructions on the stack pointer. Each function is followed once: its stations
 * keep what was found on the way, and the next question begins at the last one before its
 * instruction. A capture may ask for each instruction of a long function.
 */
#include <stdlib.h>

#include "base/grow.h"
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
/* Instructions between two stations. */
#define STATION_DISTANCE	32
#define LONGEST_INSTRUCTION	15

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

struct station {
	uint64_t vaddr;
	struct way way;			/* before the instruction at vaddr */
};

struct code_frames_function {
	const struct object *object;
	uint64_t start;
	struct station *stations;	/* in the order of their addresses */
	size_t nr, max;
};

static uint64_t function_key(const struct object *o, uint64_t start, bool begins)
{
	return hash_add(hash_add((uintptr_t)o, start), begins);
}

static uint64_t rehash(const void *ctx, size_t i)
{
	const struct code_frames_function *f = &((const struct code_frames *)ctx)->list[i];

	return function_key(f->object, f->start, f->stations->way.begins);
}

/* Returns the function, with a station at its beginning; NULL when memory is short. */
static struct code_frames_function *function_get(struct code_frames *frames,
						 const struct object *o, uint64_t start,
						 struct way way)
{
	uint64_t key = function_key(o, start, way.begins);
	struct code_frames_function new = { .object = o, .start = start };

	if (hash_reserve(&frames->index, rehash, frames))
		return NULL;
	hash_for_each(i, &frames->index, key)
		if (frames->list[i].object == o && frames->list[i].start == start &&
		    frames->list[i].stations->way.begins == way.begins)
			return &frames->list[i];
	if (room_for(&frames->list, frames->index.used + 1, &frames->max, sizeof(new)) ||
	    room_for(&new.stations, 1, &new.max, sizeof(*new.stations)))
		return NULL;
	new.stations[new.nr++] = (struct station){ start, way };
	frames->list[frames->index.used] = new;
	return &frames->list[hash_put(&frames->index, key)];
}

/* The last station that is not behind vaddr. */
static struct station station_before(const struct code_frames_function *f, uint64_t vaddr)
{
	size_t first = 0, end = f->nr;

	while (end - first > 1) {
		size_t middle = first + (end - first) / 2;

		if (f->stations[middle].vaddr <= vaddr)
			first = middle;
		else
			end = middle;
	}
	return f->stations[first];
}

/* Decodes the instruction at `at`, which has to end at vaddr or before. Returns its size, or 0. */
static size_t decode(csh disassembler, const struct object *o, uint64_t at, uint64_t vaddr,
		     cs_insn *insn)
{
	uint64_t size = vaddr - at < LONGEST_INSTRUCTION ? vaddr - at : LONGEST_INSTRUCTION;
	unsigned char bytes[LONGEST_INSTRUCTION];
	const uint8_t *code = bytes;
	size_t left = object_read(o, at, bytes, size);

	return cs_disasm_iter(disassembler, &code, &left, &at, insn) ? insn->size : 0;
}

/* Follows the function to the instruction at vaddr. */
static bool way_go(csh disassembler, struct code_frames_function *f, uint64_t vaddr, struct way *w)
{
	struct station at = station_before(f, vaddr);
	cs_insn *insn = code_calls_insn(disassembler);
	uint64_t known_to = f->stations[f->nr - 1].vaddr;
	unsigned int nr = 0;
	size_t size;

	at.way.known = insn;
	while (at.way.known && at.vaddr < vaddr) {
		size = decode(disassembler, f->object, at.vaddr, vaddr, insn);
		at.vaddr += size;
		at.way.known = size;
		if (size)
			way_take(&at.way, insn);
		if (at.way.known && ++nr % STATION_DISTANCE == 0 && at.vaddr > known_to &&
		    !room_for(&f->stations, f->nr + 1, &f->max, sizeof(at)))
			f->stations[f->nr++] = at;
	}
	if (insn)
		cs_free(insn, 1);
	*w = at.way;
	return w->known;
}

bool code_frames_bytes(struct code_frames *frames, const struct object *o, uint64_t vaddr,
		       int64_t *bytes)
{
	struct way w = { .begins = object_is_outermost(o, vaddr) };
	struct code_frames_function *function;
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
	if (vaddr - range.start > LONGEST_WAY)
		return false;
	function = function_get(frames, o, range.start, w);
	if (!function || !way_go(frames->disassembler, function, vaddr, &w))
		return false;
	*bytes = w.bytes;
	return true;
}

void code_frames_free(struct code_frames *frames)
{
	for (size_t i = 0; i < frames->index.used; i++)
		free(frames->list[i].stations);
	free(frames->list);
	hash_free(&frames->index);
}
