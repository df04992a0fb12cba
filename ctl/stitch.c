// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "hash.h"
#include "room.h"
#include "stitch.h"

#define MOST_STITCHED	1024

/* What is known under a key: the run of a thread, or a function of all. */
struct fact {
	uint64_t key;
	struct stacks_branch caller;	/* the one that was seen */
	bool several;			/* another one was, too */
};

struct function {
	struct place place;		/* asked about */
	struct place start;		/* of its function */
	bool known;			/* there is one, and it was entered there */
	uint64_t visit;			/* when it was last met, as a start */
};

struct thread {
	uint32_t tid;
	uint64_t version;		/* one more with each fact of it */
};

struct stitch {
	const struct maps *maps;
	struct thread *threads;
	size_t max_threads;
	struct hash thread_index;
	size_t last_thread;		/* asked about; as in the index */
	struct fact *facts;
	size_t max_facts;
	struct hash fact_index;
	struct function *functions;
	size_t max_functions;
	struct hash function_index;
	uint64_t visit;
	struct stacks_branch calls[MOST_STITCHED];
};

static uint64_t place_key(uint64_t key, struct place p)
{
	return hash_add(hash_add(key, p.file), p.addr);
}

static bool same_place(struct place a, struct place b)
{
	return a.file == b.file && a.addr == b.addr;
}

static bool same_call(struct stacks_branch a, struct stacks_branch b)
{
	return same_place(a.from, b.from) && same_place(a.to, b.to);
}

/* --- threads --- */

static uint64_t thread_hash(const void *ctx, size_t i)
{
	return hash_u64(((const struct stitch *)ctx)->threads[i].tid);
}

/* NULL when memory is short. Good until the next call. */
static struct thread *thread_at(struct stitch *s, uint32_t tid)
{
	size_t slot;

	if (s->last_thread && s->threads[s->last_thread - 1].tid == tid)
		return &s->threads[s->last_thread - 1];
	if (hash_reserve(&s->thread_index, thread_hash, s))
		return NULL;
	slot = hash_first(&s->thread_index, hash_u64(tid));
	for (uint32_t i; (i = s->thread_index.slots[slot]);
	     slot = hash_next(&s->thread_index, slot))
		if (s->threads[i - 1].tid == tid)
			return &s->threads[(s->last_thread = i) - 1];
	if (room_for(&s->threads, s->thread_index.used + 1, &s->max_threads,
		 sizeof(*s->threads)))
		return NULL;
	s->threads[s->thread_index.used] = (struct thread){ tid, 1 };
	s->last_thread = s->thread_index.slots[slot] = ++s->thread_index.used;
	return &s->threads[s->last_thread - 1];
}

uint64_t stitch_version(struct stitch *s, uint32_t tid)
{
	const struct thread *t = thread_at(s, tid);

	return t ? t->version : 0;
}

/* --- functions --- */

static uint64_t function_hash(const void *ctx, size_t i)
{
	return place_key(0, ((const struct stitch *)ctx)->functions[i].place);
}

/* A part that was split off its function was entered by a jump. */
static void function_find(const struct stitch *s, struct function *f)
{
	const struct object *o = maps_file(s->maps, f->place.file)->object;
	struct object_range range;

	f->known = o && object_function(o, f->place.addr, &range) &&
		   !object_is_fragment(o, range.start);
	if (f->known)
		f->start = (struct place){ f->place.file, range.start };
}

/* NULL when memory is short. Good until the next call. */
static struct function *function_at(struct stitch *s, struct place p)
{
	struct function *f;
	size_t slot;

	if (hash_reserve(&s->function_index, function_hash, s))
		return NULL;
	slot = hash_first(&s->function_index, place_key(0, p));
	for (uint32_t i; (i = s->function_index.slots[slot]);
	     slot = hash_next(&s->function_index, slot)) {
		f = &s->functions[i - 1];
		if (same_place(f->place, p))
			return f;
	}
	if (room_for(&s->functions, s->function_index.used + 1, &s->max_functions,
		 sizeof(*f)))
		return NULL;
	f = &s->functions[s->function_index.used];
	*f = (struct function){ .place = p };
	function_find(s, f);
	s->function_index.slots[slot] = ++s->function_index.used;
	return f;
}

/* 1: *start is set; 0: no function is known there; -1: memory is short. */
static int function_start(struct stitch *s, struct place p, struct place *start)
{
	const struct function *f = function_at(s, p);

	if (!f)
		return -1;
	*start = f->start;
	return f->known;
}

/* 1: the function at p is met for the first time in this visit; 0: it is not, or is
 * not known; -1: memory is short. */
static int function_visit(struct stitch *s, struct place p)
{
	struct place start;
	struct function *f;
	int known = function_start(s, p, &start);

	if (known <= 0)
		return known;
	f = function_at(s, start);
	if (!f)
		return -1;
	known = f->visit != s->visit;
	f->visit = s->visit;
	return known;
}

/* --- facts --- */

static uint64_t fact_hash(const void *ctx, size_t i)
{
	return ((const struct stitch *)ctx)->facts[i].key;
}

/* caller NULL: only looks. 1: there is something new; 0: not; -1: memory is short. */
static int fact_put(struct stitch *s, uint64_t key,
		    const struct stacks_branch *caller, struct fact **fact)
{
	size_t slot;

	*fact = NULL;
	if (hash_reserve(&s->fact_index, fact_hash, s))
		return -1;
	slot = hash_first(&s->fact_index, key);
	for (uint32_t i; (i = s->fact_index.slots[slot]);
	     slot = hash_next(&s->fact_index, slot)) {
		if (s->facts[i - 1].key != key)
			continue;
		*fact = &s->facts[i - 1];
		if (!caller || (*fact)->several ||
		    same_call((*fact)->caller, *caller))
			return 0;
		(*fact)->several = true;
		return 1;
	}
	if (!caller)
		return 0;
	if (room_for(&s->facts, s->fact_index.used + 1, &s->max_facts, sizeof(**fact)))
		return -1;
	*fact = &s->facts[s->fact_index.used];
	**fact = (struct fact){ .key = key, .caller = *caller };
	s->fact_index.slots[slot] = ++s->fact_index.used;
	return 1;
}

/* A thread's STITCH_RUN calls, of which the last is the outermost. */
static uint64_t run_key(uint32_t tid, const struct stacks_branch *run)
{
	uint64_t key = hash_add(1, tid);

	for (int i = 0; i < STITCH_RUN; i++)
		key = place_key(place_key(key, run[i].from), run[i].to);
	return key;
}

/* tid 0: of all threads. The idle task has no stack of its own to be mixed up. */
static uint64_t function_key(uint32_t tid, struct place start)
{
	return place_key(hash_add(2, tid), start);
}

/* The function at `inner` was called by *caller. As fact_put(), of the thread. */
static int note_caller(struct stitch *s, uint32_t tid, struct place inner,
		       const struct stacks_branch *caller)
{
	struct place start;
	struct fact *fact;
	int known = function_start(s, inner, &start);

	if (known <= 0)
		return known;
	if (fact_put(s, function_key(0, start), caller, &fact) < 0)
		return -1;
	return fact_put(s, function_key(tid, start), caller, &fact);
}

static int note(struct stitch *s, uint32_t tid, const struct stacks_sample *sample)
{
	struct place inner = sample->leaf;
	struct thread *thread;
	struct fact *fact;
	int new = 0;

	for (size_t i = 0; i < sample->nr_lbr; i++) {
		const struct stacks_branch *call = &sample->lbr[i];
		int caller = 0, run = 0;

		if (i || sample->leaf_known)
			caller = note_caller(s, tid, inner, call);
		inner = call->from;
		if (i >= STITCH_RUN)
			run = fact_put(s, run_key(tid, call - STITCH_RUN), call,
				       &fact);
		if (caller < 0 || run < 0)
			return -1;
		new |= caller | run;
	}
	thread = thread_at(s, tid);
	if (!thread)
		return -1;
	thread->version += new;
	return 0;
}

static bool is_outermost(const struct stitch *s, struct place p)
{
	const struct object *o = maps_file(s->maps, p.file)->object;

	return o && object_is_outermost(o, p.addr);
}

/* What the thread showed outside of these calls, `inner` being where the outermost of
 * them comes from. *fact is NULL if nothing. */
static int recall_one(struct stitch *s, uint32_t tid, struct place inner,
		      const struct stacks_branch *calls, size_t nr,
		      struct fact **fact)
{
	struct place start;
	int known;

	*fact = NULL;
	if (nr >= STITCH_RUN)
		return fact_put(s, run_key(tid, calls + nr - STITCH_RUN), NULL,
				fact);
	known = function_start(s, inner, &start);
	if (known <= 0)
		return known;
	return fact_put(s, function_key(tid, start), NULL, fact);
}

/* From the outermost call on, until nothing is known. A function that is met again
 * calls itself, and how often cannot be told. */
static int recall_calls(struct stitch *s, uint32_t tid, struct place inner,
			size_t had, size_t *nr)
{
	*nr = had;
	while (*nr < MOST_STITCHED && !is_outermost(s, inner)) {
		struct fact *fact;
		int first;

		if (recall_one(s, tid, inner, s->calls, *nr, &fact))
			return -1;
		if (!fact || fact->several)
			return 0;
		inner = fact->caller.from;
		s->calls[*nr] = fact->caller;
		first = function_visit(s, inner);
		if (first <= 0)
			return first;
		++*nr;
	}
	return 0;
}

static int recall(struct stitch *s, uint32_t tid, struct stacks_sample *sample)
{
	size_t had = sample->nr_lbr < STITCH_RUN ? sample->nr_lbr : STITCH_RUN, nr;
	struct place inner = sample->leaf;

	s->visit++;
	if (sample->leaf_known && function_visit(s, inner) < 0)
		return -1;
	for (size_t i = 0; i < sample->nr_lbr; i++) {
		inner = sample->lbr[i].from;
		if (function_visit(s, inner) < 0)
			return -1;
	}
	for (size_t i = 0; i < had; i++)
		s->calls[i] = sample->lbr[sample->nr_lbr - had + i];
	if (recall_calls(s, tid, inner, had, &nr))
		return -1;
	sample->stitched = s->calls + had;
	sample->nr_stitched = nr - had;
	return 0;
}

int stitch_sample(struct stitch *s, uint32_t tid, struct stacks_sample *sample)
{
	if (!sample->has_lbr || (!sample->leaf_known && !sample->nr_lbr))
		return 0;
	return recall(s, tid, sample) || note(s, tid, sample) ? -1 : 0;
}

size_t stitch_holds(struct stitch *s, const struct stacks_sample *sample)
{
	struct place inner = sample->nr_lbr ?
		sample->lbr[sample->nr_lbr - 1].from : sample->leaf;

	for (size_t i = 0; i < sample->nr_stitched; i++) {
		struct place start;
		struct fact *fact;

		if (function_start(s, inner, &start) <= 0 ||
		    fact_put(s, function_key(0, start), NULL, &fact) < 0 || !fact ||
		    fact->several ||
		    !same_call(fact->caller, sample->stitched[i]))
			return i;
		inner = sample->stitched[i].from;
	}
	return sample->nr_stitched;
}

struct stitch *stitch_new(const struct maps *maps)
{
	struct stitch *s = calloc(1, sizeof(*s));

	if (s)
		s->maps = maps;
	return s;
}

void stitch_free(struct stitch *s)
{
	if (!s)
		return;
	free(s->facts);
	free(s->threads);
	hash_free(&s->thread_index);
	free(s->functions);
	hash_free(&s->fact_index);
	hash_free(&s->function_index);
	free(s);
}
