// SPDX-License-Identifier: GPL-2.0
/* Threads whose stacks are not noted yet. */
#include <stdlib.h>

#include "base/grow.h"
#include "stacks/stitch_threads.h"

struct stitch_thread *stitch_threads_find(struct stitch_threads *t, uint32_t tid, bool create)
{
	if (t->last < t->index.used && t->list[t->last].tid == tid)
		return &t->list[t->last];
	if (hash_reserve(&t->index))
		return NULL;
	hash_for_each(i, &t->index, hash_u64(tid))
		if (t->list[i].tid == tid)
			return &t->list[t->last = i];
	if (!create || room_for(&t->list, t->index.used + 1, &t->max, sizeof(*t->list)))
		return NULL;
	t->list[t->index.used] = (struct stitch_thread){ .tid = tid };
	return &t->list[t->last = hash_put(&t->index, hash_u64(tid))];
}

void stitch_threads_free(struct stitch_threads *t)
{
	for (size_t i = 0; i < t->index.used; i++)
		free(t->list[i].stacks);
	free(t->list);
	hash_free(&t->index);
}
