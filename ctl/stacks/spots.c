// SPDX-License-Identifier: GPL-2.0
/* Remembers the places of user addresses, one for each hash of an address. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "stacks/spots.h"

/* A power of 2. */
#define NR_SPOTS	(1U << 12)

struct spots {
	struct maps *maps;
	struct known_spot {
		uint32_t pid, state;	/* pid 0: none */
		struct recorded_spot spot;
	} known[NR_SPOTS];
};

struct spots *spots_new(struct maps *maps)
{
	struct spots *s = calloc(1, sizeof(*s));

	if (s)
		s->maps = maps;
	return s;
}

void spots_free(struct spots *s)
{
	free(s);
}

void spots_forget(struct spots *s)
{
	memset(s->known, 0, sizeof(s->known));
}

/* Places are copied field by field in loops: a copy of all 16 bytes would wait until the 4
 * bytes of the file, which were just written, are in the cache. */
struct recorded_spot spots_user(struct spots *s, uint32_t pid, uint32_t state, uint64_t address)
{
	struct known_spot *known = &s->known[hash_u64(address) & (NR_SPOTS - 1)];
	struct place place;
	uint64_t offset;

	if (known->spot.address == address && known->pid == pid && known->state == state && pid)
		return known->spot;
	place = maps_place(s->maps, pid, address, &offset);
	*known = (struct known_spot){
		pid, state, { address, offset, { place.file, place.addr } } };
	return known->spot;
}
