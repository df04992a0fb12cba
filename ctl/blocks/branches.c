// SPDX-License-Identifier: GPL-2.0
/* Adds up the taken branches in branch records. */
#include <stdlib.h>

#include "base/grow.h"
#include "blocks/branches.h"

static uint64_t key(const struct branches_branch *b)
{
	return hash_add(hash_u64(maps_place_key(b->from)), maps_place_key(b->to));
}

int branches_add(struct branches *b, const struct branches_branch *add)
{
	if (hash_reserve(&b->index) ||
	    room_for(&b->list, b->index.used + 1, &b->max, sizeof(*b->list)))
		return -1;
	hash_for_each(i, &b->index, key(add)) {
		struct branches_branch *found = &b->list[i];

		if (maps_same_place(found->from, add->from) &&
		    maps_same_place(found->to, add->to)) {
			found->executions += add->executions;
			found->mispredicted += add->mispredicted;
			found->odd += add->odd;
			return 0;
		}
	}
	b->list[b->index.used] = *add;
	hash_put(&b->index, key(add));
	return 0;
}

int branches_merge(struct branches *b, const struct branches *from)
{
	for (size_t i = 0; i < from->index.used; i++)
		if (branches_add(b, &from->list[i]))
			return -1;
	return 0;
}

uint64_t branches_sum(const struct branches *b)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < b->index.used; i++)
		sum += b->list[i].executions;
	return sum;
}

void branches_free(struct branches *b)
{
	free(b->list);
	hash_free(&b->index);
}
