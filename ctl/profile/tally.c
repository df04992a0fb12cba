// SPDX-License-Identifier: GPL-2.0
/* Counts equal stacks. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/hash.h"
#include "profile/tally.h"

/* A stack as a sequence of places: kernel, leaf, LBR, chain, unwound. */
struct entry {
	uint64_t hash;
	size_t at, nr;			/* tally.places[at..at+nr) */
	uint32_t nr_kernel, nr_lbr, nr_chain, nr_unwound;
	enum stacks_end unwound_end;
	enum stacks_history history;
	bool has_user, leaf_known, leaf_inferred, has_lbr, stack_known, doubted;
	int64_t stack;
	uint32_t who;
	uint64_t samples, period;
	double squares;
};

struct tally {
	struct entry *entries;
	size_t max_entries;
	struct hash index;
	struct place *places;
	size_t nr_places, max_places;
	struct tally_who *who;
	size_t max_who;
	struct hash who_index;
	uint64_t *counts;		/* nr_counts for each entry */
	size_t nr_counts, max_counts;
	struct stacks_branch *lbr;	/* memory of the stack returned last */
	size_t max_lbr;
};

static uint64_t entry_hash(const void *ctx, size_t i)
{
	return ((const struct tally *)ctx)->entries[i].hash;
}

static uint64_t who_key(const struct tally_who *who)
{
	uint64_t h = hash_u64((uint64_t)who->pid << 32 | who->tid) ^
		     hash_u64(who->cgroup << 16 ^ (uint64_t)who->event << 40 ^ who->cpu);

	for (const char *c = who->comm; *c; c++)
		h = (h ^ (unsigned char)*c) * 0x9e3779b97f4a7c15ULL;
	return hash_u64(h);
}

static uint64_t who_hash(const void *ctx, size_t i)
{
	return who_key(&((const struct tally *)ctx)->who[i]);
}

/* Returns -1 when memory is short. */
static int64_t who_number(struct tally *t, const struct tally_who *who)
{
	uint64_t key = who_key(who);
	char *comm;

	if (hash_reserve(&t->who_index, who_hash, t))
		return -1;
	hash_for_each(i, &t->who_index, key) {
		const struct tally_who *w = &t->who[i];

		if (w->pid == who->pid && w->tid == who->tid &&
		    w->cpu == who->cpu && w->cgroup == who->cgroup && w->event == who->event &&
		    !strcmp(w->comm, who->comm))
			return i;
	}
	if (room_for(&t->who, t->who_index.used + 1, &t->max_who, sizeof(*t->who)) ||
	    !(comm = strdup(who->comm)))
		return -1;
	t->who[t->who_index.used] = *who;
	t->who[t->who_index.used].comm = comm;
	return hash_put(&t->who_index, key);
}

static struct place *lay_branches(struct place *p,
				  const struct stacks_branch *list, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		p->file = list[i].from.file;
		p++->addr = list[i].from.addr;
		p->file = list[i].to.file;
		p++->addr = list[i].to.addr;
	}
	return p;
}

/* Writes the sample's places behind the kept ones, where they stay if new. */
static int lay_out(struct tally *t, const struct stacks_sample *s,
		   struct entry *e)
{
	struct place *p;

	e->at = t->nr_places;
	e->nr = s->nr_kernel + s->leaf_known + 2 * s->nr_lbr +
		s->nr_chain + s->nr_unwound;
	if (room_for(&t->places, e->at + e->nr, &t->max_places, sizeof(*p)))
		return -1;
	p = t->places + e->at;
	/* Padding of a place is compared, too: set it to 0. */
	memset(p, 0, e->nr * sizeof(*p));
	for (size_t i = 0; i < s->nr_kernel; i++, p++)
		p->file = s->kernel[i].file, p->addr = s->kernel[i].addr;
	if (s->leaf_known) {
		p->file = s->leaf.file;
		p++->addr = s->leaf.addr;
	}
	p = lay_branches(p, s->lbr, s->nr_lbr);
	for (size_t i = 0; i < s->nr_chain; i++, p++)
		p->file = s->chain[i].file, p->addr = s->chain[i].addr;
	for (size_t i = 0; i < s->nr_unwound; i++, p++)
		p->file = s->unwound[i].file, p->addr = s->unwound[i].addr;
	e->nr_kernel = s->nr_kernel;
	e->nr_lbr = s->nr_lbr;
	e->nr_chain = s->nr_chain;
	e->nr_unwound = s->nr_unwound;
	e->unwound_end = s->unwound_end;
	e->has_user = s->has_user;
	e->leaf_known = s->leaf_known;
	e->leaf_inferred = s->leaf_inferred;
	e->history = s->history;
	e->has_lbr = s->has_lbr;
	e->stack_known = s->stack_known;
	e->doubted = s->doubted;
	e->stack = s->stack;
	return 0;
}

static void hash_entry(const struct tally *t, struct entry *e)
{
	uint64_t h = hash_add(hash_add(e->nr_kernel, e->nr_lbr), e->nr_chain);

	h = hash_add(h, e->has_user | e->leaf_known << 1 | e->has_lbr << 2 |
			e->leaf_inferred << 3 | e->history << 4 | e->doubted << 8);
	h = hash_add(hash_add(hash_add(h, e->who), e->nr_unwound), e->stack);
	for (size_t i = 0; i < e->nr; i++) {
		const struct place *p = &t->places[e->at + i];

		h = (h ^ p->addr) * 0x9e3779b97f4a7c15ULL + p->file;
		h ^= h >> 29;
	}
	e->hash = hash_u64(h);
}

static bool entries_equal(const struct tally *t, const struct entry *a,
			  const struct entry *b)
{
	return a->hash == b->hash && a->nr == b->nr && a->who == b->who &&
	       a->nr_kernel == b->nr_kernel && a->nr_lbr == b->nr_lbr &&
	       a->nr_chain == b->nr_chain && a->has_user == b->has_user &&
	       a->nr_unwound == b->nr_unwound &&
	       a->unwound_end == b->unwound_end &&
	       a->leaf_known == b->leaf_known && a->has_lbr == b->has_lbr &&
	       a->leaf_inferred == b->leaf_inferred &&
	       a->history == b->history && a->doubted == b->doubted &&
	       a->stack_known == b->stack_known && a->stack == b->stack &&
	       !memcmp(t->places + a->at, t->places + b->at,
		       a->nr * sizeof(*t->places));
}

void tally_again(struct tally *t, uint32_t number, uint64_t period,
		 const uint64_t *counts)
{
	struct entry *e = &t->entries[number];

	e->samples++;
	e->period = tally_sum(e->period, period);
	e->squares += (double)period * period;
	for (size_t c = 0; c < t->nr_counts; c++) {
		uint64_t *sum = &t->counts[number * t->nr_counts + c];

		*sum = tally_sum(*sum, counts[c]);
	}
}

int tally_add(struct tally *t, const struct stacks_sample *sample,
	      const struct tally_who *who, uint64_t period,
	      const uint64_t *counts, uint32_t *number)
{
	int64_t whose = who_number(t, who);
	struct entry new = { .who = whose };

	if (whose < 0 || lay_out(t, sample, &new) ||
	    hash_reserve(&t->index, entry_hash, t))
		return -1;
	hash_entry(t, &new);
	hash_for_each(i, &t->index, new.hash) {
		if (entries_equal(t, &t->entries[i], &new)) {
			tally_again(t, *number = i, period, counts);
			return 0;
		}
	}
	if (room_for(&t->entries, t->index.used + 1, &t->max_entries, sizeof(new)) ||
	    room_for(&t->counts, (t->index.used + 1) * t->nr_counts, &t->max_counts,
		 sizeof(*t->counts)))
		return -1;
	t->nr_places += new.nr;
	*number = t->index.used;
	t->entries[*number] = new;
	memset(t->counts + *number * t->nr_counts, 0,
	       t->nr_counts * sizeof(*t->counts));
	tally_again(t, *number, period, counts);
	hash_put(&t->index, new.hash);
	return 0;
}

size_t tally_nr(const struct tally *t)
{
	return t->index.used;
}

int tally_get(struct tally *t, size_t i, struct tally_stack *out)
{
	const struct entry *e = &t->entries[i];
	const struct place *p = t->places + e->at;

	if (room_for(&t->lbr, e->nr_lbr, &t->max_lbr, sizeof(*t->lbr)))
		return -1;
	memset(out, 0, sizeof(*out));
	out->who = &t->who[e->who];
	out->who_number = e->who;
	out->samples = e->samples;
	out->period = e->period;
	out->squares = e->squares;
	out->counts = t->counts + i * t->nr_counts;
	out->sample = (struct stacks_sample){
		.kernel = p, .nr_kernel = e->nr_kernel,
		.has_user = e->has_user, .leaf_known = e->leaf_known,
		.leaf_inferred = e->leaf_inferred, .history = e->history,
		.stack_known = e->stack_known, .stack = e->stack,
		.doubted = e->doubted,
		.has_lbr = e->has_lbr, .lbr = t->lbr, .nr_lbr = e->nr_lbr,
		.nr_chain = e->nr_chain,
		.nr_unwound = e->nr_unwound, .unwound_end = e->unwound_end,
	};
	p += e->nr_kernel;
	if (e->leaf_known)
		out->sample.leaf = *p++;
	for (size_t j = 0; j < e->nr_lbr; j++, p += 2)
		t->lbr[j] = (struct stacks_branch){ p[0], p[1] };
	out->sample.chain = p;
	out->sample.unwound = p + e->nr_chain;
	return 0;
}

/* Allocate in any case: without counts, too, the array must exist. */
struct tally *tally_new(size_t nr_counts)
{
	struct tally *t = calloc(1, sizeof(*t));

	if (t)
		t->nr_counts = nr_counts;
	if (t && room_for(&t->counts, 1, &t->max_counts, sizeof(*t->counts))) {
		free(t);
		t = NULL;
	}
	return t;
}

void tally_free(struct tally *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->who_index.used; i++)
		free((char *)t->who[i].comm);
	free(t->who);
	free(t->counts);
	hash_free(&t->who_index);
	free(t->entries);
	free(t->places);
	free(t->lbr);
	hash_free(&t->index);
	free(t);
}
