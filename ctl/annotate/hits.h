/* SPDX-License-Identifier: GPL-2.0 */
/* The samples of each address, and the functions of the addresses. */
#ifndef LBRCTL_ANNOTATE_HITS_H
#define LBRCTL_ANNOTATE_HITS_H

#include "base/confidence.h"
#include "base/hash.h"
#include "profile/filter.h"
#include "profile/symbols.h"
#include "stacks/maps.h"

struct hits_place {
	struct place place;
	uint32_t function;	/* number of the function in the symbols; set by hits_finish() */
	uint64_t samples, weight;
	struct share_sum sum;	/* sums of the samples' weights */
};

/* The places of one function, ascending. */
struct hits_function {
	uint32_t function;	/* number of the function in the symbols */
	const struct hits_place *places;
	size_t nr;
	uint64_t samples, weight;
	struct share_sum sum;
};

struct hits {
	struct hits_place *places;
	size_t nr, max;
	struct hash index;
	/* Set by hits_finish(): */
	struct hits_function *functions;	/* the heaviest first */
	size_t nr_functions;
	uint64_t samples, weight;
	struct share_sum all;
};

/* Adds a sample with this weight. Returns 0, or -1 when memory is short. */
int hits_add(struct hits *hits, struct place place, uint64_t weight);

/* Call it once, after the last hits_add(): finds the functions, and removes the places whose
 * innermost frame does not pass the filter. Returns 0, or -1 when memory is short. */
int hits_finish(struct hits *hits, struct symbols *symbols, const struct filter *filter);
void hits_free(struct hits *hits);

/* Returns the sum of the samples of a function from address start to before end. */
struct hits_place hits_between(const struct hits_function *function, uint64_t start,
				   uint64_t end);

#endif
