/* SPDX-License-Identifier: GPL-2.0 */
/* The samples whose innermost function has no name, by file. */
#ifndef LBRCTL_PROFILE_UNNAMED_H
#define LBRCTL_PROFILE_UNNAMED_H

#include "base/lines.h"
#include "profile/symbols.h"
#include "stacks/maps.h"

struct unnamed {
	uint64_t *weights;	/* by the file's number in the maps */
	size_t nr, max;
};

/* Adds samples with this weight, if the place is in a function without a name. Returns 0, or -1
 * when memory is short. */
int unnamed_add(struct unnamed *unnamed, struct symbols *symbols, struct place place,
		uint64_t weight);
void unnamed_free(struct unnamed *unnamed);

/* Prints what is missing, how large its share of the weight `all` is, and the remedy: a line each
 * for files that are not here, for the kernel, and for the files with the largest shares. */
void unnamed_lines(const struct unnamed *unnamed, const struct maps *maps,
		   const struct symbols *symbols, uint64_t all, const struct lines *lines);

/* Writes the array "without_names", see lbrctl-json(7). */
struct json;
void unnamed_put_json(const struct unnamed *unnamed, const struct maps *maps, uint64_t all,
		      struct json *json);

#endif
