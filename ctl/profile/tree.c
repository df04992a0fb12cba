// SPDX-License-Identifier: GPL-2.0
/* The call tree. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/hash.h"
#include "profile/tally.h"
#include "profile/tree.h"

const char *profile_kind_name(enum profile_kind kind)
{
	static const char *const names[PROFILE_NR_KINDS] = {
		[PROFILE_USER] = "user",
		[PROFILE_KERNEL] = "kernel",
		[PROFILE_TAIL_CALL] = "tail call",
		[PROFILE_INLINED] = "inlined",
		[PROFILE_THREAD] = "thread",
		[PROFILE_MARK] = "mark",
	};

	return names[kind];
}

static uint64_t child_key(uint32_t parent, uint32_t entry)
{
	return hash_u64((uint64_t)parent << 32 | entry);
}

/* The index holds all nodes but the root, so entry i is node i + 1. */
static uint64_t child_hash(const void *ctx, size_t i)
{
	const struct profile_node *n = &((const struct profile *)ctx)->nodes[i + 1];

	return child_key(n->parent, n->entry);
}

struct profile *profile_new(void)
{
	struct profile *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->index = calloc(1, sizeof(struct hash));
	p->nr_nodes = 1;
	if (p->index && !room_for(&p->nodes, p->nr_nodes, &p->max_nodes, sizeof(*p->nodes)))
		return p;
	profile_free(p);
	return NULL;
}

void profile_free(struct profile *p)
{
	if (!p)
		return;
	if (p->index)
		hash_free(p->index);
	free(p->index);
	free(p->entries);
	free(p->nodes);
	free(p);
}

uint32_t profile_entry_new(struct profile *p, enum profile_kind kind,
			   const char *name, const char *object)
{
	if (room_for(&p->entries, p->nr_entries + 1, &p->max_entries, sizeof(*p->entries)))
		return UINT32_MAX;
	p->entries[p->nr_entries] = (struct profile_entry){
		.kind = kind, .name = name, .object = object };
	return p->nr_entries++;
}

/* Returns the child of node parent that stands for entry; 0 when memory is short. */
static uint32_t child(struct profile *p, uint32_t parent, uint32_t entry)
{
	uint64_t key = child_key(parent, entry);

	if (hash_reserve(p->index, child_hash, p))
		return 0;
	hash_for_each(i, p->index, key)
		if (p->nodes[i + 1].parent == parent && p->nodes[i + 1].entry == entry)
			return i + 1;
	if (room_for(&p->nodes, p->nr_nodes + 1, &p->max_nodes, sizeof(*p->nodes)))
		return 0;
	p->nodes[p->nr_nodes] = (struct profile_node){
		.entry = entry, .parent = parent,
		.next = p->nodes[parent].first_child };
	p->nodes[parent].first_child = p->nr_nodes;
	hash_put(p->index, key);
	return p->nr_nodes++;
}

static void node_total(struct profile_node *n, uint32_t marks,
		       const struct profile_weight *w)
{
	if (marks & PROFILE_UNWOUND)
		n->unwound = tally_sum(n->unwound, w->period);
	if (marks & PROFILE_STITCHED)
		n->stitched = tally_sum(n->stitched, w->period);
	if (marks & PROFILE_RECURSIVE)
		n->recursive = tally_sum(n->recursive, w->period);
	n->total_samples += w->samples;
	n->total = tally_sum(n->total, w->period);
	n->total_squares += w->squares;
}

static void node_self(struct profile_node *n, const struct profile_weight *w)
{
	n->self_samples += w->samples;
	n->self = tally_sum(n->self, w->period);
	n->self_squares += w->squares;
}

int profile_add(struct profile *p, const uint32_t *path, size_t nr,
		const struct profile_weight *w, uint32_t *end)
{
	uint32_t node = 0;

	node_total(&p->nodes[0], 0, w);
	for (size_t i = 0; i < nr; i++) {
		uint32_t entry = path[i] & ~PROFILE_MARKS;

		node = child(p, node, entry);
		if (!node)
			return -1;
		node_total(&p->nodes[node], path[i], w);
	}
	node_self(&p->nodes[node], w);
	*end = node;
	return 0;
}

static int name_compare(const struct profile_entry *a,
			const struct profile_entry *b)
{
	int order = strcmp(a->name, b->name);

	if (!order && a->object && b->object)
		order = strcmp(a->object, b->object);
	return order ? order : (int)a->kind - (int)b->kind;
}

struct sort_child {
	const struct profile *profile;
	uint32_t node;
};

static int child_compare(const void *x, const void *y)
{
	const struct sort_child *a = x, *b = y;
	const struct profile_node *na = &a->profile->nodes[a->node];
	const struct profile_node *nb = &b->profile->nodes[b->node];

	if (na->total != nb->total)
		return na->total > nb->total ? -1 : 1;
	if (na->total_samples != nb->total_samples)
		return na->total_samples > nb->total_samples ? -1 : 1;
	return name_compare(&a->profile->entries[na->entry],
			    &b->profile->entries[nb->entry]);
}

int profile_sort(struct profile *p)
{
	struct sort_child *list = calloc(p->nr_nodes, sizeof(*list));

	if (!list)
		return -1;
	for (size_t i = 0; i < p->nr_nodes; i++) {
		uint32_t *link = &p->nodes[i].first_child;
		size_t nr = 0;

		for (uint32_t c = *link; c; c = p->nodes[c].next)
			list[nr++] = (struct sort_child){ p, c };
		if (nr)
			qsort(list, nr, sizeof(*list), child_compare);
		for (size_t j = 0; j < nr; j++) {
			*link = list[j].node;
			link = &p->nodes[list[j].node].next;
		}
		*link = 0;
	}
	free(list);
	return 0;
}

uint32_t profile_next(const struct profile *p, uint32_t n, uint32_t below,
		      size_t *nr)
{
	if (p->nodes[n].first_child) {
		(*nr)++;
		return p->nodes[n].first_child;
	}
	while (n != below && !p->nodes[n].next) {
		n = p->nodes[n].parent;
		(*nr)--;
	}
	return n == below ? 0 : p->nodes[n].next;
}

static size_t walk_depth(const struct profile *p, uint32_t n)
{
	size_t depth = 0;

	for (; n; n = p->nodes[n].parent)
		depth++;
	return depth;
}

int profile_walk(const struct profile *p, uint32_t below,
		 int (*stack)(void *ctx, const struct profile_stack *stack),
		 void *ctx)
{
	uint32_t *nodes = NULL, n = below;
	size_t nr = walk_depth(p, below), max = 0;
	int ret = 0;

	do {
		const struct profile_node *node = &p->nodes[n];

		if (node->self_samples) {
			uint32_t up = n;

			if (nr > max) {
				free(nodes);
				max = 2 * nr;
				nodes = malloc(max * sizeof(*nodes));
			}
			if (!nodes)
				return -1;
			for (size_t i = nr; i-- > 0; up = p->nodes[up].parent)
				nodes[i] = up;
			ret = stack(ctx, &(struct profile_stack){ nodes, nr,
					node->self_samples, node->self });
		}
		n = profile_next(p, n, below, &nr);
	} while (n && !ret);
	free(nodes);
	return ret;
}
