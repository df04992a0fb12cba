// SPDX-License-Identifier: GPL-2.0
/* Finds the function of a place once. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "stacks/stitch_functions.h"

static uint64_t place_hash(struct place p)
{
	return hash_add(0, maps_place_key(p));
}

/* Finds foo for foo.cold, which the compiler split off. False if there is not exactly one foo. */
static bool whole_function(const struct object *o, uint64_t vaddr,
			   struct object_range *range)
{
	const struct object_symbol *part = object_symbol(o, vaddr);
	const char *cold = part ? strstr(part->name, ".cold") : NULL;
	char name[512];
	uint64_t start;

	if (!cold || (size_t)(cold - part->name) >= sizeof(name))
		return false;
	snprintf(name, sizeof(name), "%.*s", (int)(cold - part->name), part->name);
	return object_named(o, name, &start) == 1 && object_function(o, start, range);
}

/* A part that was split off is not called, but entered by a jump. */
static void function_find(const struct stitch_functions *s, struct stitch_function *f)
{
	const struct object *o = maps_file(s->maps, f->place.file)->object;
	struct object_range range;

	f->known = o && object_function(o, f->place.addr, &range) &&
		   (!object_is_fragment(o, range.start) ||
		    whole_function(o, range.start, &range));
	if (f->known)
		f->start = (struct place){ f->place.file, range.start };
}

/* Returns NULL when memory is short. Valid until the next call. */
static struct stitch_function *function_at(struct stitch_functions *s, struct place p)
{
	struct stitch_function *f;

	if (hash_reserve(&s->index))
		return NULL;
	hash_for_each(i, &s->index, place_hash(p))
		if (maps_same_place(s->list[i].place, p))
			return &s->list[i];
	if (room_for(&s->list, s->index.used + 1, &s->max,
		 sizeof(*f)))
		return NULL;
	f = &s->list[s->index.used];
	*f = (struct stitch_function){ .place = p };
	function_find(s, f);
	hash_put(&s->index, place_hash(p));
	return f;
}

int stitch_functions_start(struct stitch_functions *s, struct place p, struct place *start)
{
	const struct stitch_function *f = function_at(s, p);

	if (!f)
		return -1;
	*start = f->start;
	return f->known;
}

int stitch_functions_number(struct stitch_functions *s, struct place p, uint32_t *number)
{
	struct stitch_function *f = function_at(s, p), *start;
	size_t at = f ? f - s->list : 0;

	*number = f ? f->number : 0;
	if (!f || !f->known || f->number)
		return f ? 0 : -1;
	start = function_at(s, f->start);
	if (!start)
		return -1;
	*number = s->list[at].number = 1 + (start - s->list);
	return 0;
}

int stitch_functions_visit(struct stitch_functions *s, struct place p)
{
	uint32_t number;

	if (stitch_functions_number(s, p, &number))
		return -1;
	return number && stitch_functions_meet(s, number);
}

void stitch_functions_free(struct stitch_functions *s)
{
	free(s->list);
	hash_free(&s->index);
}
