// SPDX-License-Identifier: GPL-2.0
/* Finds functions without symbols by the calls that entered them. */
#include <stdlib.h>

#include "base/grow.h"
#include "base/hash.h"
#include "base/search.h"
#include "stacks/call_targets.h"
#include "stacks/check.h"

struct targets {
	const struct maps *maps;
	struct place *seen;		/* all calls, in the order of their appearance */
	size_t max_seen;
	struct hash index;
	struct place *list;		/* the targets that mark the beginning of a function */
	size_t nr, max;
	bool sorted;
};

/* Returns 1: it is new; 0: it is known; -1: memory is short. */
static int see(struct targets *t, struct place p)
{
	uint64_t hash = hash_u64(maps_place_key(p));

	if (hash_reserve(&t->index))
		return -1;
	hash_for_each(i, &t->index, hash)
		if (maps_same_place(t->seen[i], p))
			return 0;
	if (room_for(&t->seen, t->index.used + 1, &t->max_seen, sizeof(p)))
		return -1;
	t->seen[hash_put(&t->index, hash)] = p;
	return 1;
}

static int compare(const void *x, const void *y)
{
	const struct place *a = x, *b = y;

	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	return a->addr < b->addr ? -1 : a->addr > b->addr;
}

static bool is_unclaimed(const struct targets *t, struct place p, uint64_t *from)
{
	const struct object *o = maps_file(t->maps, p.file)->object;

	return o && object_unclaimed(o, p.addr, from);
}

static int note(struct targets *t, const struct stacks_code *code,
		const struct stacks_branch *call)
{
	int fresh = see(t, call->to);
	uint64_t unused;

	if (fresh <= 0 || !is_unclaimed(t, call->to, &unused) || check_is_no_call(code, call))
		return fresh < 0 ? -1 : 0;
	if (room_for(&t->list, t->nr + 1, &t->max, sizeof(*t->list)))
		return -1;
	t->list[t->nr++] = call->to;
	t->sorted = false;
	return 0;
}

int targets_note(struct targets *t, const struct stacks_code *code,
		 const struct stacks_sample *sample)
{
	for (size_t i = 0; i < sample->nr_lbr; i++)
		if (note(t, code, &sample->lbr[i]))
			return -1;
	for (size_t i = 0; i < sample->nr_made; i++)
		if (note(t, code, &sample->made[i]))
			return -1;
	return 0;
}

bool targets_find(struct targets *t, struct place p, uint64_t *start)
{
	uint64_t from;
	size_t nr;

	if (!t->nr || !is_unclaimed(t, p, &from))
		return false;
	if (!t->sorted)
		qsort(t->list, t->nr, sizeof(*t->list), compare);
	t->sorted = true;
	nr = search_front(t->nr, i, compare(&t->list[i], &p) <= 0);
	if (!nr || t->list[nr - 1].file != p.file || t->list[nr - 1].addr < from)
		return false;
	*start = t->list[nr - 1].addr;
	return true;
}

struct targets *targets_new(const struct maps *maps)
{
	struct targets *t = calloc(1, sizeof(*t));

	if (t)
		t->maps = maps;
	return t;
}

void targets_free(struct targets *t)
{
	if (!t)
		return;
	free(t->seen);
	free(t->list);
	hash_free(&t->index);
	free(t);
}
