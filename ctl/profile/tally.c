// SPDX-License-Identifier: GPL-2.0
/* Counts equal stacks. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/hash.h"
#include "profile/tally.h"

/* A stack as a sequence of numbers of its places, and of the calls of its LBR: kernel, leaf, LBR,
 * chain, unwound. A program has far fewer places and calls than its samples have frames. */
struct entry {
	size_t at;			/* tally.numbers[at..at + entry_nr()) */
	int64_t stack;
	uint64_t samples, period;
	double squares;
	uint32_t hash;
	uint32_t who;
	uint32_t nr_kernel, nr_lbr, nr_chain, nr_unwound, pointed;
	uint8_t unwound_end;		/* enum stacks_end */
	uint8_t history;		/* enum stacks_history */
	bool has_user:1, leaf_known:1, leaf_inferred:1, has_lbr:1, stack_known:1, doubted:1, crowded:1;
};

struct tally {
	struct entry *entries;
	size_t max_entries;
	struct hash index;
	uint32_t *numbers;
	size_t nr_numbers, max_numbers;
	struct place *places;		/* each place once */
	size_t max_places;
	struct hash place_index;
	struct stacks_branch *calls;	/* each call once */
	size_t max_calls;
	struct hash call_index;
	struct tally_who *who;
	size_t max_who;
	struct hash who_index;
	uint64_t *counts;		/* nr_counts for each entry */
	size_t nr_counts, max_counts;
	/* Memory of the stack returned last. */
	struct stacks_branch *lbr;
	struct place *frames;
	size_t max_lbr, max_frames;
};

static uint64_t who_key(const struct tally_who *who)
{
	uint64_t h = hash_u64((uint64_t)who->pid << 32 | who->tid) ^
		     hash_u64(who->cgroup << 16 ^ (uint64_t)who->event << 40 ^ who->cpu);

	h = hash_add(h, (unsigned char)who->state);
	return hash_add(hash_add(h, hash_text(who->process)), hash_text(who->comm));
}

static bool who_equal(const struct tally_who *a, const struct tally_who *b)
{
	return a->pid == b->pid && a->tid == b->tid && a->cpu == b->cpu &&
	       a->cgroup == b->cgroup && a->event == b->event && a->state == b->state &&
	       !strcmp(a->process, b->process) && !strcmp(a->comm, b->comm);
}

static void who_free(const struct tally_who *who)
{
	free((char *)who->process);
	free((char *)who->comm);
}

/* Returns -1 when memory is short. */
static int64_t who_number(struct tally *t, const struct tally_who *who)
{
	struct tally_who copy = *who;
	uint64_t key = who_key(who);

	if (hash_reserve(&t->who_index))
		return -1;
	hash_for_each(i, &t->who_index, key)
		if (who_equal(&t->who[i], who))
			return i;
	if (room_for(&t->who, t->who_index.used + 1, &t->max_who, sizeof(*t->who)))
		return -1;
	copy.process = strdup(who->process);
	copy.comm = strdup(who->comm);
	t->who[t->who_index.used] = copy;
	if (!copy.process || !copy.comm) {
		who_free(&copy);
		return -1;
	}
	return hash_put(&t->who_index, key);
}

/* Writes the place's number. Returns 0, or -1 when memory is short. */
static int put_place(struct tally *t, struct place p, uint32_t *number)
{
	uint64_t hash = hash_u64(maps_place_key(p));

	if (hash_reserve(&t->place_index))
		return -1;
	hash_for_each(i, &t->place_index, hash) {
		if (maps_same_place(t->places[i], p)) {
			*number = i;
			return 0;
		}
	}
	if (room_for(&t->places, t->place_index.used + 1, &t->max_places, sizeof(p)))
		return -1;
	t->places[t->place_index.used] = p;
	*number = hash_put(&t->place_index, hash);
	return 0;
}

static uint64_t call_key(const struct stacks_branch *call)
{
	return hash_add(maps_place_key(call->from), maps_place_key(call->to));
}

static int put_call(struct tally *t, const struct stacks_branch *call, uint32_t *number)
{
	uint64_t hash = call_key(call);

	if (hash_reserve(&t->call_index))
		return -1;
	hash_for_each(i, &t->call_index, hash) {
		if (maps_same_place(t->calls[i].from, call->from) &&
		    maps_same_place(t->calls[i].to, call->to)) {
			*number = i;
			return 0;
		}
	}
	if (room_for(&t->calls, t->call_index.used + 1, &t->max_calls, sizeof(*call)))
		return -1;
	t->calls[t->call_index.used] = *call;
	*number = hash_put(&t->call_index, hash);
	return 0;
}

static int put_places(struct tally *t, const struct place *list, size_t nr, uint32_t **number)
{
	for (size_t i = 0; i < nr; i++)
		if (put_place(t, list[i], (*number)++))
			return -1;
	return 0;
}

static size_t entry_nr(const struct entry *e)
{
	return (size_t)e->nr_kernel + e->leaf_known + e->nr_lbr + e->nr_chain + e->nr_unwound;
}

/* Writes the sample's numbers behind the kept ones, where they stay if the stack is new. */
static int lay_out(struct tally *t, const struct stacks_sample *s,
		   struct entry *e)
{
	uint32_t *number;

	*e = (struct entry){
		.at = t->nr_numbers, .who = e->who,
		.nr_kernel = s->nr_kernel, .nr_lbr = s->nr_lbr,
		.nr_chain = s->nr_chain, .nr_unwound = s->nr_unwound,
		.pointed = s->pointed, .unwound_end = s->unwound_end,
		.history = s->history,
		.has_user = s->has_user, .leaf_known = s->leaf_known,
		.leaf_inferred = s->leaf_inferred, .has_lbr = s->has_lbr,
		.stack_known = s->stack_known, .doubted = s->doubted, .crowded = s->crowded, .stack = s->stack,
	};
	if (room_for(&t->numbers, e->at + entry_nr(e), &t->max_numbers, sizeof(*number)))
		return -1;
	number = t->numbers + e->at;
	if (put_places(t, s->kernel, s->nr_kernel, &number) ||
	    put_places(t, &s->leaf, s->leaf_known, &number))
		return -1;
	for (size_t i = 0; i < s->nr_lbr; i++)
		if (put_call(t, &s->lbr[i], number++))
			return -1;
	return put_places(t, s->chain, s->nr_chain, &number) ||
	       put_places(t, s->unwound, s->nr_unwound, &number) ? -1 : 0;
}

static void hash_entry(const struct tally *t, struct entry *e)
{
	uint64_t h = hash_add(hash_add(e->nr_kernel, e->nr_lbr), e->nr_chain);
	size_t nr = entry_nr(e);

	h = hash_add(h, e->has_user | e->leaf_known << 1 | e->has_lbr << 2 |
			e->leaf_inferred << 3 | e->history << 4 | e->doubted << 8 | e->crowded << 9);
	h = hash_add(hash_add(hash_add(h, e->who), e->nr_unwound), e->stack);
	for (size_t i = 0; i < nr; i++) {
		h = (h ^ t->numbers[e->at + i]) * 0x9e3779b97f4a7c15ULL;
		h ^= h >> 29;
	}
	e->hash = hash_u64(h);
}

static bool entries_equal(const struct tally *t, const struct entry *a,
			  const struct entry *b)
{
	return a->hash == b->hash && a->who == b->who &&
	       a->nr_kernel == b->nr_kernel && a->nr_lbr == b->nr_lbr &&
	       a->nr_chain == b->nr_chain && a->has_user == b->has_user &&
	       a->nr_unwound == b->nr_unwound && a->pointed == b->pointed &&
	       a->unwound_end == b->unwound_end &&
	       a->leaf_known == b->leaf_known && a->has_lbr == b->has_lbr &&
	       a->leaf_inferred == b->leaf_inferred &&
	       a->history == b->history && a->doubted == b->doubted && a->crowded == b->crowded &&
	       a->stack_known == b->stack_known && a->stack == b->stack &&
	       !memcmp(t->numbers + a->at, t->numbers + b->at,
		       entry_nr(a) * sizeof(*t->numbers));
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
	    hash_reserve(&t->index))
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
	t->nr_numbers += entry_nr(&new);
	*number = t->index.used;
	t->entries[*number] = new;
	memset(t->counts + *number * t->nr_counts, 0,
	       t->nr_counts * sizeof(*t->counts));
	tally_again(t, *number, period, counts);
	hash_put(&t->index, new.hash);
	return 0;
}

bool tally_is_of(const struct tally *t, uint32_t number, const struct tally_who *who)
{
	return who_equal(&t->who[t->entries[number].who], who);
}

size_t tally_nr(const struct tally *t)
{
	return t->index.used;
}

int tally_get(struct tally *t, size_t i, struct tally_stack *out)
{
	const struct entry *e = &t->entries[i];
	const uint32_t *number = t->numbers + e->at;
	struct place *p;

	if (room_for(&t->lbr, e->nr_lbr, &t->max_lbr, sizeof(*t->lbr)) ||
	    room_for(&t->frames, entry_nr(e), &t->max_frames, sizeof(*t->frames)))
		return -1;
	memset(out, 0, sizeof(*out));
	out->who = &t->who[e->who];
	out->who_number = e->who;
	out->samples = e->samples;
	out->period = e->period;
	out->squares = e->squares;
	out->counts = t->counts + i * t->nr_counts;
	p = t->frames;
	out->sample = (struct stacks_sample){
		.kernel = p, .nr_kernel = e->nr_kernel,
		.has_user = e->has_user, .leaf_known = e->leaf_known,
		.leaf_inferred = e->leaf_inferred, .history = e->history,
		.stack_known = e->stack_known, .stack = e->stack,
		.doubted = e->doubted, .crowded = e->crowded,
		.has_lbr = e->has_lbr, .lbr = t->lbr, .nr_lbr = e->nr_lbr,
		.chain = p + e->nr_kernel, .nr_chain = e->nr_chain,
		.unwound = p + e->nr_kernel + e->nr_chain,
		.nr_unwound = e->nr_unwound, .unwound_end = e->unwound_end,
		.pointed = e->pointed,
	};
	for (size_t j = 0; j < e->nr_kernel; j++)
		*p++ = t->places[*number++];
	if (e->leaf_known)
		out->sample.leaf = t->places[*number++];
	for (size_t j = 0; j < e->nr_lbr; j++)
		t->lbr[j] = t->calls[*number++];
	for (size_t j = 0; j < (size_t)e->nr_chain + e->nr_unwound; j++)
		*p++ = t->places[*number++];
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
		who_free(&t->who[i]);
	free(t->who);
	free(t->counts);
	hash_free(&t->who_index);
	free(t->entries);
	free(t->numbers);
	free(t->places);
	free(t->calls);
	free(t->lbr);
	free(t->frames);
	hash_free(&t->index);
	hash_free(&t->place_index);
	hash_free(&t->call_index);
	free(t);
}
