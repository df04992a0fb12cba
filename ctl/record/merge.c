// SPDX-License-Identifier: GPL-2.0
/* Merges sources that are each sorted by time. */
#include <stdbool.h>

#include "record/merge.h"

static bool merge_before(const struct merge_source *a,
			 const struct merge_source *b)
{
	return a->time < b->time || (a->time == b->time && a->order < b->order);
}

/* Moves heap[i] down until both entries below it are younger. */
static void merge_sink(struct merge_source **heap, unsigned int nr,
		       unsigned int i)
{
	struct merge_source *source = heap[i];
	unsigned int child;

	while ((child = 2 * i + 1) < nr) {
		if (child + 1 < nr && merge_before(heap[child + 1], heap[child]))
			child++;
		if (!merge_before(heap[child], source))
			break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = source;
}

int64_t merge_run(struct merge_source **sources, unsigned int nr,
		  struct merge_source **heap, uint64_t limit)
{
	unsigned int left = 0, i;
	int64_t emitted = 0;
	int result;

	for (i = 0; i < nr; i++) {
		result = sources[i]->peek(sources[i]);
		if (result < 0)
			return result;
		if (result)
			heap[left++] = sources[i];
	}
	for (i = left / 2; i-- > 0;)
		merge_sink(heap, left, i);

	while (left && heap[0]->time <= limit) {
		result = heap[0]->emit(heap[0]);
		if (result < 0)
			return result;
		emitted++;
		result = heap[0]->peek(heap[0]);
		if (result < 0)
			return result;
		if (!result)
			heap[0] = heap[--left];
		merge_sink(heap, left, 0);
	}
	return emitted;
}
