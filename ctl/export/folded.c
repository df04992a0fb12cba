// SPDX-License-Identifier: GPL-2.0
/*
 * Folded stacks, as read by flamegraph.pl and similar tools: one line each, "a;b;c N", kernel
 * functions marked _[k], inlined ones _[i]. Missing outer frames are a frame of their own.
 */
#include <inttypes.h>

#include "base/text.h"
#include "export/format.h"

struct folded {
	const struct analysis *analysis;
	enum out_weight weight;
	FILE *out;
};

static int folded_stack(void *ctx, const struct profile_stack *stack)
{
	const struct folded *f = ctx;
	const struct profile *p = f->analysis->profile;

	for (size_t i = 0; i < stack->nr; i++) {
		const struct profile_entry *e =
			&p->entries[p->nodes[stack->nodes[i]].entry];

		if (i)
			fputc(';', f->out);
		text_put_line(f->out, e->name, ';');
		if (e->kind == PROFILE_KERNEL)
			fputs("_[k]", f->out);
		else if (e->kind == PROFILE_INLINED)
			fputs("_[i]", f->out);
	}
	fprintf(f->out, " %" PRIu64 "\n",
		out_number(f->weight, stack->samples, stack->period));
	return 0;
}

static int folded_write(const struct analysis *a, enum out_weight weight, FILE *out)
{
	return profile_walk(a->profile, 0, folded_stack, &(struct folded){ a, weight, out });
}

const struct out_format out_folded = {
	.name = "folded",
	.description = "a line for each stack, for flamegraph.pl and similar programs",
	.one_event = "a folded stack has one number", .write_weights = folded_write,
};
