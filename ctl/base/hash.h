/* SPDX-License-Identifier: GPL-2.0 */
/* A hash table of indexes into a list of the caller. */
#ifndef LBRCTL_BASE_HASH_H
#define LBRCTL_BASE_HASH_H

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

/*
 * An open-addressed table of indexes into an array of the caller's: a slot is
 * 0, empty, or index + 1. The caller looks at slots from hash_first() on with
 * hash_next() until it meets its key or an empty one.
 */
struct hash {
	uint32_t *slots;
	size_t mask;		/* number of slots - 1 */
	size_t used;
};

int hash_grow(struct hash *h, uint64_t (*rehash)(const void *ctx, size_t i),
	      const void *ctx);
void hash_free(struct hash *h);

/* Makes room for one entry more; rehash gives the hash of entry i. 0, or -1
 * when memory is short. Here, since it comes before each look. */
static inline int hash_reserve(struct hash *h,
			       uint64_t (*rehash)(const void *ctx, size_t i),
			       const void *ctx)
{
	return h->slots && h->used * 4 < (h->mask + 1) * 3 ? 0 :
	       hash_grow(h, rehash, ctx);
}

static inline size_t hash_first(const struct hash *h, uint64_t hash)
{
	return hash & h->mask;
}

static inline size_t hash_next(const struct hash *h, size_t slot)
{
	return (slot + 1) & h->mask;
}

#endif
