/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The mappings of one process: a search tree with parts that several processes may share. A
 * fork copies nothing; a later change copies one path of the tree.
 */
#ifndef LBRCTL_STACKS_MAPPINGS_H
#define LBRCTL_STACKS_MAPPINGS_H

#include <stdint.h>

struct mapping {
	uint64_t start, end, pgoff;	/* addresses; offset in the file */
	uint32_t file;			/* enum in maps.h, or index of a file from there on */
};

struct mappings;			/* Mappings of a process; NULL: empty. */

/* Adds a mapping that is not empty. It replaces overlapping parts of others; the rest of these
 * stays. Returns 0, or -1 when memory is short: some mappings may be missing then. */
int mappings_add(struct mappings **tree, struct mapping new);

/* Returns the mapping that contains addr, or NULL. Valid until the tree is changed. */
const struct mapping *mappings_at(const struct mappings *tree, uint64_t addr);

/* Returns the first mapping that ends behind addr, or NULL. Valid as above. */
const struct mapping *mappings_from(const struct mappings *tree, uint64_t addr);

/* Adds another owner of the same mappings. */
struct mappings *mappings_share(struct mappings *tree);

/* Releases an owner's share of the tree. */
void mappings_drop(struct mappings *tree);

#endif
