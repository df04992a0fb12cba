// SPDX-License-Identifier: GPL-2.0
/* A hash table of indexes into a list of the caller. */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/hash.h"

int hash_grow(struct hash *h)
{
	const size_t old = h->slots ? h->mask + 1 : 0, nr = old ? 2 * old : 64;
	struct hash_slot *slots;

	slots = h->used < UINT32_MAX / 2 ? calloc(nr, sizeof(*slots)) : NULL;
	if (!slots) {
		err_short_of_memory();
		return -1;
	}
	for (size_t i = 0; i < old; i++) {
		size_t s = h->slots[i].hash & (nr - 1);

		if (!h->slots[i].entry)
			continue;
		while (slots[s].entry)
			s = (s + 1) & (nr - 1);
		slots[s] = h->slots[i];
	}
	free(h->slots);
	h->slots = slots;
	h->mask = nr - 1;
	return 0;
}

void hash_free(struct hash *h)
{
	free(h->slots);
	*h = (struct hash){ 0 };
}

void hash_empty(struct hash *h)
{
	if (h->slots)
		memset(h->slots, 0, (h->mask + 1) * sizeof(*h->slots));
	h->used = 0;
}
