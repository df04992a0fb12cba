// SPDX-License-Identifier: GPL-2.0
#include <capstone/capstone.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/grow.h"
#include "base/hash.h"
#include "object/cfi.h"
#include "stacks/code.h"
#include "stacks/code_calls.h"
#include "stacks/code_flow.h"

/* Beyond this a function is not scanned for jumps. */
#define LONGEST_FUNCTION	(1U << 20)
/* How far a chain of tail calls and split-off parts is followed. */
#define MOST_HOPS		4
#define MOST_VISITS		64

/* The ways out of one function other than calls and returns, and where its instructions
 * are. */
struct exits {
	uint32_t file;
	struct object_range range;
	uint64_t *targets;		/* of direct jumps, sorted */
	size_t nr;
	bool indirect;			/* a jump that may go anywhere */
	bool switches;			/* on another stack */
	unsigned char *ends;		/* a bit for each byte: an instruction ends there */
	bool unclear;			/* not all of it are instructions */
};

enum question {
	ASK_CALL, ASK_CALL_BEFORE, ASK_SIGNAL, ASK_ENTRY, ASK_LEAD, ASK_STEP,
	ASK_STRAIGHT, ASK_OUTERMOST, ASK_IN_MAIN, ASK_SWITCHES,
};

struct fact {
	enum question question;
	struct place a, b;
	int answer;
	struct place from, target;
};

struct code {
	const struct maps *maps;
	csh disassembler;
	struct fact *facts;
	size_t max_facts;
	struct hash fact_index;
	struct exits *exits;
	size_t max_exits;
	struct hash exits_index;
};

static const struct object *object_of(const struct code *c, struct place p)
{
	const struct object *o = maps_file(c->maps, p.file)->object;

	return o && object_is_x86_64(o) ? o : NULL;
}

static bool in_range(struct object_range r, uint64_t addr)
{
	return addr >= r.start && addr < r.end;
}

/* --- the instruction at a place --- */

static enum stacks_call find_call(struct code *c, struct place p,
				  struct place *target)
{
	const struct object *o = object_of(c, p);

	target->file = p.file;
	return o ? code_calls_at(c->disassembler, o, p.addr, &target->addr) :
		   STACKS_CALL_UNKNOWN;
}

static bool find_signal(struct code *c, struct place p)
{
	const struct object *o = object_of(c, p);
	struct object_cfi cfi;

	return o && object_cfi(o, p.addr, &cfi) && cfi.signal;
}

static enum stacks_answer find_entry(struct code *c, struct place p)
{
	const struct object *o = object_of(c, p);
	struct object_range range;

	if (!o)
		return STACKS_UNKNOWN;
	if (object_is_entry(o, p.addr))
		return STACKS_YES;
	return object_function(o, p.addr, &range) ? STACKS_NO : STACKS_UNKNOWN;
}

/* --- the ways out of a function --- */

static uint64_t exits_hash(const void *ctx, size_t i)
{
	const struct exits *e = &((const struct code *)ctx)->exits[i];

	return hash_add(hash_u64(e->file), e->range.start);
}

static int u64_compare(const void *x, const void *y)
{
	const uint64_t *a = x, *b = y;

	return *a < *b ? -1 : *a > *b;
}

static void exits_add(struct exits *e, size_t *max, uint64_t target)
{
	if (!in_range(e->range, target) &&
	    !room_for(&e->targets, e->nr + 1, max, sizeof(*e->targets)))
		e->targets[e->nr++] = target;
}

static bool ends_flow(const cs_insn *insn)
{
	switch (insn->id) {
	case X86_INS_JMP:
	case X86_INS_RET:
	case X86_INS_CALL:	/* at the very end: to what never returns */
	case X86_INS_UD2:
	case X86_INS_HLT:
	case X86_INS_INT3:
	case X86_INS_SYSCALL:
		return true;
	default:
		return false;
	}
}

/* A switch stays in its function. Its jump goes through an indexed table in memory,
 * or through a register to which the table's base was just added; the compiler may
 * mark it with prefix 3E (CET, SDM vol. 1, "No-track prefix"). */
static bool is_jump_table(const cs_insn *insn, x86_reg added)
{
	const cs_x86_op *op = &insn->detail->x86.operands[0];

	if (insn->bytes[0] == 0x3e)
		return true;
	if (op->type == X86_OP_MEM)
		return op->mem.index != X86_REG_INVALID;
	return op->type == X86_OP_REG && op->reg == added;
}

/* added: the register that the instruction before this one added to, or none. */
static void exits_instruction(struct exits *e, size_t *max, csh disassembler,
			      const cs_insn *insn, x86_reg added)
{
	const cs_x86_op *op = &insn->detail->x86.operands[0];

	if (insn->id != X86_INS_JMP &&
	    !cs_insn_group(disassembler, insn, X86_GRP_JUMP))
		return;
	if (op->type == X86_OP_IMM)
		exits_add(e, max, op->imm);
	else if (!is_jump_table(insn, added))
		e->indirect = true;
}

static x86_reg register_added_to(const cs_insn *insn)
{
	const cs_x86_op *op = &insn->detail->x86.operands[0];

	return insn->id == X86_INS_ADD && op->type == X86_OP_REG ?
		op->reg : X86_REG_INVALID;
}

/* longjmp() and its like load another stack before they jump: what follows was not
 * called in their place. The dynamic linker only puts back the one it came with. */
static bool loads_stack(const cs_insn *insn)
{
	const cs_x86_op *op = insn->detail->x86.operands;

	return insn->id == X86_INS_MOV && op[0].type == X86_OP_REG &&
	       op[0].reg == X86_REG_RSP &&
	       !(op[1].type == X86_OP_REG && op[1].reg == X86_REG_RBP);
}

/* The last byte of an instruction is the one before addr. */
static void ends_add(struct exits *e, uint64_t addr)
{
	uint64_t at = addr - 1 - e->range.start;

	e->ends[at / 8] |= 1 << at % 8;
}

static bool ends_has(const struct exits *e, uint64_t addr)
{
	uint64_t at = addr - 1 - e->range.start;

	return e->ends && e->ends[at / 8] >> at % 8 & 1;
}

static void exits_scan(struct code *c, const struct object *o, struct exits *e)
{
	size_t size = e->range.end - e->range.start, max = 0;
	unsigned char *bytes = malloc(size);
	cs_insn *insn = code_calls_insn(c->disassembler);
	const uint8_t *at = bytes;
	uint64_t addr = e->range.start;
	bool falls_through = true, other_stack = false;
	x86_reg added = X86_REG_INVALID;

	e->ends = calloc(size / 8 + 1, 1);
	if (!bytes || !e->ends)
		err_short_of_memory();
	if (!bytes || !insn || !e->ends)
		goto out;
	size = object_read(o, addr, bytes, size);
	e->unclear = size < e->range.end - addr;
	while (size) {
		if (!cs_disasm_iter(c->disassembler, &at, &size, &addr, insn)) {
			e->unclear = true;
			at++;
			size--;
			addr++;
			continue;
		}
		ends_add(e, addr);
		exits_instruction(e, &max, c->disassembler, insn, added);
		added = register_added_to(insn);
		other_stack |= loads_stack(insn);
		if (insn->id != X86_INS_NOP)
			falls_through = !ends_flow(insn);
	}
	e->switches = e->indirect && other_stack && !object_is_linker(o);
	if (e->switches)
		e->indirect = false;
	/* Hand-written functions run on into their neighbour. */
	if (falls_through)
		exits_add(e, &max, e->range.end);
	if (e->nr)
		qsort(e->targets, e->nr, sizeof(*e->targets), u64_compare);
out:
	free(bytes);
	if (insn)
		cs_free(insn, 1);
}

/* NULL when the function is too long or memory is short. */
static const struct exits *exits_of(struct code *c, uint32_t file,
				    const struct object *o,
				    struct object_range range)
{
	uint64_t hash = hash_add(hash_u64(file), range.start);
	struct exits *e;
	size_t slot;

	if (range.end <= range.start ||
	    range.end - range.start > LONGEST_FUNCTION ||
	    hash_reserve(&c->exits_index, exits_hash, c))
		return NULL;
	slot = hash_first(&c->exits_index, hash);
	for (uint32_t i; (i = c->exits_index.slots[slot]);
	     slot = hash_next(&c->exits_index, slot)) {
		e = &c->exits[i - 1];
		if (e->file == file && e->range.start == range.start &&
		    e->range.end == range.end)
			return e;
	}
	if (room_for(&c->exits, c->exits_index.used + 1, &c->max_exits, sizeof(*e)))
		return NULL;
	e = &c->exits[c->exits_index.used];
	*e = (struct exits){ .file = file, .range = range, .unclear = true };
	exits_scan(c, o, e);
	c->exits_index.slots[slot] = ++c->exits_index.used;
	return e;
}

/* --- the call before a place --- */

/* Instructions are told apart from the function's start on. */
static enum stacks_call find_call_before(struct code *c, struct place back,
					 struct place *from,
					 struct place *target)
{
	const struct object *o = object_of(c, back);
	const struct exits *e = NULL;
	struct object_range range;
	enum stacks_call kind;
	uint64_t last;
	bool known;

	target->file = back.file;
	*from = (struct place){ back.file, back.addr - 1 };
	if (!o)
		return STACKS_CALL_UNKNOWN;
	if (object_function(o, back.addr - 1, &range) &&
	    in_range(range, back.addr - 1))
		e = exits_of(c, back.file, o, range);
	known = e && ends_has(e, back.addr);
	if (!known && (!e || e->unclear))
		return code_calls_before(c->disassembler, o, back.addr, &from->addr,
					 &target->addr);
	if (!known)
		return STACKS_CALL_NONE;
	for (last = back.addr - 1; last > range.start && !ends_has(e, last);)
		last--;
	kind = code_calls_at(c->disassembler, o, last, &target->addr);
	if (kind != STACKS_CALL_NONE)
		from->addr = last;
	return kind;
}

/* --- from one function to another --- */

static size_t base_length(const char *name)
{
	const char *cold = strstr(name, ".cold");

	return cold ? (size_t)(cold - name) : strlen(name);
}

/* The compiler moves the unlikely part of foo to foo.cold. */
static bool same_name(const struct object *o, uint64_t a, uint64_t b)
{
	const struct object_symbol *sa = object_symbol(o, a);
	const struct object_symbol *sb = object_symbol(o, b);
	size_t len;

	if (!sa || !sb)
		return false;
	if (sa == sb)
		return true;
	len = base_length(sa->name);
	return len == base_length(sb->name) && !strncmp(sa->name, sb->name, len);
}

struct search {
	struct code *code;
	const struct object *goal_object;	/* NULL: not to be read */
	struct object_range goal;	/* the function to be reached */
	const char *goal_stub;		/* its name if it is a PLT stub */
	unsigned int visits;
	bool blind;			/* met what cannot be looked at */
};

static bool search_exits(struct search *s, uint32_t file, struct object_range from,
			 unsigned int hops);

static bool is_goal(const struct search *s, const struct object *o, uint64_t addr)
{
	return o == s->goal_object && in_range(s->goal, addr);
}

/* Does the function at addr end, or lead, at the goal? */
static bool search_function(struct search *s, uint32_t file, uint64_t addr,
			    unsigned int hops)
{
	const struct object *o = maps_file(s->code->maps, file)->object;
	struct object_range next;

	if (is_goal(s, o, addr))
		return true;
	return hops && object_function(o, addr, &next) &&
	       search_exits(s, file, next, hops - 1);
}

/* A stub goes to the function of its name, in whichever file exports it; or to the
 * dynamic linker, which looks for it. */
static bool search_stub(struct search *s, const struct object *o, const char *stub,
			unsigned int hops)
{
	const char *end = strstr(stub, "@plt");
	bool found = false, ifunc;
	char name[512];
	uint64_t addr;

	if (s->goal_object && object_is_linker(s->goal_object))
		return true;
	/* On the way there is the stub itself, in two parts where it is bound at
	 * the first call, and the head of the PLT. */
	if (s->goal_object == o && s->goal_stub &&
	    (!strcmp(s->goal_stub, stub) || !strcmp(s->goal_stub, "[plt]")))
		return true;
	if (!end || (size_t)(end - stub) >= sizeof(name))
		return false;
	/* A function that is chosen at start-up is one of the same file. */
	if (!strncmp(stub, "*ABS*", 5))
		return s->goal_object == o;
	snprintf(name, sizeof(name), "%.*s", (int)(end - stub), stub);
	for (size_t f = MAPS_FIRST_FILE; f < maps_nr_files(s->code->maps); f++) {
		const struct object *x = maps_file(s->code->maps, f)->object;

		for (size_t n = 0; x && object_export(x, name, n, &addr, &ifunc); n++) {
			found = true;
			if (ifunc ? x == s->goal_object :
				    search_function(s, f, addr, hops))
				return true;
		}
	}
	s->blind |= !found;
	return false;
}

/* Direct jumps are followed; an indirect one may end anywhere. */
static bool search_exits(struct search *s, uint32_t file, struct object_range from,
			 unsigned int hops)
{
	const struct object *o = maps_file(s->code->maps, file)->object;
	const struct exits *e;
	size_t nr;

	if (s->visits++ >= MOST_VISITS || !object_is_x86_64(o))
		return false;
	e = exits_of(s->code, file, o, from);
	if (!e)
		s->blind = true;
	if (!e || e->indirect)
		return e != NULL;
	nr = e->nr;
	for (size_t i = 0; i < nr; i++) {
		/* The table may have moved while the last one was followed. */
		uint64_t target = exits_of(s->code, file, o, from)->targets[i];
		struct object_range range;
		const char *stub = object_plt(o, target, &range);

		if (stub ? search_stub(s, o, stub, hops) :
			   search_function(s, file, target, hops))
			return true;
	}
	return false;
}

/* A part that was split off keeps the frame of the function it is part of. */
static bool split_off(struct code *c, struct place entered,
		      const struct object *o, struct object_range from,
		      struct object_range part)
{
	const struct exits *e;

	if (!object_is_fragment(o, part.start))
		return false;
	e = exits_of(c, entered.file, o, from);
	for (size_t i = 0; e && i < e->nr; i++)
		if (in_range(part, e->targets[i]))
			return true;
	return false;
}

static enum stacks_lead find_lead(struct code *c, struct place entered,
				  struct place at)
{
	const struct object *o = object_of(c, entered);
	const struct object *other = object_of(c, at);
	struct object_range from, goal = { 0, 0 };
	struct search search;
	const char *stub;
	bool reached;

	if (!o)
		return STACKS_LEAD_UNKNOWN;
	search = (struct search){ .code = c };
	if (other && object_function(other, at.addr, &goal))
		search.goal_object = other;
	if (other)
		search.goal_stub = object_plt(other, at.addr, &goal);
	search.goal = goal;
	stub = object_plt(o, entered.addr, &from);
	if (stub && o == other && in_range(from, at.addr))
		return STACKS_LEAD_SAME;
	if (!stub && !object_function(o, entered.addr, &from))
		return STACKS_LEAD_UNKNOWN;
	if (!stub && o == other) {
		if (in_range(from, at.addr) || same_name(o, entered.addr, at.addr))
			return STACKS_LEAD_SAME;
		if (search.goal_object && !search.goal_stub &&
		    split_off(c, entered, o, from, goal))
			return STACKS_LEAD_SAME;
	}
	reached = stub ? search_stub(&search, o, stub, MOST_HOPS) :
			 search_exits(&search, entered.file, from, MOST_HOPS);
	if (reached)
		return stub ? STACKS_LEAD_STUB : STACKS_LEAD_JUMP;
	/* What cannot be looked at cannot be called wrong. */
	return search.blind || !search.goal_object ? STACKS_LEAD_UNKNOWN :
						     STACKS_LEAD_NONE;
}

static enum stacks_step find_step(struct code *c, struct place from,
				  struct place to)
{
	const struct object *o = object_of(c, from);
	size_t size;

	if (!o)
		return STACKS_STEP_UNKNOWN;
	switch (code_line_kind(c->disassembler, o, from.addr, &size)) {
	case CODE_LINE_CALL:
		return to.file == from.file && to.addr == from.addr + size ?
			STACKS_STEP_JUMP : STACKS_STEP_CALL;
	case CODE_LINE_RETURN:
		return STACKS_STEP_RETURN;
	case CODE_LINE_OTHER:
		return find_lead(c, from, to) == STACKS_LEAD_NONE ?
			STACKS_STEP_ELSEWHERE : STACKS_STEP_JUMP;
	case CODE_LINE_UNKNOWN:
		break;
	}
	return STACKS_STEP_UNKNOWN;
}

static enum stacks_answer find_straight(struct code *c, struct place from,
					struct place to)
{
	const struct object *o = object_of(c, from);

	if (from.file != to.file)
		return STACKS_NO;
	if (!o)
		return from.addr <= to.addr ? STACKS_UNKNOWN : STACKS_NO;
	return code_line_reaches(c->disassembler, o, from.addr, to.addr);
}

/* Itself, or where it goes by its only jump. */
static bool find_switches(struct code *c, struct place entered)
{
	const struct object *o = object_of(c, entered);
	const struct exits *e;
	struct object_range range;

	for (int hops = 0; o && hops < MOST_HOPS; hops++) {
		if (!object_function(o, entered.addr, &range))
			break;
		e = exits_of(c, entered.file, o, range);
		if (!e || e->switches || e->nr != 1)
			return e && e->switches;
		entered.addr = e->targets[0];
	}
	return false;
}

static bool find_outermost(struct code *c, struct place p)
{
	const struct object *o = object_of(c, p);

	return o && object_is_outermost(o, p.addr);
}

static bool find_in_main(struct code *c, struct place p)
{
	const struct object *o = object_of(c, p);
	struct object_range range;
	uint64_t start;

	return o && code_calls_main(c->disassembler, o, &start) &&
	       object_function(o, p.addr, &range) &&
	       (range.start == start || same_name(o, start, p.addr));
}

/* --- each question once --- */

static uint64_t fact_key(enum question q, struct place a, struct place b)
{
	return hash_add(hash_add(q, maps_place_key(a)), maps_place_key(b));
}

static uint64_t fact_hash(const void *ctx, size_t i)
{
	const struct fact *f = &((const struct code *)ctx)->facts[i];

	return fact_key(f->question, f->a, f->b);
}

static void fact_find(struct code *c, struct fact *f)
{
	switch (f->question) {
	case ASK_CALL:
		f->answer = find_call(c, f->a, &f->target);
		break;
	case ASK_CALL_BEFORE:
		f->answer = find_call_before(c, f->a, &f->from, &f->target);
		break;
	case ASK_SIGNAL:
		f->answer = find_signal(c, f->a);
		break;
	case ASK_ENTRY:
		f->answer = find_entry(c, f->a);
		break;
	case ASK_LEAD:
		f->answer = find_lead(c, f->a, f->b);
		break;
	case ASK_STEP:
		f->answer = find_step(c, f->a, f->b);
		break;
	case ASK_STRAIGHT:
		f->answer = find_straight(c, f->a, f->b);
		break;
	case ASK_OUTERMOST:
		f->answer = find_outermost(c, f->a);
		break;
	case ASK_IN_MAIN:
		f->answer = find_in_main(c, f->a);
		break;
	case ASK_SWITCHES:
		f->answer = find_switches(c, f->a);
		break;
	}
}

static struct fact ask(struct code *c, enum question q, struct place a,
		       struct place b)
{
	struct fact new = { .question = q, .a = a, .b = b }, *f;
	size_t slot;

	if (hash_reserve(&c->fact_index, fact_hash, c)) {
		fact_find(c, &new);
		return new;
	}
	slot = hash_first(&c->fact_index, fact_key(q, a, b));
	for (uint32_t i; (i = c->fact_index.slots[slot]);
	     slot = hash_next(&c->fact_index, slot)) {
		f = &c->facts[i - 1];
		if (f->question == q && f->a.file == a.file &&
		    f->a.addr == a.addr && f->b.file == b.file &&
		    f->b.addr == b.addr)
			return *f;
	}
	fact_find(c, &new);
	if (room_for(&c->facts, c->fact_index.used + 1, &c->max_facts, sizeof(*f)))
		return new;
	c->facts[c->fact_index.used] = new;
	c->fact_index.slots[slot] = ++c->fact_index.used;
	return new;
}

static enum stacks_call answer_call(void *ctx, struct place place,
				    struct place *target)
{
	struct fact f = ask(ctx, ASK_CALL, place, (struct place){ 0, 0 });

	if (f.answer == STACKS_CALL_DIRECT)
		*target = f.target;
	return f.answer;
}

static enum stacks_call answer_call_before(void *ctx, struct place back,
					   struct place *from,
					   struct place *target)
{
	struct fact f = ask(ctx, ASK_CALL_BEFORE, back, (struct place){ 0, 0 });

	*from = f.from;
	*target = f.target;
	return f.answer;
}

static bool answer_signal(void *ctx, struct place place)
{
	return ask(ctx, ASK_SIGNAL, place, (struct place){ 0, 0 }).answer;
}

static enum stacks_answer answer_entry(void *ctx, struct place place)
{
	return ask(ctx, ASK_ENTRY, place, (struct place){ 0, 0 }).answer;
}

static enum stacks_lead answer_lead(void *ctx, struct place entered,
				    struct place at)
{
	return ask(ctx, ASK_LEAD, entered, at).answer;
}

static enum stacks_step answer_step(void *ctx, struct place from, struct place to)
{
	return ask(ctx, ASK_STEP, from, to).answer;
}

static enum stacks_answer answer_straight(void *ctx, struct place from,
					  struct place to)
{
	return ask(ctx, ASK_STRAIGHT, from, to).answer;
}

static bool answer_outermost(void *ctx, struct place place)
{
	return ask(ctx, ASK_OUTERMOST, place, (struct place){ 0, 0 }).answer;
}

static bool answer_in_main(void *ctx, struct place place)
{
	return ask(ctx, ASK_IN_MAIN, place, (struct place){ 0, 0 }).answer;
}

static bool answer_switches(void *ctx, struct place place)
{
	return ask(ctx, ASK_SWITCHES, place, (struct place){ 0, 0 }).answer;
}

struct stacks_code code_answers(struct code *c)
{
	return (struct stacks_code){
		.ctx = c,
		.call = answer_call,
		.call_before = answer_call_before,
		.signal = answer_signal,
		.entry = answer_entry,
		.lead = answer_lead,
		.step = answer_step,
		.straight = answer_straight,
		.outermost = answer_outermost,
		.in_main = answer_in_main,
		.switches = answer_switches,
	};
}

struct code *code_new(const struct maps *maps)
{
	struct code *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->maps = maps;
	if (cs_open(CS_ARCH_X86, CS_MODE_64, &c->disassembler)) {
		free(c);
		return NULL;
	}
	cs_option(c->disassembler, CS_OPT_DETAIL, CS_OPT_ON);
	return c;
}

void code_free(struct code *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->exits_index.used; i++) {
		free(c->exits[i].targets);
		free(c->exits[i].ends);
	}
	free(c->exits);
	free(c->facts);
	hash_free(&c->exits_index);
	hash_free(&c->fact_index);
	cs_close(&c->disassembler);
	free(c);
}
