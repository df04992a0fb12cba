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

static enum stacks_end step(struct unwind *u, struct unwind_step *s,
			    const struct unwind_rules *rules, bool called)
{
	struct unwind_spot spot = { s->start->pid, s->now.value[OBJECT_CFI_RETURN_ADDRESS],
				    { rules->place.file, rules->place.addr + called } };

	if (rules->known)
		return unwind_step_out(s, rules);
	if (rules->outermost)
		return STACKS_END_ENTRY;
	return rules->bare ? unwind_pointer_out(s, u->table.maps, &spot, called) :
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

size_t unwind_judge(struct unwind *u, uint32_t pid, const uint64_t *addresses, size_t nr,
		    enum stacks_end *end)
{
	uint32_t state = maps_state(u->table.maps, pid, pid).process;
	bool called = false, outermost = false;

	for (size_t i = 0; i < nr; i++) {
		const struct unwind_rules *rules = unwind_rules_at(&u->table, pid, state, addresses[i] - called);
		const enum stacks_end before = end_before(rules, called);

		if (before != STACKS_END_NONE) {
			*end = before;
			return i;
		}
		called = !rules->signal;
		outermost = rules->outermost;
	}
	if (outermost)
		*end = STACKS_END_ENTRY;
	return nr;
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
