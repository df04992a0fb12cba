// SPDX-License-Identifier: GPL-2.0
/* Unwinds a recorded piece of a user stack, frame by frame. */
#include <stdlib.h>
#include <string.h>

#include "stacks/unwind.h"
#include "stacks/unwind_pointer.h"
#include "stacks/unwind_rules.h"
#include "stacks/unwind_step.h"

struct unwind {
	struct unwind_table table;
	struct place frames[UNWIND_FRAMES_MAX];
	uint64_t addresses[UNWIND_FRAMES_MAX];
};

static struct unwind_spot spot_of(const struct unwind_rules *rules, uint32_t pid, uint64_t address, bool called)
{
	return (struct unwind_spot){ pid, address, { rules->place.file, rules->place.addr + called },
				     rules->judged ? &rules->frame[called] : NULL };
}

static bool is_by_pointer(const struct unwind_rules *rules)
{
	return !rules->known && !rules->outermost && rules->bare;
}

static enum stacks_end step(struct unwind *u, struct unwind_step *s,
			    const struct unwind_rules *rules, bool called)
{
	struct unwind_spot spot = spot_of(rules, s->start->pid, s->now.value[OBJECT_CFI_RETURN_ADDRESS], called);

	if (rules->known)
		return unwind_step_out(s, rules);
	if (rules->outermost)
		return STACKS_END_ENTRY;
	return is_by_pointer(rules) ? unwind_pointer_out(s, u->table.maps, &spot, called) :
				      STACKS_END_RULES;
}

/* Whether an address is no frame: the stack begins inside of it, or it is no code. Returns why the
 * stack ends before it, or STACKS_END_NONE. */
static enum stacks_end end_before(const struct unwind_rules *rules, bool called)
{
	if (called && rules->begin)
		return STACKS_END_ENTRY;
	return rules->place.file == MAPS_NOTHING ? STACKS_END_NOWHERE : STACKS_END_NONE;
}

struct unwind_result unwind_stack(struct unwind *u,
				  const struct unwind_start *start)
{
	struct unwind_result result = { .frames = u->frames, .addresses = u->addresses };
	struct unwind_step s = { .start = start };
	uint32_t state = maps_state(u->table.maps, start->pid, start->pid).process;
	bool called = false;		/* left by a call, so the address after it is used,
					 * which may belong to the next function
					 */

	memcpy(s.now.value, start->registers, sizeof(s.now.value));
	s.now.known = (1U << OBJECT_CFI_NR_REGISTERS) - 1;
	/* Bounds loops: handlers on other stacks might form one. */
	while (result.nr < UNWIND_FRAMES_MAX) {
		uint64_t ip = s.now.value[OBJECT_CFI_RETURN_ADDRESS];
		const struct unwind_rules *rules = unwind_rules_at(&u->table, start->pid, state, ip - called);
		struct place p = rules->place;

		result.end = end_before(rules, called);
		if (result.end != STACKS_END_NONE)
			return result;
		u->addresses[result.nr] = ip;
		u->frames[result.nr++] = (struct place){ p.file, p.addr + called };
		result.end = step(u, &s, rules, called);
		if (result.end == STACKS_END_WINDOW && !start->size)
			result.end = STACKS_END_ABSENT;
		if (result.end != STACKS_END_NONE)
			return result;
		if (!rules->known && !result.pointed)
			result.pointed = result.nr;
		called = !rules->signal;
	}
	result.end = STACKS_END_RULES;
	return result;
}

static void insert(struct unwind_chain *chain, size_t at, uint64_t address)
{
	memmove(chain->addresses + at + 1, chain->addresses + at, (chain->nr - at) * sizeof(*chain->addresses));
	chain->addresses[at] = address;
	chain->nr++;
}

/* Judges the step out of address i, which has a caller: *end stays STACKS_END_NONE if it is right. */
static enum stacks_end judge_step(struct unwind *u, uint32_t pid, struct unwind_chain *chain, size_t i,
				  const struct unwind_rules *rules, bool called)
{
	const bool by_pointer = is_by_pointer(rules);
	const uint64_t *top = i ? NULL : chain->top;
	struct unwind_spot spot = spot_of(rules, pid, chain->addresses[i], called);
	enum stacks_end end;
	uint64_t hidden;

	/* Other code is there now than was. */
	if (!called && by_pointer != (top != NULL))
		return STACKS_END_RULES;
	if (!by_pointer)
		return STACKS_END_NONE;
	end = unwind_pointer_judge(pid, u->table.maps, &spot, top, chain->addresses[i + 1], &hidden);
	if (end == STACKS_END_NONE && !chain->pointed)
		chain->pointed = i + 1;
	if (hidden)
		insert(chain, i + 1, hidden);
	return end;
}

void unwind_judge(struct unwind *u, uint32_t pid, struct unwind_chain *chain)
{
	uint32_t state = maps_state(u->table.maps, pid, pid).process;
	bool called = false, outermost = false;

	for (size_t i = 0; i < chain->nr; i++) {
		const struct unwind_rules *rules = unwind_rules_at(&u->table, pid, state, chain->addresses[i] - called);
		enum stacks_end end = end_before(rules, called);
		const bool signal = rules->signal;

		outermost = rules->outermost;
		if (end != STACKS_END_NONE)
			chain->nr = i;
		else if (i + 1 < chain->nr && (end = judge_step(u, pid, chain, i, rules, called)) != STACKS_END_NONE)
			chain->nr = i + 1;
		if (end != STACKS_END_NONE) {
			chain->end = end;
			return;
		}
		called = !signal;
	}
	if (outermost)
		chain->end = STACKS_END_ENTRY;
}

struct unwind *unwind_new(struct maps *maps)
{
	struct unwind *u = calloc(1, sizeof(*u));

	if (u)
		u->table.maps = maps;
	return u;
}

void unwind_free(struct unwind *u)
{
	if (!u)
		return;
	unwind_table_free(&u->table);
	free(u);
}
