// SPDX-License-Identifier: GPL-2.0
/* Copies analyses, and sums up the chosen samples. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "browse/picture.h"
#include "profile/tally.h"

static uint64_t function_key(const struct picture_function *f)
{
	return hash_add(hash_text(f->name) + f->kind, hash_text(f->object));
}

bool picture_same(const struct picture_function *a, const struct picture_function *b)
{
	return a->kind == b->kind && !strcmp(a->name, b->name) && !strcmp(a->object, b->object);
}

/* Returns the number of the function; PICTURE_ALL when memory is short. */
static uint32_t function_number(struct picture_event *e, const struct profile_entry *entry)
{
	struct picture_function f = { .kind = entry->kind, .name = (char *)entry->name,
				      .object = (char *)entry->object };
	const uint64_t key = function_key(&f);

	if (hash_reserve(&e->index) ||
	    room_for(&e->functions, e->index.used + 1, &e->max_functions, sizeof(f)))
		return PICTURE_ALL;
	hash_for_each(i, &e->index, key)
		if (picture_same(&e->functions[i], &f))
			return i;
	f.name = strdup(f.name);
	f.object = strdup(f.object);
	e->functions[e->index.used] = f;
	hash_put(&e->index, key);
	return f.name && f.object ? e->index.used - 1 : PICTURE_ALL;
}

static bool below_itself(const struct picture_event *e, uint32_t n)
{
	for (uint32_t up = e->nodes[n].parent; up; up = e->nodes[up].parent)
		if (e->nodes[up].function == e->nodes[n].function)
			return true;
	return false;
}

/* Returns the numbers of the functions by entry, which the caller frees; NULL when memory is short. */
static uint32_t *copy_entries(struct picture_event *e, const struct profile *p)
{
	uint32_t *functions = calloc(p->nr_entries + 1, sizeof(*functions));

	for (size_t i = 0; functions && i < p->nr_entries; i++) {
		functions[i] = function_number(e, &p->entries[i]);
		if (functions[i] == PICTURE_ALL) {
			free(functions);
			return NULL;
		}
	}
	return functions;
}

static int copy_nodes(struct picture_event *e, const struct profile *p, const uint32_t *functions)
{
	e->nodes = calloc(p->nr_nodes, sizeof(*e->nodes));
	e->nr_nodes = p->nr_nodes;
	if (!e->nodes)
		return -1;
	for (size_t i = 1; i < p->nr_nodes; i++) {
		const struct profile_node *n = &p->nodes[i];

		e->nodes[i] = (struct picture_node){
			.function = functions[n->entry], .parent = n->parent,
			.first_child = n->first_child, .next = n->next,
			.depth = e->nodes[n->parent].depth + 1 };
		e->nodes[i].inner = below_itself(e, i);
	}
	e->nodes[0].first_child = p->nodes[0].first_child;
	return 0;
}

/* Returns the number of the thread; PICTURE_ALL when memory is short. */
static uint32_t thread_number(struct picture *p, const struct tally_who *who)
{
	const uint64_t key = hash_add(who->pid, who->tid);
	char *comm;

	if (hash_reserve(&p->index) ||
	    room_for(&p->threads, p->index.used + 1, &p->max_threads, sizeof(*p->threads)))
		return PICTURE_ALL;
	hash_for_each(i, &p->index, key)
		if (p->threads[i].pid == who->pid && p->threads[i].tid == who->tid)
			return i;
	comm = strdup(who->comm);
	if (!comm)
		return PICTURE_ALL;
	p->threads[p->index.used] = (struct picture_thread){ who->pid, who->tid, comm };
	return hash_put(&p->index, key);
}

static int copy_traces(struct picture *p, struct picture_event *e, const struct traces *traces,
		       const uint32_t *functions)
{
	e->traces = calloc(traces->nr + 1, sizeof(*e->traces));
	for (size_t i = 0; e->traces && i < traces->nr; i++) {
		const struct trace *t = &traces->list[i];
		const uint32_t thread = thread_number(p, t->who);

		if (thread == PICTURE_ALL)
			return -1;
		e->traces[e->nr_traces++] = (struct picture_trace){
			.node = t->at.node, .thread = thread, .concluded = t->at.concluded, .own = functions[t->at.own],
			.verdict = t->verdict, .weight = { t->samples, t->period, t->squares } };
	}
	return e->traces ? 0 : -1;
}

static int copy_counts(struct picture_event *e, const struct analysis *a)
{
	e->nr_counts = a->group->nr;
	e->nr_ratios = report_ratios(a, e->ratios);
	e->trace_counts = calloc(e->nr_traces * e->nr_counts + 1, sizeof(*e->trace_counts));
	e->counts = calloc(e->index.used * e->nr_counts + 1, sizeof(*e->counts));
	if (!e->trace_counts || !e->counts)
		return -1;
	for (size_t i = 0; i < e->nr_traces * e->nr_counts; i++)
		e->trace_counts[i] = a->traces.list[i / e->nr_counts].counts[i % e->nr_counts];
	return 0;
}

static void put_line(void *out, const char *text)
{
	fprintf(out, "%s\n", text);
}

static int copy_summary(struct picture_event *e, const struct analysis *a)
{
	size_t size;
	FILE *out = open_memstream(&e->summary, &size);

	if (!out)
		return -1;
	analysis_details(a, &(struct lines){ put_line, out });
	analysis_notes(a, &(struct lines){ put_line, out });
	return fclose(out);
}

static int copy_event(struct picture *p, struct picture_event *e, const struct analysis *a)
{
	uint32_t *functions = copy_entries(e, a->profile);
	int err;

	e->name = strdup(a->event);
	e->offcpu = a->offcpu;
	e->samples = a->nr_samples;
	memcpy(e->verdicts, a->verdicts, sizeof(e->verdicts));
	err = !e->name || !functions || copy_nodes(e, a->profile, functions) ||
	      copy_traces(p, e, &a->traces, functions) || copy_counts(e, a) || copy_summary(e, a);
	free(functions);
	if (err)
		return -1;
	picture_choose(e, &(struct picture_choice){ PICTURE_ALL, PICTURE_ALL });
	return 0;
}

struct picture *picture_new(const struct analysis *first)
{
	struct picture *p = calloc(1, sizeof(*p));
	size_t nr = 0;

	for (const struct analysis *a = first; a; a = a->next)
		nr += a->nr_samples > 0;
	if (p)
		p->events = calloc(nr + 1, sizeof(*p->events));
	if (!p || !p->events) {
		free(p);
		return NULL;
	}
	p->nr_read = first->nr_read;
	for (const struct analysis *a = first; a && nr; a = a->next)
		if (a->nr_samples && copy_event(p, &p->events[p->nr_events++], a)) {
			picture_free(p);
			return NULL;
		}
	return p;
}

void picture_free(struct picture *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->nr_events; i++) {
		struct picture_event *e = &p->events[i];

		for (size_t n = 0; n < e->index.used; n++) {
			free(e->functions[n].name);
			free(e->functions[n].object);
		}
		free(e->name);
		free(e->summary);
		free(e->functions);
		free(e->nodes);
		free(e->traces);
		free(e->trace_counts);
		free(e->counts);
		hash_free(&e->index);
	}
	for (size_t i = 0; i < p->index.used; i++)
		free(p->threads[i].comm);
	free(p->events);
	free(p->threads);
	hash_free(&p->index);
	free(p);
}

static void add(struct profile_weight *to, const struct profile_weight *w)
{
	to->samples += w->samples;
	to->period = tally_sum(to->period, w->period);
	to->squares += w->squares;
}

/* Threads, marks and inferred tail calls are not frames that anything shows. */
static bool is_frame(const struct picture_function *f)
{
	return f->kind == PROFILE_USER || f->kind == PROFILE_KERNEL || f->kind == PROFILE_INLINED;
}

/* Of a trace, the frames up to a depth are concluded. */
static void conclude(struct picture_event *e, const struct picture_trace *t)
{
	for (uint32_t i = t->node; i && t->concluded; i = e->nodes[i].parent) {
		struct picture_node *n = &e->nodes[i];

		if (n->depth <= t->concluded && is_frame(&e->functions[n->function]))
			n->concluded = tally_sum(n->concluded, t->weight.period);
	}
}

static void sum_up(struct picture_event *e)
{
	for (size_t i = e->nr_nodes; i-- > 0;) {
		struct picture_node *n = &e->nodes[i];
		struct picture_function *f;

		add(&n->total, &n->self);
		if (!i)
			return;
		add(&e->nodes[n->parent].total, &n->total);
		f = &e->functions[n->function];
		/* In the table, threads and marks stand for stacks without frames. */
		if (f->kind > PROFILE_INLINED)
			add(&f->total, &n->self);
		else if (!n->inner)
			add(&f->total, &n->total);
	}
}

static void count(struct picture_event *e, size_t trace)
{
	uint64_t *counts = e->counts + e->traces[trace].own * e->nr_counts;

	for (size_t i = 0; i < e->nr_counts; i++)
		counts[i] = tally_sum(counts[i], e->trace_counts[trace * e->nr_counts + i]);
}

void picture_choose(struct picture_event *e, const struct picture_choice *choice)
{
	const struct profile_weight none = { 0 };

	for (size_t i = 0; i < e->index.used; i++)
		e->functions[i].self = e->functions[i].total = none;
	memset(e->counts, 0, e->index.used * e->nr_counts * sizeof(*e->counts));
	for (size_t i = 0; i < e->nr_nodes; i++) {
		e->nodes[i].self = e->nodes[i].total = none;
		e->nodes[i].concluded = 0;
	}
	for (size_t i = 0; i < e->nr_traces; i++) {
		const struct picture_trace *t = &e->traces[i];

		if ((choice->thread != PICTURE_ALL && choice->thread != t->thread) ||
		    (choice->verdict != PICTURE_ALL && choice->verdict != t->verdict))
			continue;
		add(&e->nodes[t->node].self, &t->weight);
		add(&e->functions[t->own].self, &t->weight);
		conclude(e, t);
		count(e, i);
	}
	sum_up(e);
}
