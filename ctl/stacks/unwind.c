// SPDX-License-Identifier: GPL-2.0
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "stacks/unwind.h"

/* The largest window holds fewer; handlers on other stacks might go round. */
#define MOST_FRAMES	4100
#define MOST_OPERATIONS	256
#define MOST_VALUES	64

#define MOST_SAVED	8

/* What compilers write: the CFA is a register + n, and registers are as they were,
 * lost, or in memory by the CFA. */
struct usual {
	uint32_t same;			/* bit by register */
	int32_t cfa;
	uint8_t cfa_register;
	uint8_t nr_saved;
	uint8_t saved[MOST_SAVED];	/* the return address is the last */
	int32_t at[MOST_SAVED];
};

struct rules {
	struct place place;
	bool known, outermost, signal;
	bool leaving;			/* only the function's end is left to do */
	bool begin;			/* a call that returns here was a stack's first */
	struct usual usual;
	struct object_cfi *others;	/* NULL: they are the usual ones */
};

/* Code is called from the same places again and again. */
#define MOST_SEEN	4096

struct seen {
	uint64_t address;
	uint32_t state;			/* of the mappings; 0: none */
	uint32_t rules;			/* number */
};

struct unwind {
	struct maps *maps;
	struct seen seen[MOST_SEEN];	/* by a hash of the address */
	struct rules *rules;
	size_t max_rules;
	struct hash index;
	struct rules spare;		/* where memory is short */
	struct place frames[MOST_FRAMES];
};

struct registers {
	uint64_t value[OBJECT_CFI_NR_REGISTERS];
	uint32_t known;			/* bit by register */
};

/* One frame on its way to the next. */
struct step {
	const struct unwind_start *start;
	struct registers now;
	uint64_t cfa;
	bool leaving;
	bool outside;			/* memory that was not recorded was asked for */
};

/* --- values --- */

static bool step_memory(struct step *s, uint64_t address, unsigned int size,
			uint64_t *value)
{
	uint64_t at = address - s->start->registers[OBJECT_CFI_STACK_POINTER];

	*value = 0;
	if (s->start->size < size || at > s->start->size - size) {
		s->outside = true;
		return false;
	}
	memcpy(value, s->start->stack + at, size);
	return true;
}

static bool step_register(const struct step *s, uint64_t number, uint64_t *value)
{
	if (number >= OBJECT_CFI_NR_REGISTERS || !(s->now.known >> number & 1))
		return false;
	*value = s->now.value[number];
	return true;
}

struct values {
	uint64_t list[MOST_VALUES];
	size_t nr;
};

static bool values_push(struct values *v, uint64_t value)
{
	if (v->nr == MOST_VALUES)
		return false;
	v->list[v->nr++] = value;
	return true;
}

/* The operations that only move or change what is there (DWARF 5, 2.5.1). */
static bool operate_unary(struct values *v, const Dwarf_Op *op)
{
	uint64_t *top;

	if (!v->nr)
		return false;
	top = &v->list[v->nr - 1];
	switch (op->atom) {
	case DW_OP_dup:
		return values_push(v, *top);
	case DW_OP_drop:
		v->nr--;
		return true;
	case DW_OP_pick:
		return op->number < v->nr && values_push(v, top[-(long)op->number]);
	case DW_OP_neg:
		*top = -*top;
		return true;
	case DW_OP_not:
		*top = ~*top;
		return true;
	case DW_OP_plus_uconst:
		*top += op->number;
		return true;
	default:
		return false;
	}
}

static bool operate_binary(struct values *v, const Dwarf_Op *op)
{
	uint64_t a, b, *to;

	if (v->nr < 2)
		return false;
	b = v->list[--v->nr];
	to = &v->list[v->nr - 1];
	a = *to;
	switch (op->atom) {
	case DW_OP_and:
		*to = a & b;
		return true;
	case DW_OP_or:
		*to = a | b;
		return true;
	case DW_OP_xor:
		*to = a ^ b;
		return true;
	case DW_OP_plus:
		*to = a + b;
		return true;
	case DW_OP_minus:
		*to = a - b;
		return true;
	case DW_OP_mul:
		*to = a * b;
		return true;
	case DW_OP_shl:
		*to = b < 64 ? a << b : 0;
		return true;
	case DW_OP_shr:
		*to = b < 64 ? a >> b : 0;
		return true;
	case DW_OP_shra:
		*to = (int64_t)a >> (b < 64 ? b : 63);
		return true;
	case DW_OP_eq:
		*to = a == b;
		return true;
	case DW_OP_ne:
		*to = a != b;
		return true;
	case DW_OP_ge:
		*to = (int64_t)a >= (int64_t)b;
		return true;
	case DW_OP_gt:
		*to = (int64_t)a > (int64_t)b;
		return true;
	case DW_OP_le:
		*to = (int64_t)a <= (int64_t)b;
		return true;
	case DW_OP_lt:
		*to = (int64_t)a < (int64_t)b;
		return true;
	default:
		return false;
	}
}

static bool operate(struct step *s, struct values *v, const Dwarf_Op *op)
{
	uint64_t value;

	switch (op->atom) {
	case DW_OP_call_frame_cfa:
		return values_push(v, s->cfa);
	case DW_OP_lit0 ... DW_OP_lit31:
		return values_push(v, op->atom - DW_OP_lit0);
	case DW_OP_const1u:
	case DW_OP_const1s:
	case DW_OP_const2u:
	case DW_OP_const2s:
	case DW_OP_const4u:
	case DW_OP_const4s:
	case DW_OP_const8u:
	case DW_OP_const8s:
	case DW_OP_constu:
	case DW_OP_consts:
		return values_push(v, op->number);
	case DW_OP_breg0 ... DW_OP_breg31:
		return step_register(s, op->atom - DW_OP_breg0, &value) &&
		       values_push(v, value + op->number);
	case DW_OP_bregx:
		return step_register(s, op->number, &value) &&
		       values_push(v, value + op->number2);
	case DW_OP_deref:
		return v->nr && step_memory(s, v->list[v->nr - 1], 8,
					    &v->list[v->nr - 1]);
	case DW_OP_deref_size:
		return v->nr && op->number >= 1 && op->number <= 8 &&
		       step_memory(s, v->list[v->nr - 1], op->number,
				   &v->list[v->nr - 1]);
	default:
		return operate_unary(v, op) || operate_binary(v, op);
	}
}

/* No operation goes back, so there is an end. An expression of a register tells
 * where it is in memory unless it ends in DW_OP_stack_value; that of the CFA is
 * the CFA. */
static bool step_expression(struct step *s, const struct object_cfi_rule *rule,
			    bool is_value, uint64_t *value)
{
	struct values v = { .nr = 0 };

	if (rule->nr_ops > MOST_OPERATIONS)
		return false;
	for (size_t i = 0; i < rule->nr_ops; i++) {
		if (rule->ops[i].atom == DW_OP_stack_value) {
			is_value = true;
			break;
		}
		if (!operate(s, &v, &rule->ops[i]))
			return false;
	}
	if (!v.nr)
		return false;
	*value = v.list[v.nr - 1];
	return is_value || step_memory(s, *value, 8, value);
}

static bool step_rule(struct step *s, const struct object_cfi_rule *rule,
		      unsigned int number, bool is_cfa, uint64_t *value)
{
	switch (rule->kind) {
	case OBJECT_CFI_SAME:
		return step_register(s, number, value);
	case OBJECT_CFI_SAVED:
		/* gcc does not say that a register was popped. */
		if (s->leaving && s->cfa + rule->value <
				  s->now.value[OBJECT_CFI_STACK_POINTER])
			return step_register(s, number, value);
		return step_memory(s, s->cfa + rule->value, 8, value);
	case OBJECT_CFI_OFFSET:
		*value = s->cfa + rule->value;
		return true;
	case OBJECT_CFI_REGISTER:
		if (!step_register(s, rule->reg, value))
			return false;
		*value += rule->value;
		return true;
	case OBJECT_CFI_EXPRESSION:
		return step_expression(s, rule, is_cfa, value);
	case OBJECT_CFI_UNKNOWN:
	case OBJECT_CFI_UNDEFINED:
		break;
	}
	return false;
}

/* --- rules, each looked up once --- */

/* The length of an instruction that takes a frame down: leave, a pop of a register,
 * an addition to the stack pointer; 0 if it is another (SDM vol. 2). */
static size_t epilogue_length(const unsigned char *insn)
{
	static const struct {
		unsigned char bytes[4];
		size_t nr, length;
	} additions[] = {
		{ { 0x48, 0x83, 0xc4 }, 3, 4 },		/* add $8 bits, %rsp */
		{ { 0x48, 0x81, 0xc4 }, 3, 7 },		/* add $32 bits, %rsp */
		{ { 0x48, 0x8d, 0x65 }, 3, 4 },		/* lea 8 bits(%rbp), %rsp */
	};

	if (*insn == 0xc9 || (*insn & 0xf8) == 0x58)
		return 1;
	if (*insn == 0x41 && (insn[1] & 0xf8) == 0x58)
		return 2;
	for (size_t i = 0; i < sizeof(additions) / sizeof(*additions); i++)
		if (!memcmp(insn, additions[i].bytes, additions[i].nr))
			return additions[i].length;
	return 0;
}

/* Is there nothing from here on but the way to a return, or to a tail call? What the
 * function had saved and has popped is below the stack pointer then. */
static bool is_leaving(const struct object *o, uint64_t vaddr)
{
	unsigned char code[48] = { 0 };
	size_t size = object_read(o, vaddr, code, sizeof(code) - 8), at = 0, length;

	while (at < size && (length = epilogue_length(code + at)))
		at += length;
	if (at >= size)
		return false;
	at += code[at] == 0xf3 || code[at] == 0xf2;	/* rep ret, bnd ret */
	return code[at] == 0xc3 || code[at] == 0xc2 || code[at] == 0xe9 ||
	       code[at] == 0xeb;
}

static uint64_t rules_hash(const void *ctx, size_t i)
{
	return hash_u64(maps_place_key(((const struct unwind *)ctx)->rules[i].place));
}

/* A PLT stub for which the linker wrote no rules: nothing is on the stack but the
 * return address before `jmp *slot`. */
static bool stub_rules(const struct object *o, uint64_t vaddr,
		       struct object_cfi *cfi)
{
	static const unsigned char endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	unsigned char code[16] = { 0 }, *at = code;
	struct object_range range;

	if (!object_plt(o, vaddr, &range) ||
	    object_read(o, vaddr, code, sizeof(code)) < sizeof(code))
		return false;
	if (!memcmp(at, endbr64, sizeof(endbr64)))
		at += sizeof(endbr64);
	at += *at == 0xf2;	/* bnd */
	if (at[0] != 0xff || at[1] != 0x25)
		return false;
	*cfi = (struct object_cfi){
		.cfa = { .kind = OBJECT_CFI_REGISTER,
			 .reg = OBJECT_CFI_STACK_POINTER, .value = 8 },
	};
	for (size_t i = 0; i < OBJECT_CFI_NR_REGISTERS; i++)
		cfi->registers[i].kind = OBJECT_CFI_SAME;
	cfi->registers[OBJECT_CFI_STACK_POINTER].kind = OBJECT_CFI_OFFSET;
	cfi->registers[OBJECT_CFI_RETURN_ADDRESS] = (struct object_cfi_rule){
		.kind = OBJECT_CFI_SAVED, .value = -8 };
	return true;
}

/* Is this where a stack begins that the program made (makecontext())? The first function
 * on it returns to code that throws it away: it begins with a move to the stack pointer. */
static bool begins_stack(const struct object *o, uint64_t vaddr)
{
	static const unsigned char endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	unsigned char code[8] = { 0 }, *at = code;

	if (!object_is_entry(o, vaddr) ||
	    object_read(o, vaddr, code, sizeof(code)) < sizeof(code))
		return false;
	if (!memcmp(at, endbr64, sizeof(endbr64)))
		at += sizeof(endbr64);
	/* mov %register, %rsp */
	return (at[0] & 0xfb) == 0x48 && at[1] == 0x89 && (at[2] & 0xc7) == 0xc4;
}

/* Go's runtime writes the address behind its begin below a new goroutine's first frame. */
static bool begins_goroutine(const struct object *o, uint64_t vaddr)
{
	const struct object_symbol *symbol = object_symbol(o, vaddr);

	return symbol && (!strcmp(symbol->name, "runtime.goexit.abi0") ||
			  !strcmp(symbol->name, "runtime.goexit"));
}

static bool take_register(struct usual *usual, unsigned int number,
			  const struct object_cfi_rule *rule)
{
	switch (rule->kind) {
	case OBJECT_CFI_SAME:
		usual->same |= 1U << number;
		return number != OBJECT_CFI_STACK_POINTER;
	case OBJECT_CFI_SAVED:
		if (number == OBJECT_CFI_STACK_POINTER || usual->nr_saved == MOST_SAVED ||
		    rule->value != (int32_t)rule->value)
			return false;
		usual->saved[usual->nr_saved] = number;
		usual->at[usual->nr_saved++] = rule->value;
		return true;
	case OBJECT_CFI_OFFSET:
		return number == OBJECT_CFI_STACK_POINTER && !rule->value;
	case OBJECT_CFI_UNKNOWN:
	case OBJECT_CFI_UNDEFINED:
		return true;
	default:
		return false;
	}
}

/* Whether these are the usual rules. */
static bool usual_take(struct usual *usual, const struct object_cfi *cfi)
{
	*usual = (struct usual){ .cfa = cfi->cfa.value, .cfa_register = cfi->cfa.reg };
	if (cfi->cfa.kind != OBJECT_CFI_REGISTER || cfi->cfa.value != usual->cfa ||
	    cfi->cfa.reg >= OBJECT_CFI_NR_REGISTERS ||
	    cfi->registers[OBJECT_CFI_RETURN_ADDRESS].kind != OBJECT_CFI_SAVED)
		return false;
	for (unsigned int i = 0; i < OBJECT_CFI_NR_REGISTERS; i++)
		if (!take_register(usual, i, &cfi->registers[i]))
			return false;
	return true;
}

static void rules_find(const struct unwind *u, struct place p, struct rules *r)
{
	const struct object *o = maps_file(u->maps, p.file)->object;
	struct object_cfi cfi;

	*r = (struct rules){ .place = p };
	if (!o)
		return;
	r->outermost = object_is_outermost(o, p.addr);
	r->begin = begins_stack(o, p.addr + 1) || begins_goroutine(o, p.addr);
	if (r->outermost || (!object_cfi(o, p.addr, &cfi) && !stub_rules(o, p.addr, &cfi)))
		return;
	r->leaving = is_leaving(o, p.addr);
	r->signal = cfi.signal;
	r->known = usual_take(&r->usual, &cfi);
	if (r->known)
		return;
	r->others = malloc(sizeof(cfi));
	r->known = r->others;
	if (r->known)
		*r->others = cfi;
}

static const struct rules *rules_of(struct unwind *u, struct place p)
{
	struct rules *more;
	size_t slot;

	if (hash_reserve(&u->index, rules_hash, u))
		goto spare;
	slot = hash_first(&u->index, hash_u64(maps_place_key(p)));
	for (uint32_t i; (i = u->index.slots[slot]);
	     slot = hash_next(&u->index, slot))
		if (u->rules[i - 1].place.file == p.file &&
		    u->rules[i - 1].place.addr == p.addr)
			return &u->rules[i - 1];
	if (u->index.used == u->max_rules) {
		size_t max = u->max_rules ? 2 * u->max_rules : 256;

		more = realloc(u->rules, max * sizeof(*more));
		if (!more)
			goto spare;
		u->rules = more;
		u->max_rules = max;
	}
	more = &u->rules[u->index.used];
	rules_find(u, p, more);
	u->index.slots[slot] = ++u->index.used;
	return more;
spare:
	free(u->spare.others);
	rules_find(u, p, &u->spare);
	return &u->spare;
}

static const struct rules *rules_at(struct unwind *u, uint32_t pid, uint32_t state,
				    uint64_t address)
{
	struct seen *seen = &u->seen[address * 0x9e3779b97f4a7c15ULL >> 52];
	const struct rules *rules;
	uint64_t offset;

	if (state && seen->state == state && seen->address == address)
		return &u->rules[seen->rules];
	rules = rules_of(u, maps_place(u->maps, pid, address, &offset));
	if (rules != &u->spare)
		*seen = (struct seen){ address, state, rules - u->rules };
	return rules;
}

/* --- from frame to frame --- */

/* The caller's registers. STACKS_END_NONE: done; else why not. */
static enum stacks_end step_usual(struct step *s, const struct usual *usual)
{
	const uint64_t sp = s->now.value[OBJECT_CFI_STACK_POINTER];
	uint32_t known = s->now.known & usual->same;

	if (!step_register(s, usual->cfa_register, &s->cfa))
		return STACKS_END_RULES;
	s->cfa += usual->cfa;
	for (size_t i = 0; i < usual->nr_saved; i++) {
		unsigned int number = usual->saved[i];
		uint64_t at = s->cfa + usual->at[i];

		/* gcc does not say that a register was popped. */
		if (s->leaving && at < sp)
			known |= s->now.known & 1U << number;
		else if (step_memory(s, at, 8, &s->now.value[number]))
			known |= 1U << number;
		else if (number == OBJECT_CFI_RETURN_ADDRESS)
			return STACKS_END_WINDOW;
	}
	s->now.value[OBJECT_CFI_STACK_POINTER] = s->cfa;
	s->now.known = known | 1U << OBJECT_CFI_STACK_POINTER;
	return STACKS_END_NONE;
}

static enum stacks_end step_others(struct step *s, const struct object_cfi *cfi)
{
	struct registers next = { .known = 0 };

	s->outside = false;
	if (!step_rule(s, &cfi->cfa, 0, true, &s->cfa))
		return s->outside ? STACKS_END_WINDOW : STACKS_END_RULES;
	for (unsigned int i = 0; i < OBJECT_CFI_NR_REGISTERS; i++) {
		s->outside = false;
		if (step_rule(s, &cfi->registers[i], i, false, &next.value[i]))
			next.known |= 1U << i;
	}
	/* The return address is the last one. */
	if (!(next.known >> OBJECT_CFI_RETURN_ADDRESS & 1))
		return s->outside ? STACKS_END_WINDOW : STACKS_END_RULES;
	if (!(next.known >> OBJECT_CFI_STACK_POINTER & 1)) {
		next.value[OBJECT_CFI_STACK_POINTER] = s->cfa;
		next.known |= 1U << OBJECT_CFI_STACK_POINTER;
	}
	s->now = next;
	return STACKS_END_NONE;
}

static enum stacks_end step_out(struct step *s, const struct rules *rules)
{
	const uint64_t sp = s->now.value[OBJECT_CFI_STACK_POINTER];
	enum stacks_end end;

	s->leaving = rules->leaving;
	end = rules->others ? step_others(s, rules->others) : step_usual(s, &rules->usual);
	/* A call leaves its frame below the caller's. Handlers may have a stack of
	 * their own. */
	if (end == STACKS_END_NONE && !rules->signal &&
	    s->now.value[OBJECT_CFI_STACK_POINTER] <= sp)
		return STACKS_END_RULES;
	return end;
}

struct unwind_result unwind_stack(struct unwind *u,
				  const struct unwind_start *start)
{
	struct unwind_result result = { .frames = u->frames };
	struct step s = { .start = start };
	uint32_t state = maps_state(u->maps, start->pid, start->pid).process;
	bool called = false;		/* left by a call, so its address is the
					 * one behind: that may be another's */

	memcpy(s.now.value, start->registers, sizeof(s.now.value));
	s.now.known = (1U << OBJECT_CFI_NR_REGISTERS) - 1;
	while (result.nr < MOST_FRAMES) {
		uint64_t ip = s.now.value[OBJECT_CFI_RETURN_ADDRESS];
		const struct rules *rules = rules_at(u, start->pid, state, ip - called);
		struct place p = rules->place;

		if (called && rules->begin) {
			result.end = STACKS_END_ENTRY;
			return result;
		}
		result.end = STACKS_END_NOWHERE;
		if (p.file == MAPS_NOTHING)
			return result;
		u->frames[result.nr++] = (struct place){ p.file, p.addr + called };
		result.end = rules->outermost ? STACKS_END_ENTRY :
			     STACKS_END_RULES;
		if (!rules->known)
			return result;
		result.end = step_out(&s, rules);
		if (result.end != STACKS_END_NONE)
			return result;
		called = !rules->signal;
	}
	result.end = STACKS_END_RULES;
	return result;
}

struct unwind *unwind_new(struct maps *maps)
{
	struct unwind *u = calloc(1, sizeof(*u));

	if (u)
		u->maps = maps;
	return u;
}

void unwind_free(struct unwind *u)
{
	if (!u)
		return;
	for (size_t i = 0; i < u->index.used; i++)
		free(u->rules[i].others);
	free(u->spare.others);
	free(u->rules);
	hash_free(&u->index);
	free(u);
}
