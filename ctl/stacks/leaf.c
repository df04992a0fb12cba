// SPDX-License-Identifier: GPL-2.0
/* What the innermost frame of a sample depends on. */
#include "stacks/leaf.h"
#include "stacks/registers.h"

/* Cuts the call chain behind its first address; false: it has none. */
static bool cut_chain(struct perfdata_sample *raw)
{
	for (uint64_t i = 0; i < raw->chain_nr; i++)
		if (perfdata_u64(raw->chain + 8 * i) < (uint64_t)PERF_CONTEXT_MAX) {
			raw->chain_nr = i + 1;
			return true;
		}
	return false;
}

void leaf_alone(struct recorded_sample *sample)
{
	struct perfdata_sample *raw = &sample->raw;

	if (!cut_chain(raw) && !recorded_in_kernel(raw->ip))
		registers_ip(&sample->event->attr, raw, &raw->ip);
	raw->regs = raw->stack = raw->text = NULL;
	raw->stack_size = raw->text_size = 0;
	/* The target of the innermost call is the beginning of the function, which may have no symbol.
	 * In a history any branch may show it. */
	if (recorded_has_lbr_stack(sample->event) && raw->branches_nr > 1)
		raw->branches_nr = 1;
}
