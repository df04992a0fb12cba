// SPDX-License-Identifier: GPL-2.0
/* Follows jumps, split-off parts and PLT stubs from one function to another. */
#include <stdio.h>
#include <string.h>

#include "stacks/code_lead.h"

/* Maximum number of functions that one search follows, and of jumps that it looks at. */
#define MOST_FUNCTIONS		256
#define MOST_JUMPS		16384

static size_t base_length(const char *name)
{
	const char *cold = strstr(name, ".cold");

	return cold ? (size_t)(cold - name) : strlen(name);
}

bool code_same_name(const struct object *o, uint64_t a, uint64_t b)
{
	const struct object_symbol *sa = object_symbol(o, a);
	const struct object_symbol *sb = object_symbol(o, b);
	char name[512];
	uint64_t start;
	size_t len;

	if (!sa || !sb)
		return false;
	if (sa == sb)
		return true;
	len = base_length(sa->name);
	/* Functions of one name in several source files are different functions. */
	if (len != base_length(sb->name) || strncmp(sa->name, sb->name, len) ||
	    (!sa->name[len] && !sb->name[len]) || len >= sizeof(name))
		return false;
	snprintf(name, sizeof(name), "%.*s", (int)len, sa->name);
	return object_named(o, name, &start) == 1;
}

/* A search of all functions that the tail calls of one lead to, nearest first. */
struct search {
	struct code_files *code;
	const struct object *goal_object;	/* NULL: cannot be read */
	struct object_range goal;	/* the function to be reached */
	const char *goal_stub;		/* its name if it is a PLT stub */
	struct {
		uint32_t file;
		struct object_range range;
	} functions[MOST_FUNCTIONS];	/* that were reached, each once */
	size_t nr;
	size_t jumps;			/* looked at */
	bool blind;			/* met code that cannot be examined, or too much of it */
	bool guess;			/* met an indirect jump, which may lead to the goal */
};

static bool is_goal(const struct search *s, const struct object *o, uint64_t addr)
{
	return o == s->goal_object && code_in_range(s->goal, addr);
}

static void search_add(struct search *s, uint32_t file, struct object_range range)
{
	if (s->nr == MOST_FUNCTIONS) {
		s->blind = true;
		return;
	}
	for (size_t i = 0; i < s->nr; i++)
		if (s->functions[i].file == file && s->functions[i].range.start == range.start)
			return;
	s->functions[s->nr].file = file;
	s->functions[s->nr++].range = range;
}

/* Whether the function at addr is the goal. If not, its own tail calls are followed later. *range: its
 * bounds; only the byte at addr if they are not known. */
static bool search_function(struct search *s, uint32_t file, uint64_t addr,
			    struct object_range *range)
{
	const struct object *o = maps_file(s->code->maps, file)->object;

	if (is_goal(s, o, addr))
		return true;
	if (object_is_x86_64(o) && object_function(o, addr, range))
		search_add(s, file, *range);
	else
		*range = (struct object_range){ addr, addr + 1 };
	return false;
}

/* Follows a stub to the function of its name, in any file that exports it, or to the dynamic
 * linker, which resolves it. */
static bool search_stub(struct search *s, const struct object *o, const char *stub)
{
	const char *end = strstr(stub, "@plt");
	struct object_range range;
	bool found = false, ifunc;
	char name[512];
	uint64_t addr;

	if (s->goal_object && object_is_linker(s->goal_object))
		return true;
	/* The goal may be on the way: the stub itself, which has two parts if it is bound at
	 * the first call, and the head of the PLT. */
	if (s->goal_object == o && s->goal_stub &&
	    (!strcmp(s->goal_stub, stub) || !strcmp(s->goal_stub, "[plt]")))
		return true;
	if (!end || (size_t)(end - stub) >= sizeof(name))
		return false;
	/* A function that is chosen at start-up (ifunc) is in the same file. */
	if (!strncmp(stub, "*ABS*", 5))
		return s->goal_object == o;
	snprintf(name, sizeof(name), "%.*s", (int)(end - stub), stub);
	for (size_t f = MAPS_FIRST_FILE; f < maps_nr_files(s->code->maps); f++) {
		const struct object *x = maps_file(s->code->maps, f)->object;

		for (size_t at = 0; x && object_export(x, name, &at, &addr, &ifunc);) {
			found = true;
			if (ifunc ? x == s->goal_object : search_function(s, f, addr, &range))
				return true;
		}
	}
	s->blind |= !found;
	return false;
}

/* Follows the direct jumps out of a function. */
static bool search_exits(struct search *s, uint32_t file, struct object_range from)
{
	const struct object *o = maps_file(s->code->maps, file)->object;
	const struct code_exits *e = code_exits_of(s->code, file, o, from);
	uint64_t searched = 0;

	if (!e) {
		s->blind = true;
		return false;
	}
	/* A jump to a thunk is an indirect one. */
	s->guess |= e->indirect || e->thunk;
	for (size_t i = 0; i < e->nr; i++) {
		uint64_t target = e->targets[i];
		struct object_range range;
		const char *stub;

		/* What holds for one target holds for all of that function. */
		if (target < searched)
			continue;
		if (s->jumps++ == MOST_JUMPS) {
			s->blind = true;
			return false;
		}
		stub = object_plt(o, target, &range);
		if (stub ? search_stub(s, o, stub) : search_function(s, file, target, &range))
			return true;
		searched = range.end;
	}
	return false;
}

/* Whether tail calls lead from a function, or from a PLT stub, to the goal. */
static bool search_reaches(struct search *s, uint32_t file, struct object_range from,
			   const char *stub)
{
	bool found = stub && search_stub(s, maps_file(s->code->maps, file)->object, stub);

	if (!stub)
		search_add(s, file, from);
	for (size_t i = 0; !found && i < s->nr; i++)
		found = search_exits(s, s->functions[i].file, s->functions[i].range);
	return found;
}

/* Whether part was split off the function: it keeps the function's frame. */
static bool split_off(struct code_files *c, struct place entered,
		      const struct object *o, struct object_range from,
		      struct object_range part)
{
	const struct code_exits *e;

	if (!object_is_fragment(o, part.start))
		return false;
	e = code_exits_of(c, entered.file, o, from);
	for (size_t i = 0; e && i < e->nr; i++)
		if (code_in_range(part, e->targets[i]))
			return true;
	return false;
}

/* A call of a thunk is an indirect call of another function. */
static bool is_thunk(struct code_files *c, uint32_t file, const struct object *o,
		     struct object_range range)
{
	const struct code_exits *e = code_exits_of(c, file, o, range);

	return e && e->thunk;
}

enum stacks_lead code_lead(struct code_files *c, struct place entered, struct place at)
{
	const struct object *o = code_object(c, entered);
	const struct object *other = code_object(c, at);
	struct object_range from, goal = { 0, 0 };
	struct search search;
	const char *stub;

	if (!o)
		return STACKS_LEAD_UNKNOWN;
	search = (struct search){ .code = c };
	if (other && object_function(other, at.addr, &goal))
		search.goal_object = other;
	if (other)
		search.goal_stub = object_plt(other, at.addr, &goal);
	search.goal = goal;
	stub = object_plt(o, entered.addr, &from);
	if (stub && o == other && code_in_range(from, at.addr))
		return STACKS_LEAD_SAME;
	if (!stub && !object_function(o, entered.addr, &from))
		return STACKS_LEAD_UNKNOWN;
	if (!stub && o == other) {
		if (code_in_range(from, at.addr) || code_same_name(o, entered.addr, at.addr))
			return STACKS_LEAD_SAME;
		if (search.goal_object && !search.goal_stub &&
		    split_off(c, entered, o, from, goal))
			return STACKS_LEAD_SAME;
	}
	if (!stub && is_thunk(c, entered.file, o, from))
		return STACKS_LEAD_STUB;
	if (search_reaches(&search, entered.file, from, stub))
		return stub ? STACKS_LEAD_STUB : STACKS_LEAD_JUMP;
	if (search.guess)
		return STACKS_LEAD_GUESS;
	/* Code that cannot be examined does not contradict. */
	return search.blind || !search.goal_object ? STACKS_LEAD_UNKNOWN :
						     STACKS_LEAD_NONE;
}

/* Maximum number of jumps to the function that switches. */
#define MOST_HOPS	4

bool code_switches(struct code_files *c, struct place entered)
{
	const struct object *o = code_object(c, entered);
	const struct code_exits *e;
	struct object_range range;

	for (int hops = 0; o && hops < MOST_HOPS; hops++) {
		if (!object_function(o, entered.addr, &range))
			break;
		e = code_exits_of(c, entered.file, o, range);
		if (!e || e->switches || e->nr != 1)
			return e && e->switches;
		entered.addr = e->targets[0];
	}
	return false;
}
