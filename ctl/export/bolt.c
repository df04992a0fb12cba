// SPDX-License-Identifier: GPL-2.0
/*
 * The pre-aggregated profile of BOLT (bolt/include/bolt/Profile/DataAggregator.h of LLVM 19):
 * "B FROM TO COUNT MISPREDICTED" for branches, "F START END COUNT" for what ran between two of
 * them, "f" if a branch of another function led there. "X:" marks an address of another object.
 */
#include <inttypes.h>

#include "export/format.h"

static void put_address(FILE *out, uint64_t address)
{
	fprintf(out, " %s%" PRIx64, address == COUNTS_OUTSIDE ? "X:" : "", address);
}

static void put_range(FILE *out, char kind, const struct counts_range *r, uint64_t executions)
{
	if (executions)
		fprintf(out, "%c %" PRIx64 " %" PRIx64 " %" PRIu64 "\n", kind, r->start, r->end,
			executions);
}

/* BOLT has no code of the stubs of a procedure linkage table: runs there would count as those of another program. */
static bool is_stub(const struct counts *n, const struct counts_range *r)
{
	struct object_range stub;

	return object_plt(n->object, r->start, &stub);
}

static void bolt_write(const struct counts *n, FILE *out)
{
	for (size_t i = 0; i < n->nr_branches; i++) {
		const struct counts_branch *b = &n->branches[i];

		fputc('B', out);
		put_address(out, b->from);
		put_address(out, b->to);
		fprintf(out, " %" PRIu64 " %" PRIu64 "\n", b->executions, b->mispredicted);
	}
	for (size_t i = 0; i < n->nr_ranges; i++) {
		const struct counts_range *r = &n->ranges[i];

		if (is_stub(n, r))
			continue;
		put_range(out, 'F', r, r->executions - r->entered);
		put_range(out, 'f', r, r->entered);
	}
}

const struct out_format out_bolt = {
	.name = "bolt",
	.description = "branches of an object, for perf2bolt -pa and llvm-bolt -pa",
	.write_counts = bolt_write,
};
