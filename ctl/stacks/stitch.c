// SPDX-License-Identifier: GPL-2.0
/* Adds outer callers that the same thread showed at other times. */
#include <stdlib.h>

#include "base/grow.h"
#include "base/hash.h"
#include "base/pidset.h"
#include "stacks/check.h"
#include "stacks/proof.h"
#include "stacks/stitch.h"
#include "stacks/stitch_functions.h"
#include "stacks/stitch_threads.h"

#define MOST_STITCHED	1024

/* The known callers of a function, in one thread or in all. */
struct fact {
	uint32_t tid;			/* thread, or ALL_THREADS */
	struct place start;		/* beginning of the called function */
	struct stacks_branch call;	/* the call that was seen first */
	size_t seen;			/* number of sightings of any call */
	bool other_place;		/* another place in the same function called it, too, */
	bool other_function;		/* or another function did */
	/* For one thread only: */
	bool again;			/* it was on one stack more than once */
	bool left;			/* it was in the LBR outside of a contradiction */
};

/* No thread has this number. The idle task, 0, has no user stack. */
#define ALL_THREADS	UINT32_MAX

/* A plain call and the frame inside of it. */
struct stitch_link {
	uint8_t noted;			/* times for all threads; once that are STITCH_SIGHTINGS,
					 * noting it again changes nothing */
	bool found;			/* the function is looked up: */
	uint32_t caller;		/* stitch_functions_number() of the call */
};

struct stitch {
	struct maps *maps;
	struct stacks_code code;
	struct stitch_source source;
	struct stitch_threads threads;
	struct fact *facts;
	size_t max_facts;
	struct hash fact_index;
	struct stitch_functions functions;
	struct stitch_link *links;	/* by number of stacks_code.link */
	size_t max_links;
	bool any_left;			/* one of the facts is `left` */
	struct pidset several_stacks;	/* threads that were seen on another stack, too */
	struct stacks_caller callers[MOST_STITCHED];
};

static uint64_t place_key(uint64_t key, struct place p)
{
	return hash_add(key, maps_place_key(p));
}

static bool same_call(struct stacks_branch a, struct stacks_branch b)
{
	return maps_same_place(a.from, b.from) && maps_same_place(a.to, b.to);
}

static uint64_t fact_key(uint32_t tid, struct place start)
{
	return place_key(hash_u64(tid), start);
}

/* Returns NULL if no fact is known. */
static struct fact *fact_find(const struct stitch *s, uint32_t tid, struct place start)
{
	hash_for_each(i, &s->fact_index, fact_key(tid, start)) {
		struct fact *f = &s->facts[i];

		if (f->tid == tid && maps_same_place(f->start, start))
			return f;
	}
	return NULL;
}

/* Returns 0, or -1 when memory is short. */
static int fact_again(struct stitch *s, struct fact *f, const struct stacks_branch *call)
{
	struct place first, other;
	int known;

	f->seen++;
	if (f->other_function || same_call(f->call, *call))
		return 0;
	f->other_place = true;
	known = stitch_functions_start(&s->functions, f->call.from, &first);
	if (known > 0)
		known = stitch_functions_start(&s->functions, call->from, &other);
	f->other_function = known == 0 || (known > 0 && !maps_same_place(first, other));
	return known < 0 ? -1 : 0;
}

/* Returns 0, or -1 when memory is short. */
static int fact_put(struct stitch *s, uint32_t tid, struct place start,
		    const struct stacks_branch *call)
{
	struct fact *f = fact_find(s, tid, start);

	if (f)
		return fact_again(s, f, call);
	if (hash_reserve(&s->fact_index) ||
	    room_for(&s->facts, s->fact_index.used + 1, &s->max_facts, sizeof(*f)))
		return -1;
	f = &s->facts[hash_put(&s->fact_index, fact_key(tid, start))];
	*f = (struct fact){ .tid = tid, .start = start, .call = *call, .seen = 1 };
	return 0;
}

/* The state of the walk along one LBR. */
struct walk {
	uint32_t tid;			/* the facts that are noted: of a thread or of all */
	bool special;			/* the stack is no plain one */
	struct place inner;		/* its caller comes next */
	bool joined;			/* each call so far entered the function inside of it */
	bool left;			/* from here on calls may have been left without a return */
	bool doubtful;			/* a function may be on the stack more often, or less
					 * often, than the LBR shows */
};

/* Notes that the function at `inner` was called by *call, or may have been, if that is not known. Returns
 * 0, or -1 when memory is short. */
static int note_caller(struct stitch *s, const struct walk *w, struct place inner,
		       const struct stacks_branch *call, bool known)
{
	struct place start;
	int found = stitch_functions_start(&s->functions, inner, &start);

	if (found <= 0)
		return found;
	if (fact_put(s, w->tid, start, call))
		return -1;
	if (!known)
		fact_find(s, w->tid, start)->other_function = true;
	return 0;
}

/* Notes that the function of that number, from 1, is on the stack. */
static void note_number(struct stitch *s, struct walk *w, uint32_t number)
{
	bool fresh = !w->left && stitch_functions_meet(&s->functions, number);
	struct fact *f;

	w->special |= !fresh;
	if (w->tid == ALL_THREADS ||
	    !(f = fact_find(s, w->tid, s->functions.list[number - 1].start)))
		return;
	f->left |= w->left;
	s->any_left |= w->left;
	f->again |= !w->left && !fresh;
	w->doubtful |= f->left || f->again;
}

/* Notes that the function at p is on the stack. Returns 0, or -1 when memory is short. */
static int note_function(struct stitch *s, struct walk *w, struct place p)
{
	uint32_t number;

	if (stitch_functions_number(&s->functions, p, &number))
		return -1;
	if (number)
		note_number(s, w, number);
	return 0;
}

/* Notes a contradiction: an exception, longjmp() or another coroutine may have left the outer
 * part. A contradiction between the innermost call and the leaf, or one with an unknown
 * target, proves less: the sampled address may be slightly older. */
static void part(struct stitch *s, struct walk *w, const struct stacks_branch *call,
		 bool innermost)
{
	w->joined = false;
	w->special = true;
	w->left |= !innermost && (call->to.file != MAPS_NOTHING || call->to.addr);
	s->functions.visit++;
}

/* Notes a call: its target, and the function that the target left for by a jump. The target
 * was called even if the next inner entry does not come from it. */
static int note_call(struct stitch *s, struct walk *w, const struct stacks_sample *sample,
		     const struct stacks_branch *call, bool innermost)
{
	struct place inner = w->inner;

	w->inner = call->from;
	/* The handler's return continues the interrupted code. */
	if (check_is_signal(&s->code, sample, call))
		return note_function(s, w, call->from);
	if (check_is_no_call(&s->code, call)) {
		part(s, w, call, innermost);
		return 0;
	}
	if (note_caller(s, w, call->to, call, true))
		return -1;
	if (check_leads_elsewhere(&s->code, call, inner)) {
		part(s, w, call, innermost);
		if (w->left && note_function(s, w, call->to))
			return -1;
	} else if (note_caller(s, w, inner, call, check_leads_to(&s->code, call, inner))) {
		return -1;
	}
	return note_function(s, w, call->from);
}

/* Does what note_call() does for a plain call. */
static int note_link(struct stitch *s, struct walk *w, uint32_t number,
		     const struct stacks_branch *call)
{
	struct place inner = w->inner;
	struct stitch_link *l;

	if (room_for(&s->links, (size_t)number + 1, &s->max_links, sizeof(*s->links)))
		return -1;
	l = &s->links[number];
	w->inner = call->from;
	if ((w->tid != ALL_THREADS || l->noted < STITCH_SIGHTINGS) &&
	    (note_caller(s, w, call->to, call, true) || note_caller(s, w, inner, call, true)))
		return -1;
	if (w->tid == ALL_THREADS && l->noted < STITCH_SIGHTINGS)
		l->noted++;
	if (!l->found && stitch_functions_number(&s->functions, call->from, &l->caller))
		return -1;
	l->found = true;
	if (l->caller)
		note_number(s, w, l->caller);
	return 0;
}

/* Whether the sample shows calls. */
static bool has_calls(const struct stacks_sample *sample)
{
	return sample->has_lbr && (sample->leaf_known || sample->nr_lbr);
}

/* Walks along the LBR. Returns 0, or -1 when memory is short. */
static int walk(struct stitch *s, struct walk *w, const struct stacks_sample *sample)
{
	w->inner = sample->leaf_known ? sample->leaf : sample->lbr[0].to;
	w->joined = true;
	s->functions.visit++;
	if (note_function(s, w, w->inner))
		return -1;
	for (size_t i = 0; i < sample->nr_lbr; i++) {
		const struct stacks_branch *call = &sample->lbr[i];
		uint32_t link = s->code.link(s->code.ctx, call, w->inner);

		if (link == STACKS_NO_LINK ? note_call(s, w, sample, call, !i) :
					     note_link(s, w, link, call))
			return -1;
	}
	for (size_t i = 0; i < sample->nr_made; i++)
		if (!check_is_no_call(&s->code, &sample->made[i]) &&
		    note_caller(s, w, sample->made[i].to, &sample->made[i], true))
			return -1;
	return 0;
}

int stitch_note(struct stitch *s, const struct stacks_sample *sample,
		enum stitch_effect *effect, bool *open)
{
	struct walk w = { .tid = ALL_THREADS };

	*open = false;
	*effect = STITCH_PLAIN;
	if (!has_calls(sample))
		return 0;
	if (walk(s, &w, sample))
		return -1;
	/* What a history lacks depends on how often each thread showed its calls. */
	if (w.special || sample->history || proof_is_other_stack(sample))
		*effect = STITCH_SPECIAL;
	*open = !w.joined || !s->code.outermost(s->code.ctx, w.inner);
	return 0;
}

bool stitch_is_plain(struct stitch *s, uint32_t tid)
{
	const struct stitch_thread *t = stitch_threads_find(&s->threads, tid, false);

	return !t || !t->special;
}

int stitch_later(struct stitch *s, uint32_t tid, uint32_t stack)
{
	struct stitch_thread *t = stitch_threads_find(&s->threads, tid, true);

	if (!t || room_for(&t->stacks, t->nr + 1, &t->max, sizeof(*t->stacks)))
		return -1;
	t->stacks[t->nr++] = stack;
	return 0;
}

/* Notes what stitch_later() took for the thread. */
static int settle(struct stitch *s, uint32_t tid)
{
	struct stitch_thread *t = stitch_threads_find(&s->threads, tid, false);

	for (size_t i = 0; t && i < t->nr; i++) {
		const struct stacks_sample *sample = s->source.sample(s->source.ctx, t->stacks[i]);
		struct walk w = { .tid = tid };

		if (!sample || (has_calls(sample) && walk(s, &w, sample)))
			return -1;
	}
	if (t)
		t->nr = 0;
	return 0;
}

int stitch_note_thread(struct stitch *s, uint32_t tid, const struct stacks_sample *sample,
		       enum stitch_effect effect, bool *open)
{
	struct walk w = { .tid = tid };
	struct stitch_thread *t;

	*open = false;
	if (!has_calls(sample))
		return 0;
	if (proof_is_other_stack(sample) && pidset_add(&s->several_stacks, tid))
		return -1;
	if (settle(s, tid) || !(t = stitch_threads_find(&s->threads, tid, true)))
		return -1;
	t->special |= effect == STITCH_SPECIAL;
	if (walk(s, &w, sample))
		return -1;
	*open = !w.joined || w.doubtful || !s->code.outermost(s->code.ctx, w.inner);
	return 0;
}

/* A call that was left without a return is indistinguishable from an open call of the same
 * function: in a recursion that was left to its middle, or in another coroutine in the same
 * function. */
static bool is_doubtful(const struct stitch *s, uint32_t tid, struct place start)
{
	const struct fact *own = fact_find(s, tid, start);

	return own && own->left && (own->again || pidset_has(&s->several_stacks, tid));
}

int stitch_doubt(struct stitch *s, uint32_t tid, const struct stacks_stack *stack, size_t *nr)
{
	*nr = stack->nr_frames;
	if (!s->any_left)
		return 0;
	for (size_t i = stack->proven ? stack->proven - 1 : 0; i < *nr; i++) {
		struct place start;
		int known;

		if (stack->frames[i].kind == STACKS_KERNEL ||
		    stack->frames[i].kind == STACKS_KERNEL_RETURN)
			continue;
		/* A frame pointer has led to its caller along memory, which has nothing of what was left. */
		if (i + 1 < stack->nr_frames && stack->frames[i + 1].followed)
			continue;
		known = stitch_functions_start(&s->functions, stack->frames[i].place, &start);
		if (known < 0)
			return -1;
		if (known && is_doubtful(s, tid, start))
			*nr = i + 1;
	}
	return 0;
}

#define MOST_FORKS	8

/* Returns the fact of this thread, or of the thread from which it was forked, whose callers
 * are on its stack. */
static const struct fact *fact_of_thread(const struct stitch *s, uint32_t tid,
					 struct place start)
{
	const struct fact *f = fact_find(s, tid, start);

	for (int i = 0; !f && i < MOST_FORKS && (tid = maps_forked_of(s->maps, tid)); i++)
		f = fact_find(s, tid, start);
	return f;
}

/* Notes what stitch_later() took for these threads. */
static int settle_forks(struct stitch *s, uint32_t tid)
{
	int ret = settle(s, tid);

	for (int i = 0; !ret && i < MOST_FORKS && (tid = maps_forked_of(s->maps, tid)); i++)
		ret = settle(s, tid);
	return ret;
}

/* Whether only the code at which threads begin calls the function. That code is below it in
 * any thread, even if this thread has not shown it. */
static int begins_thread(struct stitch *s, const struct fact *all)
{
	const struct fact *outer;
	struct place start;
	int known;

	if (!all || all->other_function)
		return 0;
	if (s->code.outermost(s->code.ctx, all->call.from))
		return 1;
	known = stitch_functions_start(&s->functions, all->call.from, &start);
	if (known <= 0)
		return known;
	outer = fact_find(s, ALL_THREADS, start);
	return outer && !outer->other_function &&
	       s->code.outermost(s->code.ctx, outer->call.from);
}

/* Finds the caller of the function at `inner` by the facts of this thread and of all. Returns
 * 1: *caller is set; 0: no caller, or several; -1: memory is short. */
static int recall_one(struct stitch *s, uint32_t tid, size_t sightings, struct place inner,
		      struct stacks_caller *caller)
{
	const struct fact *own, *all;
	struct place start;
	int known = stitch_functions_start(&s->functions, inner, &start);

	if (known <= 0)
		return known;
	own = fact_of_thread(s, tid, start);
	all = fact_find(s, ALL_THREADS, start);
	if (!own) {
		known = begins_thread(s, all);
		if (known <= 0)
			return known;
		own = all;
	}
	if (all->other_function || all->seen < sightings)
		return 0;
	*caller = (struct stacks_caller){ .call = own->call,
					  .somewhere = all->other_place };
	return stitch_functions_start(&s->functions, own->call.from, &caller->function);
}

/* Continues until no caller is known. A function that occurs again is recursive, to an unknown
 * depth. */
int stitch_recall(struct stitch *s, uint32_t tid, size_t sightings,
		  const struct stacks_stack *stack, const struct stacks_caller **callers, size_t *nr)
{
	struct place inner = stack->frames[stack->nr_frames - 1].place;
	int more = 1;

	*callers = s->callers;
	*nr = 0;
	if (settle_forks(s, tid))
		return -1;
	s->functions.visit++;
	for (size_t i = 0; i < stack->nr_frames; i++)
		if (stitch_functions_visit(&s->functions, stack->frames[i].place) < 0)
			return -1;
	while (more > 0 && *nr < MOST_STITCHED &&
	       !s->code.outermost(s->code.ctx, inner)) {
		more = recall_one(s, tid, sightings, inner, &s->callers[*nr]);
		if (more > 0) {
			inner = s->callers[*nr].call.from;
			more = stitch_functions_visit(&s->functions, inner);
		}
		*nr += more > 0;
	}
	return more < 0 ? -1 : 0;
}

struct stitch *stitch_new(struct maps *maps, const struct stacks_code *code,
			  const struct stitch_source *source)
{
	struct stitch *s = calloc(1, sizeof(*s));

	if (s) {
		s->maps = s->functions.maps = maps;
		s->code = *code;
		s->source = *source;
	}
	return s;
}

void stitch_free(struct stitch *s)
{
	if (!s)
		return;
	free(s->facts);
	free(s->links);
	stitch_functions_free(&s->functions);
	hash_free(&s->fact_index);
	pidset_free(&s->several_stacks);
	stitch_threads_free(&s->threads);
	free(s);
}
