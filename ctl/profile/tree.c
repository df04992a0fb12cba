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
		[PROFILE_PROCESS] = "process",
		[PROFILE_THREAD] = "thread",
		[PROFILE_MARK] = "mark",
	};

	return names[kind];
}

const char *profile_source_name(enum profile_source source)
{
	static const char *const names[PROFILE_NR_SOURCES] = {
		[PROFILE_ANY] = "",
		[PROFILE_SAMPLED] = "sample",
		[PROFILE_LBR] = "LBR",
		[PROFILE_LBR_AND_MEMORY] = "LBR and memory",
		[PROFILE_MEMORY] = "memory",
		[PROFILE_BY_POINTER] = "frame pointer",
		[PROFILE_OTHERS] = "other samples",
		[PROFILE_BY_CODE] = "code",
		[PROFILE_BY_KERNEL] = "kernel",
	};

	return names[source];
}

const char *profile_kind_suffix(enum profile_kind kind)
{
	return kind == PROFILE_TAIL_CALL ? " [tail call]" :
	       kind == PROFILE_INLINED ? " [inlined]" :
	       kind == PROFILE_KERNEL ? " [k]" : "";
}

static uint64_t child_key(uint32_t parent, uint32_t entry)
{
	return hash_u64((uint64_t)parent << 32 | entry);
}

struct profile *profile_new(void)
{
	struct profile *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->index = calloc(1, sizeof(struct hash));
	p->nr_nodes = 1;
	if (p->index && !room_for(&p->nodes, p->nr_nodes, &p->max_nodes, sizeof(*p->nodes)) &&
	    !room_for(&p->self, p->nr_nodes, &p->max_self, sizeof(*p->self)))
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
	free(p->indexed);
	free(p->entries);
	free(p->nodes);
	free(p->self);
	free(p->total);
	free(p->marked);
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

/* Most nodes have no more children: to look at these takes less time than an index does. */
#define FEW_CHILDREN	3

/* Adds a node to the index. Returns 0, or -1 when memory is short. */
static int index_add(struct profile *p, uint32_t node)
{
	if (hash_reserve(p->index) ||
	    room_for(&p->indexed, p->index->used + 1, &p->max_indexed, sizeof(*p->indexed)))
		return -1;
	p->indexed[p->index->used] = node;
	hash_put(p->index, child_key(p->nodes[node].parent, p->nodes[node].entry));
	return 0;
}

/* Adds a child of node parent, which has nr, to the index if these are more than a few, with the
 * first of them. Returns 0, or -1 when memory is short. */
static int index_child(struct profile *p, uint32_t parent, int nr, uint32_t node)
{
	if (nr < FEW_CHILDREN)
		return 0;
	if (nr == FEW_CHILDREN)
		for (uint32_t n = p->nodes[parent].first_child; n; n = p->nodes[n].next)
			if (index_add(p, n))
				return -1;
	return index_add(p, node);
}

/* Returns the child of node parent that stands for entry; 0 when memory is short. */
static uint32_t child(struct profile *p, uint32_t parent, uint32_t entry)
{
	uint32_t known = p->nodes[parent].first_child;
	int nr = 0;

	for (; known && nr <= FEW_CHILDREN; nr++, known = p->nodes[known].next)
		if (p->nodes[known].entry == entry)
			return known;
	if (nr > FEW_CHILDREN)
		hash_for_each(i, p->index, child_key(parent, entry)) {
			known = p->indexed[i];
			if (p->nodes[known].parent == parent && p->nodes[known].entry == entry)
				return known;
		}
	if (room_for(&p->nodes, p->nr_nodes + 1, &p->max_nodes, sizeof(*p->nodes)) ||
	    room_for(&p->self, p->nr_nodes + 1, &p->max_self, sizeof(*p->self)))
		return 0;
	p->nodes[p->nr_nodes] = (struct profile_node){
		.entry = entry, .parent = parent,
		.next = p->nodes[parent].first_child };
	if (index_child(p, parent, nr, p->nr_nodes))
		return 0;
	p->nodes[parent].first_child = p->nr_nodes;
	return p->nr_nodes++;
}

/* Few nodes have any of the marks. Returns 0, or -1 when memory is short. */
static int node_mark(struct profile *p, uint32_t node, uint32_t marks, uint64_t period)
{
	struct profile_marked *m;

	if (room_for(&p->marked, (size_t)node + 1, &p->max_marked, sizeof(*p->marked)))
		return -1;
	if (node >= p->nr_marked)
		p->nr_marked = node + 1;
	m = &p->marked[node];
	if (marks & PROFILE_UNWOUND)
		m->unwound = tally_sum(m->unwound, period);
	if (marks & PROFILE_POINTED)
		m->pointed = tally_sum(m->pointed, period);
	if (marks & PROFILE_STITCHED)
		m->stitched = tally_sum(m->stitched, period);
	if (marks & PROFILE_UNPROVED)
		m->unproved = tally_sum(m->unproved, period);
	if (marks & PROFILE_RECURSIVE)
		m->recursive = tally_sum(m->recursive, period);
	return 0;
}

struct profile_marked profile_marked(const struct profile *p, uint32_t n)
{
	return n < p->nr_marked ? p->marked[n] : (struct profile_marked){ 0 };
}

static void weigh(struct profile_weight *sum, const struct profile_weight *w)
{
	sum->samples += w->samples;
	sum->period = tally_sum(sum->period, w->period);
	sum->squares += w->squares;
}

int profile_add(struct profile *p, const uint32_t *path, size_t nr,
		const struct profile_weight *w, uint32_t *end)
{
	uint32_t node = 0;

	for (size_t i = 0; i < nr; i++) {
		node = child(p, node, path[i] & ~PROFILE_MARKS);
		if (!node || (path[i] & PROFILE_MARKS && node_mark(p, node, path[i], w->period)))
			return -1;
	}
	weigh(&p->self[node], w);
	*end = node;
	return 0;
}

/* A child has a larger number than its parent. Returns 0, or -1 when memory is short. */
static int sum_totals(struct profile *p)
{
	p->total = malloc(p->nr_nodes * sizeof(*p->total));
	if (!p->total)
		return -1;
	memcpy(p->total, p->self, p->nr_nodes * sizeof(*p->total));
	for (size_t i = p->nr_nodes; i-- > 1;)
		weigh(&p->total[p->nodes[i].parent], &p->total[i]);
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
	const struct profile *p = a->profile;
	const struct profile_weight *wa = &p->total[a->node], *wb = &p->total[b->node];

	if (wa->period != wb->period)
		return wa->period > wb->period ? -1 : 1;
	if (wa->samples != wb->samples)
		return wa->samples > wb->samples ? -1 : 1;
	return name_compare(&p->entries[p->nodes[a->node].entry],
			    &p->entries[p->nodes[b->node].entry]);
}

int profile_sort(struct profile *p)
{
	struct sort_child *list = NULL;
	size_t max = 0;

	if (sum_totals(p))
		return -1;
	for (size_t i = 0; i < p->nr_nodes; i++) {
		uint32_t *link = &p->nodes[i].first_child;
		size_t nr = 0;

		for (uint32_t c = *link; c; c = p->nodes[c].next) {
			if (room_for(&list, nr + 1, &max, sizeof(*list))) {
				free(list);
				return -1;
			}
			list[nr++] = (struct sort_child){ p, c };
		}
		if (nr > 1)
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
		const struct profile_weight *self = &p->self[n];

		if (self->samples) {
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
					self->samples, self->period });
		}
		n = profile_next(p, n, below, &nr);
	} while (n && !ret);
	free(nodes);
	return ret;
}
