// SPDX-License-Identifier: GPL-2.0
/*
 * The unsymbolized profile of llvm-profgen (llvm/tools/llvm-profgen/PerfReader.cpp of LLVM 19):
 * the number of ranges, "START-END:COUNT" for each, then the number of branches,
 * "FROM->TO:COUNT" for each. Addresses are relative to the first executable segment.
 */
#include <inttypes.h>

#include "export/format.h"

/* llvm-profgen has this address for all that is outside. */
#define EXTERNAL	1

static void profgen_write(const struct counts *n, FILE *out)
{
	uint64_t base = object_code_begin(n->object);
	size_t entering = 0;

	fprintf(out, "%zu\n", n->nr_ranges);
	for (const struct counts_range *r = n->ranges; r < n->ranges + n->nr_ranges; r++)
		fprintf(out, "%" PRIx64 "-%" PRIx64 ":%" PRIu64 "\n", r->start - base,
			r->end - base, r->executions);
	for (size_t i = 0; i < n->nr_branches; i++)
		entering += n->branches[i].to != COUNTS_OUTSIDE;
	fprintf(out, "%zu\n", entering);
	for (const struct counts_branch *b = n->branches; b < n->branches + n->nr_branches; b++)
		if (b->to != COUNTS_OUTSIDE)
			fprintf(out, "%" PRIx64 "->%" PRIx64 ":%" PRIu64 "\n",
				(b->from == COUNTS_OUTSIDE ? EXTERNAL : b->from) - base,
				b->to - base, b->executions);
}

const struct out_format out_profgen = {
	.name = "profgen",
	.description = "the same, for llvm-profgen --unsymbolized-profile",
	.write_counts = profgen_write,
};
