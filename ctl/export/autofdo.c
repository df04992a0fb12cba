// SPDX-License-Identifier: GPL-2.0
/*
 * The text profile of AutoFDO (TextSampleReaderWriter in sample_reader.cc): the number of ranges,
 * "START-END:COUNT" for each; the number of sampled addresses, which it does not use if there
 * are ranges; the number of branches, "FROM->TO:COUNT" for each. Addresses are relative to the
 * first segment (SymbolMap::BuildSymbolMap()).
 */
#include <inttypes.h>

#include "export/format.h"

static bool is_inside(const struct counts_branch *b)
{
	return b->from != COUNTS_OUTSIDE && b->to != COUNTS_OUTSIDE;
}

static void autofdo_write(const struct counts *n, FILE *out)
{
	uint64_t base = object_begin(n->object);
	size_t inside = 0;

	fprintf(out, "%zu\n", n->nr_ranges);
	for (const struct counts_range *r = n->ranges; r < n->ranges + n->nr_ranges; r++)
		fprintf(out, "%" PRIx64 "-%" PRIx64 ":%" PRIu64 "\n", r->start - base,
			r->end - base, r->executions);
	for (size_t i = 0; i < n->nr_branches; i++)
		inside += is_inside(&n->branches[i]);
	fprintf(out, "0\n%zu\n", inside);
	for (const struct counts_branch *b = n->branches; b < n->branches + n->nr_branches; b++)
		if (is_inside(b))
			fprintf(out, "%" PRIx64 "->%" PRIx64 ":%" PRIu64 "\n", b->from - base,
				b->to - base, b->executions);
}

const struct out_format out_autofdo = {
	.name = "autofdo",
	.description = "the same, for create_llvm_prof and create_gcov, --profiler=text",
	.write_counts = autofdo_write,
};
