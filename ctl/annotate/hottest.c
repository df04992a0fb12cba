// SPDX-License-Identifier: GPL-2.0
/* Finds the places of a function with most samples. */
#include <stdlib.h>
#include <string.h>

#include "annotate/hottest.h"
#include "base/err.h"

static int compare_place(const void *x, const void *y)
{
	const struct hottest *a = x, *b = y;
	int order = !a->file || !b->file ? !!a->file - !!b->file : strcmp(a->file, b->file);

	if (!order && a->line != b->line)
		order = a->line < b->line ? -1 : 1;
	return order ? order : a->instruction < b->instruction ? -1 : 1;
}

static int compare_weight(const void *x, const void *y)
{
	const struct hottest *a = x, *b = y;

	if (a->sum.sum != b->sum.sum)
		return a->sum.sum > b->sum.sum ? -1 : 1;
	return a->instruction < b->instruction ? -1 : 1;
}

/* Joins the instructions of each line; sorted by place. Returns the number of lines. */
static size_t join(struct hottest *all, size_t nr)
{
	size_t lines = 0;

	for (size_t i = 0; i < nr; i++) {
		struct hottest *last = lines ? &all[lines - 1] : NULL;

		if (!last || !last->file || !all[i].file || strcmp(last->file, all[i].file) ||
		    last->line != all[i].line) {
			all[lines++] = all[i];
			continue;
		}
		if (all[i].most > last->most) {
			last->most = all[i].most;
			last->instruction = all[i].instruction;
		}
		last->sum.sum += all[i].sum.sum;
		last->sum.squares += all[i].sum.squares;
	}
	return lines;
}

int hottest_find(const struct annotate *a, const struct annotate_function *f,
		 struct hottest list[HOTTEST])
{
	struct hottest *all = calloc(f->code.nr + 1, sizeof(*all));
	size_t nr = 0;

	if (!all)
		return err_errno("finding the hottest lines");
	for (size_t i = 0; i < f->code.nr; i++) {
		const struct hits_place p = annotate_samples(f, i);
		const struct symbols_frame *frame;
		bool inlined;

		if (!p.samples)
			continue;
		frame = annotate_frame(a, f, i, &inlined);
		all[nr++] = (struct hottest){ frame->line ? frame->file : NULL, frame->line, i,
					      p.samples, p.sum };
	}
	qsort(all, nr, sizeof(*all), compare_place);
	nr = join(all, nr);
	qsort(all, nr, sizeof(*all), compare_weight);
	nr = nr < HOTTEST ? nr : HOTTEST;
	memcpy(list, all, nr * sizeof(*list));
	free(all);
	return nr;
}
