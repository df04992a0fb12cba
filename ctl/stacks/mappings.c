// SPDX-License-Identifier: GPL-2.0
/*
 * A treap: a binary tree by address and a heap by a random number, which keeps it flat for
 * every order of mappings. Nodes count their owners, roots and other nodes. A node with a
 * single owner is changed in place, others are copied first.
 *
 * Source: Seidel and Aragon, "Randomized Search Trees", 1996.
 */
#include <stdbool.h>
#include <stdlib.h>

#include "stacks/mappings.h"

struct mappings {
	struct mapping map;
	uint32_t owners, rank;
	struct mappings *left, *right;
};

static uint32_t random_rank(void)
{
	static uint32_t state = 2463534242;

	/* xorshift32: Marsaglia, "Xorshift RNGs" */
	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	return state;
}

struct mappings *mappings_share(struct mappings *tree)
{
	if (tree)
		tree->owners++;
	return tree;
}

void mappings_drop(struct mappings *tree)
{
	while (tree && !--tree->owners) {
		struct mappings *right = tree->right;

		mappings_drop(tree->left);
		free(tree);
		tree = right;
	}
}

/* Takes over the caller's share of the tree and returns a node with this single owner. NULL
 * when memory is short; the share is gone then as well. */
static struct mappings *own(struct mappings *tree)
{
	struct mappings *copy;

	if (tree->owners == 1)
		return tree;
	copy = malloc(sizeof(*copy));
	if (copy) {
		*copy = *tree;
		copy->owners = 1;
		mappings_share(copy->left);
		mappings_share(copy->right);
	}
	mappings_drop(tree);
	return copy;
}

/* Divides a tree, taking it over: mappings that start before addr, and the rest. */
static bool split(struct mappings *tree, uint64_t addr, struct mappings **before,
		  struct mappings **rest)
{
	bool done;

	*before = *rest = NULL;
	if (!tree)
		return true;
	tree = own(tree);
	if (!tree)
		return false;
	if (tree->map.start < addr) {
		done = split(tree->right, addr, &tree->right, rest);
		*before = tree;
	} else {
		done = split(tree->left, addr, before, &tree->left);
		*rest = tree;
	}
	return done;
}

/* Joins two trees, of which the first lies before the second, and takes them over. */
static struct mappings *join(struct mappings *a, struct mappings *b, bool *done)
{
	if (!a || !b)
		return a ? a : b;
	if (a->rank > b->rank) {
		a = own(a);
		if (a) {
			a->right = join(a->right, b, done);
			return a;
		}
		mappings_drop(b);
	} else {
		b = own(b);
		if (b) {
			b->left = join(a, b->left, done);
			return b;
		}
		mappings_drop(a);
	}
	*done = false;
	return NULL;
}

static struct mappings *single(struct mapping map)
{
	struct mappings *node = malloc(sizeof(*node));

	if (node)
		*node = (struct mappings){ .map = map, .owners = 1, .rank = random_rank() };
	return node;
}

/* Cuts the last mapping of a tree that the caller owns at end; *tail: the part behind, if any. */
static bool cut_last(struct mappings **tree, uint64_t end, struct mapping *tail)
{
	for (; *tree; tree = &(*tree)->right) {
		*tree = own(*tree);
		if (!*tree)
			return false;
		if ((*tree)->right || (*tree)->map.end <= end)
			continue;
		*tail = (*tree)->map;
		tail->pgoff += end - tail->start;
		tail->start = end;
		(*tree)->map.end = end;
	}
	return true;
}

static const struct mapping *last_of(const struct mappings *tree)
{
	while (tree && tree->right)
		tree = tree->right;
	return tree ? &tree->map : NULL;
}

int mappings_add(struct mappings **tree, struct mapping new)
{
	struct mappings *before, *covered, *behind, *node = single(new);
	struct mapping tail = {};
	const struct mapping *last;
	bool done = split(*tree, new.start, &before, &covered);

	*tree = NULL;
	done &= split(covered, new.end, &covered, &behind);
	done &= cut_last(&before, new.start, &tail);
	/* The last mapping that the new one covers may extend beyond it. */
	last = last_of(covered);
	if (last)
		tail = *last;
	mappings_drop(covered);
	before = join(before, node, &done);
	if (tail.end > new.end) {
		tail.pgoff += new.end - tail.start;
		tail.start = new.end;
		node = single(tail);
		done &= !!node;
		before = join(before, node, &done);
	}
	*tree = join(before, behind, &done);
	return done && node ? 0 : -1;
}

const struct mapping *mappings_at(const struct mappings *tree, uint64_t addr)
{
	while (tree) {
		if (addr < tree->map.start)
			tree = tree->left;
		else if (addr >= tree->map.end)
			tree = tree->right;
		else
			return &tree->map;
	}
	return NULL;
}

const struct mapping *mappings_from(const struct mappings *tree, uint64_t addr)
{
	const struct mapping *first = NULL;

	while (tree) {
		if (tree->map.end > addr) {
			first = &tree->map;
			tree = tree->left;
		} else {
			tree = tree->right;
		}
	}
	return first;
}
