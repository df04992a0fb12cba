/* SPDX-License-Identifier: GPL-2.0 */
/* A hash table of indexes into a list of the caller. */
#ifndef LBRCTL_BASE_HASH_H
#define LBRCTL_BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Mixes 64 bits so that each bit of the result depends on all of them (the
 * finalizer of MurmurHash3). */
static inline uint64_t hash_u64(uint64_t v)
{
	v ^= v >> 33;
	v *= 0xff51afd7ed558ccdULL;
	v ^= v >> 33;
	v *= 0xc4ceb9fe1a85ec53ULL;
	return v ^ v >> 33;
}

static inline uint64_t hash_add(uint64_t hash, uint64_t v)
{
	return hash_u64(hash * 31 + v);
}

static inline uint64_t hash_text(const char *text)
{
	uint64_t hash = 0;

	for (; *text; text++)
		hash = hash_add(hash, (unsigned char)*text);
	return hash;
}

struct hash_slot {
	uint32_t hash;		/* its low 32 bits: most other entries are told apart without a look at them */
	uint32_t entry;		/* 0: empty; else an index + 1 */
};

/*
 * An open-addressed table of indexes into an array of the caller. They are added in order: 0,
 * 1, 2, … To find an entry, or to add it if it is missing:
 *
 *	if (hash_reserve(&table->hash))
 *		return NULL;
 *	hash_for_each(i, &table->hash, key)
 *		if (is_it(&table->list[i]))
 *			return &table->list[i];
 *	table->list[table->hash.used] = new;
 *	return &table->list[hash_put(&table->hash, key)];
 */
struct hash {
	struct hash_slot *slots;
	size_t mask;		/* number of slots - 1 */
	size_t used;		/* number of entries: the index of the next one */
};

int hash_grow(struct hash *h);
void hash_free(struct hash *h);

/* Removes all entries; the memory is kept. */
void hash_empty(struct hash *h);

/* Makes room for one more entry. Returns 0, or -1 when memory is short. Inline, since it precedes each
 * lookup. */
static inline int hash_reserve(struct hash *h)
{
	return h->slots && h->used * 4 < (h->mask + 1) * 3 ? 0 : hash_grow(h);
}

/* Steps to the next slot, from *slot on, whose entry may have this hash; *i: its index. Returns false if no
 * such slot follows. */
static inline bool hash_at(const struct hash *h, size_t *slot, uint64_t hash, size_t *i)
{
	if (!h->slots)
		return false;
	for (*slot &= h->mask; h->slots[*slot].entry; *slot = (*slot + 1) & h->mask) {
		if (h->slots[*slot].hash != (uint32_t)hash)
			continue;
		*i = h->slots[*slot].entry - 1;
		return true;
	}
	return false;
}

/* Visits the entries that may have this hash. i: a size_t of the loop, set to their indexes. */
#define hash_for_each(i, h, hash)								\
	for (size_t i, i##_hash = (hash), i##_slot = i##_hash;					\
	     hash_at(h, &i##_slot, i##_hash, &i); i##_slot++)

/* Adds the next entry, for which hash_reserve() made room. Returns its index. */
static inline size_t hash_put(struct hash *h, uint64_t hash)
{
	size_t slot = hash & h->mask;

	while (h->slots[slot].entry)
		slot = (slot + 1) & h->mask;
	h->slots[slot] = (struct hash_slot){ hash, ++h->used };
	return h->used - 1;
}

#endif
