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

/*
 * An open-addressed table of indexes into an array of the caller. They are added in order: 0,
 * 1, 2, … To find an entry, or to add it if it is missing:
 *
 *	if (hash_reserve(&table->hash, rehash, table))
 *		return NULL;
 *	hash_for_each(i, &table->hash, key)
 *		if (is_it(&table->list[i]))
 *			return &table->list[i];
 *	table->list[table->hash.used] = new;
 *	return &table->list[hash_put(&table->hash, key)];
 */
struct hash {
	uint32_t *slots;	/* 0: empty; else an index + 1 */
	size_t mask;		/* number of slots - 1 */
	size_t used;		/* number of entries: the index of the next one */
};

int hash_grow(struct hash *h, uint64_t (*rehash)(const void *ctx, size_t i),
	      const void *ctx);
void hash_free(struct hash *h);

/* Removes all entries; the memory is kept. */
void hash_empty(struct hash *h);

/* Makes room for one more entry; rehash returns the hash of entry i. Returns 0, or -1 when
 * memory is short. Inline, since it precedes each lookup. */
static inline int hash_reserve(struct hash *h,
			       uint64_t (*rehash)(const void *ctx, size_t i),
			       const void *ctx)
{
	return h->slots && h->used * 4 < (h->mask + 1) * 3 ? 0 :
	       hash_grow(h, rehash, ctx);
}

/* Whether the slot has an entry; *i: its index. */
static inline bool hash_at(const struct hash *h, size_t slot, size_t *i)
{
	if (!h->slots || !h->slots[slot])
		return false;
	*i = h->slots[slot] - 1;
	return true;
}

/* Visits the entries that may have this hash. i: a size_t of the loop, set to their indexes. */
#define hash_for_each(i, h, hash)						\
	for (size_t i, i##_slot = (hash) & (h)->mask; hash_at(h, i##_slot, &i);	\
	     i##_slot = (i##_slot + 1) & (h)->mask)

/* Adds the next entry, for which hash_reserve() made room. Returns its index. */
static inline size_t hash_put(struct hash *h, uint64_t hash)
{
	size_t slot = hash & h->mask;

	while (h->slots[slot])
		slot = (slot + 1) & h->mask;
	h->slots[slot] = ++h->used;
	return h->used - 1;
}

#endif
