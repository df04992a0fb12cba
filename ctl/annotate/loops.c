// SPDX-License-Identifier: GPL-2.0
/*
 * Finds loops in one depth-first search over the blocks, irreducible loops as well: Wei, Mao,
 * Zou and Chen, "A New Algorithm for Identifying Loops in Decompilation" (SAS 2007), without
 * its recursion.
 */
#include <stdlib.h>

#include "annotate/loops.h"
#include "base/err.h"
#include "base/search.h"

#define NONE	UINT32_MAX
/* Bounds the search, which takes time in proportion to jumps times the depth of loops. Hostile
 * code may reach it; functions of compilers do not. */
#define STEPS	100000000ULL

struct node {
	uint32_t first, last;	/* indexes of instructions */
	uint32_t head;		/* head of the innermost other loop around it; or NONE */
	uint32_t position;	/* in the path of the search, from 1; 0: not in the path */
	uint32_t next;		/* number of the edge to follow next */
	uint32_t depth;
	bool reached, entered;	/* by the search; by an edge that is known */
	bool is_head;
};

struct graph {
	const struct blocks_function *f;
	struct node *nodes;	/* blocks in order, then a node for all indirect jumps */
	uint32_t nr;		/* number of blocks */
	uint32_t *path;
	uint64_t steps;
};

/* Returns the block that begins at an address, or NONE. */
static uint32_t block_at(const struct graph *g, uint64_t address)
{
	uint32_t at = search_front(g->nr, i, g->f->list[g->nodes[i].first].address < address);

	return at < g->nr && g->f->list[g->nodes[at].first].address == address ? at : NONE;
}

/* Returns the end of a block's edge number i: 0, the next block; 1, the target of its jump;
 * NONE: the block has no such edge. */
static uint32_t edge_of(const struct graph *g, uint32_t block, uint32_t i)
{
	const struct blocks_instruction *last = &g->f->list[g->nodes[block].last];

	if (!i)
		return last->goes_on && block + 1 < g->nr ? block + 1 : NONE;
	if (!last->jumps)
		return NONE;
	return last->target ? block_at(g, last->target) : g->nr;
}

/* Finds the next edge of a node. Returns false behind the last one. */
static bool edge_next(struct graph *g, uint32_t n, uint32_t *to)
{
	struct node *node = &g->nodes[n];

	if (n < g->nr) {
		while (node->next < 2) {
			*to = edge_of(g, n, node->next++);
			if (*to != NONE)
				return true;
		}
		return false;
	}
	while (node->next < g->nr) {
		*to = node->next++;
		if (!g->nodes[*to].entered)
			return true;
	}
	return false;
}

/* Notes that the node is in the loop of this head. Both may be in further loops, which nest by
 * their positions in the path. */
static void tag(struct graph *g, uint32_t node, uint32_t head)
{
	if (node == head || head == NONE)
		return;
	while (g->nodes[node].head != NONE && g->steps < STEPS) {
		uint32_t outer = g->nodes[node].head;

		g->steps++;
		if (outer == head)
			return;
		if (g->nodes[outer].position < g->nodes[head].position) {
			g->nodes[node].head = head;
			node = head;
			head = outer;
		} else {
			node = outer;
		}
	}
	g->nodes[node].head = head;
}

/* Processes an edge to a node that the search has met before. */
static void edge_back(struct graph *g, uint32_t from, uint32_t to)
{
	uint32_t head;

	if (g->nodes[to].position) {
		g->nodes[to].is_head = true;
		tag(g, from, to);
		return;
	}
	/* An edge into a loop, not to its head: the next loop around it that is still open. */
	for (head = g->nodes[to].head; head != NONE; head = g->nodes[head].head) {
		g->steps++;
		if (g->nodes[head].position) {
			tag(g, from, head);
			return;
		}
	}
}

static void search(struct graph *g, uint32_t root)
{
	uint32_t depth = 0, to;

	g->nodes[root].reached = true;
	g->path[depth++] = root;
	g->nodes[root].position = depth;
	while (depth && g->steps < STEPS) {
		uint32_t n = g->path[depth - 1];

		g->steps++;
		if (!edge_next(g, n, &to)) {
			g->nodes[n].position = 0;
			if (--depth)
				tag(g, g->path[depth - 1], g->nodes[n].head);
		} else if (g->nodes[to].reached) {
			edge_back(g, n, to);
		} else {
			g->nodes[to].reached = true;
			g->path[depth++] = to;
			g->nodes[to].position = depth;
		}
	}
}

static void build(struct graph *g)
{
	const struct blocks_function *f = g->f;

	for (uint32_t i = 0; i < f->nr; i++) {
		if (!i || f->list[i].leads)
			g->nodes[g->nr++] = (struct node){ .first = i, .head = NONE };
		g->nodes[g->nr - 1].last = i;
	}
	g->nodes[g->nr] = (struct node){ .head = NONE };
	g->nodes[0].entered = true;
	for (uint32_t n = 0; n < g->nr; n++)
		for (uint32_t i = 0; i < 2; i++) {
			uint32_t to = edge_of(g, n, i);

			if (to != NONE)
				g->nodes[to].entered = true;
		}
}

static void count_depth(struct graph *g, uint32_t n)
{
	uint32_t depth = g->nodes[n].is_head;

	for (uint32_t head = g->nodes[n].head; head != NONE && g->steps < STEPS;
	     head = g->nodes[head].head) {
		g->steps++;
		depth++;
	}
	g->nodes[n].depth = depth;
}

int loops_find(const struct blocks_function *f, struct loops_mark *marks, bool *given_up)
{
	struct graph g = { .f = f };

	*given_up = false;
	g.nodes = calloc(f->nr + 1, sizeof(*g.nodes));
	g.path = calloc(f->nr + 1, sizeof(*g.path));
	if (!g.nodes || !g.path) {
		free(g.nodes);
		free(g.path);
		return err_errno("finding loops");
	}
	build(&g);
	for (uint32_t n = 0; n < g.nr; n++)
		if (!g.nodes[n].reached)
			search(&g, n);
	for (uint32_t n = 0; n < g.nr; n++)
		count_depth(&g, n);
	*given_up = g.steps >= STEPS;
	for (uint32_t n = 0; n < g.nr; n++)
		for (uint32_t i = g.nodes[n].first; i <= g.nodes[n].last; i++)
			marks[i] = *given_up ? (struct loops_mark){ 0 } :
				(struct loops_mark){ g.nodes[n].depth, g.nodes[n].is_head &&
						     i == g.nodes[n].first };
	free(g.nodes);
	free(g.path);
	return 0;
}
