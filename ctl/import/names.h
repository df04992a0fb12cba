/* SPDX-License-Identifier: GPL-2.0 */
/* Names of functions, each once at each place. */
#ifndef LBRCTL_IMPORT_NAMES_H
#define LBRCTL_IMPORT_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"

struct name {
	uint64_t start, end;
	char *text;
};

struct names {
	struct name *list;		/* in order of their addition, until names_sort() */
	struct hash index;
	size_t max;
};

/* Returns the name at this start, or NULL. */
struct name *names_find(const struct names *names, const char *text, uint64_t start);
/* Adds a name, or lets one that is there reach up to `end`. Returns it; NULL, with a message: memory is short. Pointers
 * to other names become invalid. */
struct name *names_add(struct names *names, const char *text, uint64_t start, uint64_t end);
/* Sorts by start, keeps the first of those with the same start, and lets each end where the next begins. Nothing can be
 * found or added afterwards. Returns the number of names that are left; *conflicts: names that lie within another one. */
size_t names_sort(struct names *names, size_t *conflicts);
void names_free(struct names *names);

#endif
