// SPDX-License-Identifier: GPL-2.0
/* Sorts by one byte of the keys after the other, from the lowest one on. */
#include <stdlib.h>
#include <string.h>

#include "base/radix.h"

#define VALUES	256

static unsigned char byte_of(const struct radix_key *k, unsigned int byte)
{
	return k->key >> 8 * byte;
}

/* Counts the values of each byte. */
static void count(const struct radix_key *list, size_t nr, size_t counts[sizeof(uint64_t)][VALUES])
{
	memset(counts, 0, sizeof(uint64_t) * sizeof(*counts));
	for (size_t i = 0; i < nr; i++)
		for (unsigned int byte = 0; byte < sizeof(uint64_t); byte++)
			counts[byte][byte_of(&list[i], byte)]++;
}

/* Moves all to the order of one byte. */
static void move(struct radix_key *to, const struct radix_key *list, size_t nr, unsigned int byte,
		 const size_t counts[VALUES])
{
	size_t at[VALUES], sum = 0;

	for (size_t value = 0; value < VALUES; value++) {
		at[value] = sum;
		sum += counts[value];
	}
	for (size_t i = 0; i < nr; i++)
		to[at[byte_of(&list[i], byte)]++] = list[i];
}

int radix_sort(struct radix_key *list, size_t nr)
{
	size_t counts[sizeof(uint64_t)][VALUES];
	struct radix_key *room, *from = list, *to, *next;

	if (nr < 2)
		return 0;
	room = malloc(nr * sizeof(*room));
	if (!room)
		return -1;
	count(list, nr, counts);
	to = room;
	for (unsigned int byte = 0; byte < sizeof(uint64_t); byte++) {
		/* All are equal in the upper bytes of addresses. */
		if (counts[byte][byte_of(list, byte)] == nr)
			continue;
		move(to, from, nr, byte, counts[byte]);
		next = from;
		from = to;
		to = next;
	}
	if (from != list)
		memcpy(list, from, nr * sizeof(*list));
	free(room);
	return 0;
}
