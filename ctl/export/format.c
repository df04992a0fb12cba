// SPDX-License-Identifier: GPL-2.0
/* What the formats of export share. verbs/export.c has their list. */
#include <string.h>

#include "export/format.h"

uint64_t out_weight(const struct analysis *a, uint64_t samples, uint64_t period)
{
	return a->offcpu ? period : samples;
}

void out_split(const struct profile *p, const struct profile_stack *whole,
	       struct out_stack *stack)
{
	const struct profile_entry *second = whole->nr > 1 ?
		&p->entries[p->nodes[whole->nodes[1]].entry] : NULL;
	size_t skip = 1;

	stack->thread = p->entries[p->nodes[whole->nodes[0]].entry].name;
	strcpy(stack->verdict, "complete");
	if (second && second->kind == PROFILE_MARK) {
		/* Its name is "[verdict]". */
		snprintf(stack->verdict, sizeof(stack->verdict), "%.*s",
			 (int)strlen(second->name) - 2, second->name + 1);
		skip = 2;
	}
	stack->frames = whole->nodes + skip;
	stack->nr = whole->nr - skip;
}
