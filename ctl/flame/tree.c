// SPDX-License-Identifier: GPL-2.0
/* Builds the tree of a flame graph. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/hash.h"
#include "flame/tree.h"
#include "object/jitdump.h"
#include "profile/tally.h"

#define FLAME_NONE	UINT32_MAX

/* The state while the tree is built. */
struct flame_builder {
	struct flame *flame;
	uint32_t *mapped;	/* by entry of the second profile: the entry of the tree */
	uint32_t *met;		/* by entry: 1 + the child that stands for it */
	struct hash index;	/* entries of the first profile by name */
};

static uint64_t flame_hash(const struct profile_entry *e)
{
	uint64_t hash = e->kind;

	for (const char *c = e->name; *c; c++)
		hash = hash_add(hash, (unsigned char)*c);
	for (const char *c = e->object ? e->object : ""; *c; c++)
		hash = hash_add(hash, (unsigned char)*c);
	return hash;
}

static bool flame_same(const struct profile_entry *a,
		       const struct profile_entry *b)
{
	return a->kind == b->kind && !strcmp(a->name, b->name) &&
	       !strcmp(a->object ? a->object : "", b->object ? b->object : "");
}

/* Adds the next entry of the first profile to the index, from 0 on. */
static int flame_index(struct flame_builder *b)
{
	if (hash_reserve(&b->index))
		return -1;
	hash_put(&b->index, flame_hash(b->flame->entries[b->index.used]));
	return 0;
}

/* Finds the entry of the first profile with the same name. If several have it (static
 * functions), the first of one profile is paired with the first of the other, and so on: met[]
 * marks the paired ones. */
static uint32_t flame_find(struct flame_builder *b, const struct profile_entry *e)
{
	hash_for_each(i, &b->index, flame_hash(e)) {
		if (b->met[i] || !flame_same(b->flame->entries[i], e))
			continue;
		b->met[i] = 1;
		return i;
	}
	return FLAME_NONE;
}

static int flame_entries(struct flame_builder *b)
{
	struct flame *f = b->flame;
	const struct profile *first = f->sides[0].analysis->profile;
	const struct profile *second = f->nr_sides > 1 ?
				       f->sides[1].analysis->profile : NULL;
	size_t nr = first->nr_entries + (second ? second->nr_entries : 0);

	f->entries = calloc(nr + 1, sizeof(*f->entries));
	b->met = calloc(nr + 1, sizeof(*b->met));
	b->mapped = calloc(nr + 1, sizeof(*b->mapped));
	if (!f->entries || !b->met || !b->mapped)
		return -1;
	for (size_t i = 0; i < first->nr_entries; i++) {
		f->entries[f->nr_entries++] = &first->entries[i];
		if (second && flame_index(b))
			return -1;
	}
	for (size_t i = 0; second && i < second->nr_entries; i++) {
		b->mapped[i] = flame_find(b, &second->entries[i]);
		if (b->mapped[i] != FLAME_NONE)
			continue;
		b->mapped[i] = f->nr_entries;
		f->entries[f->nr_entries++] = &second->entries[i];
	}
	memset(b->met, 0, nr * sizeof(*b->met));
	return 0;
}

static struct flame_node *flame_node(struct flame *f, uint32_t parent,
				     uint32_t entry)
{
	struct flame_node *n;

	if (room_for(&f->nodes, f->nr_nodes + 1, &f->max_nodes, sizeof(*f->nodes)))
		return NULL;
	n = &f->nodes[f->nr_nodes];
	*n = (struct flame_node){
		.entry = entry, .parent = parent,
		.depth = f->nr_nodes ? f->nodes[parent].depth + 1 : 0,
		.of = { FLAME_NONE, FLAME_NONE } };
	f->nr_nodes++;
	return n;
}

/* Adds a node of one of the profiles to the tree. */
static void flame_take(const struct flame *f, struct flame_node *n,
		       unsigned int side, uint32_t of)
{
	const struct flame_side *s = &f->sides[side];
	const struct profile_weight *self = &s->analysis->profile->self[of];
	const struct profile_weight *total = &s->analysis->profile->total[of];

	n->of[side] = of;
	n->self_samples[side] = self->samples;
	n->total_samples[side] = total->samples;
	n->self[side] = s->each ? self->samples * s->each : self->period;
	n->total[side] = s->each ? total->samples * s->each : total->period;
	n->self_squares[side] = s->each ? n->self[side] * s->each : self->squares;
	n->total_squares[side] = s->each ? n->total[side] * s->each : total->squares;
}

static int flame_children(struct flame_builder *b, uint32_t parent,
			  unsigned int side)
{
	struct flame *f = b->flame;
	const struct profile *p = f->sides[side].analysis->profile;
	uint32_t of = f->nodes[parent].of[side];
	struct flame_node *n;

	if (of == FLAME_NONE)
		return 0;
	for (uint32_t c = p->nodes[of].first_child; c; c = p->nodes[c].next) {
		uint32_t entry = p->nodes[c].entry;

		if (side)
			entry = b->mapped[entry];
		if (b->met[entry]) {
			n = &f->nodes[b->met[entry] - 1];
		} else {
			n = flame_node(f, parent, entry);
			if (!n)
				return -1;
			b->met[entry] = f->nr_nodes;
		}
		flame_take(f, n, side, c);
	}
	return 0;
}

/* Sorts by falling weight, then by the order of entries. */
static int flame_compare(const void *x, const void *y)
{
	const struct flame_node *a = x, *b = y;
	uint64_t ta = tally_sum(a->total[0], a->total[1]);
	uint64_t tb = tally_sum(b->total[0], b->total[1]);

	if (ta != tb)
		return ta > tb ? -1 : 1;
	return a->entry < b->entry ? -1 : a->entry > b->entry;
}

static int flame_expand(struct flame_builder *b, uint32_t parent)
{
	struct flame *f = b->flame;
	uint32_t first = f->nr_nodes, nr;

	for (unsigned int side = 0; side < f->nr_sides; side++)
		if (flame_children(b, parent, side))
			return -1;
	nr = f->nr_nodes - first;
	for (uint32_t i = first; i < f->nr_nodes; i++)
		b->met[f->nodes[i].entry] = 0;
	f->nodes[parent].first_child = nr ? first : 0;
	f->nodes[parent].nr_children = nr;
	if (f->nr_sides > 1 && nr)
		qsort(f->nodes + first, nr, sizeof(*f->nodes), flame_compare);
	return 0;
}

int flame_build(struct flame *f, const struct flame_side *first,
		const struct flame_side *second)
{
	struct flame_builder b = { .flame = f };
	struct flame_node *root;
	int ret = -1;

	*f = (struct flame){ .sides = { *first }, .nr_sides = second ? 2 : 1 };
	if (second)
		f->sides[1] = *second;
	root = flame_node(f, 0, FLAME_NONE);
	if (root && !flame_entries(&b)) {
		for (unsigned int side = 0; side < f->nr_sides; side++)
			flame_take(f, root, side, 0);
		ret = 0;
	}
	for (size_t i = 0; !ret && i < f->nr_nodes; i++)
		ret = flame_expand(&b, i);
	free(b.mapped);
	free(b.met);
	hash_free(&b.index);
	return ret;
}

void flame_free(struct flame *f)
{
	free(f->entries);
	free(f->nodes);
	*f = (struct flame){};
}

uint32_t flame_next(const struct flame *f, uint32_t n)
{
	const struct flame_node *parent;

	if (f->nodes[n].nr_children)
		return f->nodes[n].first_child;
	for (; n; n = f->nodes[n].parent) {
		parent = &f->nodes[f->nodes[n].parent];
		if (n + 1 < parent->first_child + parent->nr_children)
			return n + 1;
	}
	return 0;
}

/* Code without a file is named after its maker's file, /tmp/perf-PID.map or a jit-PID.dump. */
static bool flame_is_jit(const char *object)
{
	const char *name = strrchr(object, '/');
	size_t len;

	if (jitdump_is_name(object))
		return true;

	name = name ? name + 1 : object;
	len = strlen(name);
	return !strncmp(name, "perf-", 5) && len > 4 &&
	       !strcmp(name + len - 4, ".map");
}

enum flame_kind flame_kind(const struct profile_entry *e)
{
	switch (e->kind) {
	case PROFILE_KERNEL:
		return FLAME_KERNEL;
	case PROFILE_TAIL_CALL:
		return FLAME_INFERRED;
	case PROFILE_INLINED:
		return FLAME_INLINED;
	case PROFILE_PROCESS:
	case PROFILE_THREAD:
		return FLAME_TASK;
	case PROFILE_MARK:
		return FLAME_MARK;
	default:
		return e->object && flame_is_jit(e->object) ? FLAME_JIT :
							      FLAME_USER;
	}
}
