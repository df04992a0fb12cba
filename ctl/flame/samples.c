// SPDX-License-Identifier: GPL-2.0
/* Collects the samples of a graph. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "flame/samples.h"

/* The state while the traces of one side are collected. */
struct samples_builder {
	struct flame_trace *list;
	size_t max;
	struct hash index;
	uint32_t *node;			/* by node of the profile: its place in the tree's order */
};

static uint64_t thread_key(uint32_t pid, uint32_t tid, const char *comm)
{
	uint64_t hash = hash_add(pid, tid);

	for (const char *c = comm; *c; c++)
		hash = hash_add(hash, (unsigned char)*c);
	return hash;
}

/* Returns the number of a thread; UINT32_MAX when memory is short. */
static uint32_t thread_number(struct flame_threads *t, const struct tally_who *who)
{
	const uint64_t key = thread_key(who->pid, who->tid, who->comm);

	if (hash_reserve(&t->index) ||
	    room_for(&t->list, t->index.used + 1, &t->max, sizeof(*t->list)))
		return UINT32_MAX;
	hash_for_each(i, &t->index, key)
		if (t->list[i].pid == who->pid && t->list[i].tid == who->tid &&
		    !strcmp(t->list[i].comm, who->comm))
			return i;
	t->list[t->index.used] = (struct flame_thread){ who->pid, who->tid, who->comm };
	return hash_put(&t->index, key);
}

static uint64_t trace_hash_of(const struct flame_trace *t)
{
	uint64_t hash = hash_add(t->node, t->thread);

	hash = hash_add(hash, t->cpu);
	return hash_add(hash, (uint64_t)t->concluded << 8 | t->verdict);
}

static bool trace_same(const struct flame_trace *a, const struct flame_trace *b)
{
	return a->node == b->node && a->thread == b->thread && a->cpu == b->cpu &&
	       a->verdict == b->verdict && a->concluded == b->concluded;
}

static void trace_join(struct flame_trace *to, const struct flame_trace *more)
{
	to->samples += more->samples;
	to->period = tally_sum(to->period, more->period);
	to->squares += more->squares;
}

/* Adds a trace, or joins it to an equal one. Returns its number; UINT32_MAX when memory is short. */
static uint32_t trace_number(struct samples_builder *b, const struct flame_trace *t)
{
	const uint64_t hash = trace_hash_of(t);

	if (hash_reserve(&b->index) ||
	    room_for(&b->list, b->index.used + 1, &b->max, sizeof(*b->list)))
		return UINT32_MAX;
	hash_for_each(i, &b->index, hash)
		if (trace_same(&b->list[i], t)) {
			trace_join(&b->list[i], t);
			return i;
		}
	b->list[b->index.used] = *t;
	return hash_put(&b->index, hash);
}

static int number_nodes(struct samples_builder *b, const struct flame *f, unsigned int side)
{
	uint32_t n = 0, nr = 0;

	b->node = calloc(f->sides[side].analysis->profile->nr_nodes, sizeof(*b->node));
	if (!b->node)
		return -1;
	do {
		if (f->nodes[n].of[side] != UINT32_MAX)
			b->node[f->nodes[n].of[side]] = nr;
		nr++;
	} while ((n = flame_next(f, n)));
	return 0;
}

/* A time off the CPU is the self of the function that waits, not of the scheduler's that the node is of. */
static uint32_t levels_up(const struct profile *profile, const struct trace *t)
{
	uint32_t node = t->at.node, up = 0;

	while (node && profile->nodes[node].entry != t->at.own) {
		node = profile->nodes[node].parent;
		up++;
	}
	return node ? up : 0;
}

static int collect(struct samples_builder *b, struct flame_samples *s, const struct analysis *a,
		   struct flame_threads *threads)
{
	for (size_t i = 0; i < a->traces.nr; i++) {
		const struct trace *t = &a->traces.list[i];
		const struct flame_trace trace = {
			.node = b->node[t->at.node], .thread = thread_number(threads, t->who),
			.cpu = t->who->cpu, .verdict = t->verdict, .concluded = t->at.concluded,
			.up = levels_up(a->profile, t),
			.samples = t->samples, .period = t->period, .squares = t->squares };

		s->of[i] = trace.thread == UINT32_MAX ? UINT32_MAX : trace_number(b, &trace);
		if (s->of[i] == UINT32_MAX)
			return -1;
	}
	return 0;
}

struct samples_rank {
	uint64_t samples;
	uint32_t number;
};

static int rank_compare(const void *x, const void *y)
{
	const struct samples_rank *a = x, *b = y;

	if (a->samples != b->samples)
		return a->samples > b->samples ? -1 : 1;
	return a->number < b->number ? -1 : 1;
}

/* Sorts by falling frequency: small numbers take less room. */
static int sort(struct samples_builder *b, struct flame_samples *s, size_t nr_of)
{
	struct samples_rank *ranks = calloc(s->nr + 1, sizeof(*ranks));
	uint32_t *place = calloc(s->nr + 1, sizeof(*place));

	s->list = calloc(s->nr + 1, sizeof(*s->list));
	if (ranks && place && s->list) {
		for (size_t i = 0; i < s->nr; i++)
			ranks[i] = (struct samples_rank){ b->list[i].samples, i };
		qsort(ranks, s->nr, sizeof(*ranks), rank_compare);
		for (size_t i = 0; i < s->nr; i++) {
			s->list[i] = b->list[ranks[i].number];
			place[ranks[i].number] = i;
		}
		for (size_t i = 0; i < nr_of; i++)
			s->of[i] = place[s->of[i]];
	}
	free(ranks);
	free(place);
	return ranks && place && s->list ? 0 : -1;
}

int flame_samples_make(struct flame_samples *s, const struct flame *f, unsigned int side,
		       struct flame_threads *threads)
{
	const struct analysis *a = f->sides[side].analysis;
	struct samples_builder b = { 0 };
	int ret = -1;

	*s = (struct flame_samples){ .of = calloc(a->traces.nr + 1, sizeof(*s->of)) };
	if (s->of && !number_nodes(&b, f, side) && !collect(&b, s, a, threads)) {
		s->nr = b.index.used;
		ret = sort(&b, s, a->traces.nr);
	}
	free(b.list);
	free(b.node);
	hash_free(&b.index);
	return ret;
}

void flame_samples_free(struct flame_samples *s)
{
	free(s->list);
	free(s->of);
}

void flame_threads_free(struct flame_threads *t)
{
	free(t->list);
	hash_free(&t->index);
}
