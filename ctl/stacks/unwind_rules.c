// SPDX-License-Identifier: GPL-2.0
/* Looks up the unwinding rules of code places, and caches them. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "stacks/unwind_rules.h"

/* Returns the length of an instruction that takes a frame down: leave, a pop of a register, an
 * addition to the stack pointer; 0 for any other (SDM vol. 2). */
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

/* Whether only the epilogue is left up to a return, or a tail call. Saved registers that were
 * already popped are below the stack pointer then. */
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

static bool saves_below(const struct object_cfi *cfi)
{
	for (unsigned int i = 0; i < OBJECT_CFI_NR_REGISTERS; i++)
		if (cfi->registers[i].kind == OBJECT_CFI_SAVED &&
		    cfi->registers[i].value < -cfi->cfa.value)
			return true;
	return false;
}

/* Whether registers that were saved below the present stack pointer were popped, and other
 * instructions follow up to the return: shortly before, the frame was larger. A function that saves
 * registers in the red zone has no larger frame. */
static bool has_popped(const struct object *o, uint64_t vaddr, const struct object_cfi *cfi)
{
	const uint64_t longest = 32;
	struct object_range range;
	struct object_cfi before;

	if (cfi->cfa.kind != OBJECT_CFI_REGISTER || cfi->cfa.reg != OBJECT_CFI_STACK_POINTER ||
	    !saves_below(cfi) || !object_function(o, vaddr, &range))
		return false;
	for (uint64_t at = vaddr; at-- > range.start && vaddr - at <= longest;)
		if (object_cfi(o, at, &before) && before.cfa.kind == OBJECT_CFI_REGISTER &&
		    (before.cfa.reg != OBJECT_CFI_STACK_POINTER || before.cfa.value > cfi->cfa.value))
			return true;
	return false;
}

/* Sets the rules of a PLT stub without call frame information: only the return address is on
 * the stack before `jmp *slot`. */
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

/* Whether a stack that the program made begins here (makecontext()). Its first function
 * returns to code that discards the stack: that code begins with a move to the stack pointer. */
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

/* Go's runtime stores the address behind the beginning of goexit below a new goroutine's first
 * frame. */
static bool begins_goroutine(const struct object *o, uint64_t vaddr)
{
	const struct object_symbol *symbol = object_symbol(o, vaddr);

	return symbol && (!strcmp(symbol->name, "runtime.goexit.abi0") ||
			  !strcmp(symbol->name, "runtime.goexit"));
}

static bool take_register(struct unwind_usual *usual, unsigned int number,
			  const struct object_cfi_rule *rule)
{
	switch (rule->kind) {
	case OBJECT_CFI_SAME:
		usual->same |= 1U << number;
		return number != OBJECT_CFI_STACK_POINTER;
	case OBJECT_CFI_SAVED:
		if (number == OBJECT_CFI_STACK_POINTER || usual->nr_saved == UNWIND_SAVED_MAX ||
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
static bool usual_take(struct unwind_usual *usual, const struct object_cfi *cfi)
{
	*usual = (struct unwind_usual){ .cfa = cfi->cfa.value, .cfa_register = cfi->cfa.reg };
	if (cfi->cfa.kind != OBJECT_CFI_REGISTER || cfi->cfa.value != usual->cfa ||
	    cfi->cfa.reg >= OBJECT_CFI_NR_REGISTERS ||
	    cfi->registers[OBJECT_CFI_RETURN_ADDRESS].kind != OBJECT_CFI_SAVED)
		return false;
	for (unsigned int i = 0; i < OBJECT_CFI_NR_REGISTERS; i++)
		if (!take_register(usual, i, &cfi->registers[i]))
			return false;
	return true;
}

bool unwind_rules_is_bare(const struct maps_file *file)
{
	if (!file->object)
		return file->state == OBJECT_NO_FILE || file->state == OBJECT_NOT_ELF;
	return object_is_x86_64(file->object) && !object_has_gotable(file->object);
}

/* Decodes the function, which takes as long as a hundred steps by other rules. */
static void judge_frame(const struct unwind_table *u, struct unwind_rules *r)
{
	for (unsigned int called = 0; called <= 1; called++) {
		const uint64_t addr = r->place.addr + called;
		const struct unwind_spot spot = { .address = addr, .place = { r->place.file, addr } };

		r->frame[called] = unwind_code_frame(u->maps, &spot, called);
	}
	r->judged = true;
}

static void rules_find(const struct unwind_table *u, struct place p, struct unwind_rules *r)
{
	const struct maps_file *file = maps_file(u->maps, p.file);
	const struct object *o = file->object;
	struct object_cfi cfi;
	bool known;

	*r = (struct unwind_rules){ .place = p, .bare = unwind_rules_is_bare(file) };
	if (!o)
		return;
	known = object_cfi(o, p.addr, &cfi);
	r->outermost = object_cfi_is_outermost(o, p.addr, known ? &cfi : NULL);
	r->begin = begins_stack(o, p.addr + 1) || begins_goroutine(o, p.addr);
	if (r->outermost)
		return;
	if (!known && !stub_rules(o, p.addr, &cfi)) {
		if (r->bare)
			judge_frame(u, r);
		return;
	}
	r->bare = false;
	r->leaving = is_leaving(o, p.addr) || has_popped(o, p.addr, &cfi);
	r->signal = cfi.signal;
	r->known = usual_take(&r->usual, &cfi);
	if (r->known)
		return;
	r->others = malloc(sizeof(cfi));
	r->known = r->others;
	if (r->known)
		*r->others = cfi;
}

/* Bounds the table: a long recording, or a hostile program, has any number of addresses. */
static void rules_forget(struct unwind_table *u)
{
	for (size_t i = 0; i < u->index.used; i++)
		free(u->rules[i].others);
	hash_empty(&u->index);
	memset(u->seen, 0, sizeof(u->seen));
}

static const struct unwind_rules *rules_of(struct unwind_table *u, struct place p)
{
	uint64_t hash = hash_u64(maps_place_key(p));
	struct unwind_rules *more;

	if (hash_reserve(&u->index))
		goto spare;
	if (u->index.used == UNWIND_RULES_MAX)
		rules_forget(u);
	hash_for_each(i, &u->index, hash)
		if (maps_same_place(u->rules[i].place, p))
			return &u->rules[i];
	if (room_for(&u->rules, u->index.used + 1, &u->max_rules, sizeof(*more)))
		goto spare;
	more = &u->rules[u->index.used];
	rules_find(u, p, more);
	hash_put(&u->index, hash);
	return more;
spare:
	free(u->spare.others);
	rules_find(u, p, &u->spare);
	return &u->spare;
}

const struct unwind_rules *unwind_rules_at(struct unwind_table *u, uint32_t pid,
					   uint32_t state, uint64_t address)
{
	struct unwind_seen *seen = &u->seen[address * 0x9e3779b97f4a7c15ULL >> 52];
	const struct unwind_rules *rules;
	uint64_t offset;

	if (state && seen->state == state && seen->address == address)
		return &u->rules[seen->rules];
	rules = rules_of(u, maps_place(u->maps, pid, address, &offset));
	if (rules != &u->spare)
		*seen = (struct unwind_seen){ address, state, rules - u->rules };
	return rules;
}

void unwind_table_free(struct unwind_table *u)
{
	rules_forget(u);
	free(u->spare.others);
	free(u->rules);
	hash_free(&u->index);
}
