// SPDX-License-Identifier: GPL-2.0
/* Adds up counts: what is equal in one, and those of several captures. */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "export/counts.h"

/* How elements of one kind are compared, and how one that is equal is added to another. */
typedef int compare_fn(const void *, const void *);
typedef void add_fn(void *, const void *);

static int branch_compare(const void *x, const void *y)
{
	const struct counts_branch *a = x, *b = y;

	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return a->to < b->to ? -1 : a->to > b->to;
}

static void branch_add(void *to, const void *more)
{
	const struct counts_branch *b = more;
	struct counts_branch *a = to;

	a->executions += b->executions;
	a->mispredicted += b->mispredicted;
	a->odd += b->odd;
}

static int range_compare(const void *x, const void *y)
{
	const struct counts_range *a = x, *b = y;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->end < b->end ? -1 : a->end > b->end;
}

static void range_add(void *to, const void *more)
{
	const struct counts_range *b = more;
	struct counts_range *a = to;

	a->executions += b->executions;
	a->entered += b->entered;
}

static int sampled_compare(const void *x, const void *y)
{
	const struct counts_sampled *a = x, *b = y;

	return a->addr < b->addr ? -1 : a->addr > b->addr;
}

static void sampled_add(void *to, const void *more)
{
	const struct counts_sampled *b = more;
	struct counts_sampled *a = to;

	a->samples += b->samples;
}

/* Sorts elements of a size, and makes one of those that are equal. Returns how many are left. */
static size_t combine(void *list, size_t nr, size_t each, compare_fn *compare, add_fn *add)
{
	char *elements = list;
	size_t kept = 0;

	if (nr)
		qsort(elements, nr, each, compare);
	for (size_t i = 0; i < nr; i++) {
		const char *element = elements + i * each;

		if (kept && !compare(elements + (kept - 1) * each, element))
			add(elements + (kept - 1) * each, element);
		else
			memmove(elements + kept++ * each, element, each);
	}
	return kept;
}

void counts_combine(struct counts *n)
{
	n->nr_ranges = combine(n->ranges, n->nr_ranges, sizeof(*n->ranges), range_compare,
			       range_add);
	/* Branches from and to different places outside become one. */
	n->nr_branches = combine(n->branches, n->nr_branches, sizeof(*n->branches),
				 branch_compare, branch_add);
	n->nr_sampled = combine(n->sampled, n->nr_sampled, sizeof(*n->sampled), sampled_compare,
				sampled_add);
}

/* Appends elements of a size to a list. Returns 0, or -1 when memory is short. */
static int append(void *list, size_t *nr, const void *more, size_t nr_more, size_t each)
{
	char *longer = realloc(*(void **)list, (*nr + nr_more + 1) * each);

	if (!longer)
		return -1;
	*(void **)list = longer;
	if (nr_more)
		memcpy(longer + *nr * each, more, nr_more * each);
	*nr += nr_more;
	return 0;
}

static void add_tally(struct counts_tally *t, const struct counts_tally *more)
{
	t->samples += more->samples;
	t->bare += more->bare;
	t->entries += more->entries;
	t->used += more->used;
	for (int i = 0; i < COUNTS_CAUSES; i++)
		t->left_out[i] += more->left_out[i];
	t->runs += more->runs;
	t->runs_contradicted += more->runs_contradicted;
	t->runs_backward += more->runs_backward;
}

static void multiply(struct counts *n, uint64_t factor)
{
	if (factor == 1)
		return;
	for (size_t i = 0; i < n->nr_ranges; i++) {
		n->ranges[i].executions *= factor;
		n->ranges[i].entered *= factor;
	}
	for (size_t i = 0; i < n->nr_branches; i++) {
		n->branches[i].executions *= factor;
		n->branches[i].mispredicted *= factor;
		n->branches[i].odd *= factor;
	}
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* An execution in a capture of a longer period stands for more of them. */
static void weigh(struct counts *n, struct counts *more)
{
	uint64_t divisor;

	if (n->period != more->period)
		n->period = 0;
	if (!n->weight || !more->weight) {
		n->weight = 0;
		return;
	}
	divisor = common_divisor(n->weight, more->weight);
	multiply(n, n->weight / divisor);
	multiply(more, more->weight / divisor);
	n->weight = divisor;
}

int counts_merge(struct counts *n, struct counts *more)
{
	weigh(n, more);
	add_tally(&n->tally, &more->tally);
	if (n->event && (!more->event || strcmp(n->event, more->event)))
		n->event = NULL;
	if (append(&n->ranges, &n->nr_ranges, more->ranges, more->nr_ranges,
		   sizeof(*n->ranges)) ||
	    append(&n->branches, &n->nr_branches, more->branches, more->nr_branches,
		   sizeof(*n->branches)) ||
	    append(&n->sampled, &n->nr_sampled, more->sampled, more->nr_sampled,
		   sizeof(*n->sampled)))
		return err_errno("adding up captures");
	counts_combine(n);
	return 0;
}
