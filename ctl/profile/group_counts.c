// SPDX-License-Identifier: GPL-2.0
/* Adds up the counts of the other events of a group. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "profile/group_counts.h"

/* Bounds the memory: a hostile file has any number of events. */
#define GROUP_MAX	64

struct group_last {
	uint64_t id;
	uint32_t of;		/* thread, or CPU */
	uint64_t value;
};

static uint64_t group_key(uint64_t id, uint32_t of)
{
	return hash_add(hash_u64(id), of);
}

static bool group_reads(const struct perfdata_event *event)
{
	return event->attr.sample_type & PERF_SAMPLE_READ &&
	       event->attr.read_format & PERF_FORMAT_GROUP &&
	       event->attr.read_format & PERF_FORMAT_ID;
}

struct group_id {
	uint64_t id;
	uint32_t event;
};

static int group_compare(const void *x, const void *y)
{
	const struct group_id *a = x, *b = y;

	return a->id < b->id ? -1 : a->id > b->id;
}

static int group_list_ids(struct group *g, size_t nr_events)
{
	size_t nr = 0, at = 0;

	for (size_t i = 0; i < nr_events; i++)
		nr += g->events[i].nr_ids;
	g->ids = calloc(nr + 1, sizeof(*g->ids));
	if (!g->ids)
		return -1;
	for (size_t i = 0; i < nr_events; i++)
		for (size_t j = 0; j < g->events[i].nr_ids; j++)
			g->ids[at++] = (struct group_id){ g->events[i].ids[j], i };
	qsort(g->ids, nr, sizeof(*g->ids), group_compare);
	g->nr_ids = nr;
	return 0;
}

int group_init(struct group *g, const struct samples *samples)
{
	bool any = false;
	size_t nr;

	memset(g, 0, sizeof(*g));
	g->events = samples_events(samples, &nr);
	for (size_t i = 0; i < nr; i++)
		any |= samples_selected(samples, i) && group_reads(&g->events[i]);
	if (!any || nr > GROUP_MAX)
		return 0;
	g->nr = nr;
	g->counts = calloc(nr, sizeof(*g->counts));
	return g->counts ? group_list_ids(g, nr) : -1;
}

void group_free(struct group *g)
{
	free(g->counts);
	free(g->ids);
	free(g->last);
	hash_free(&g->index);
}

/* Returns the previous value of the id; NULL when memory is short. *known: there was one. */
static uint64_t *group_last(struct group *g, uint64_t id, uint32_t of, bool *known)
{
	struct group_last *new;

	if (hash_reserve(&g->index))
		return NULL;
	hash_for_each(i, &g->index, group_key(id, of)) {
		*known = g->last[i].id == id && g->last[i].of == of;
		if (*known)
			return &g->last[i].value;
	}
	*known = false;
	if (room_for(&g->last, g->index.used + 1, &g->max, sizeof(*g->last)))
		return NULL;
	new = &g->last[hash_put(&g->index, group_key(id, of))];
	*new = (struct group_last){ .id = id, .of = of };
	return &new->value;
}

int group_take(struct group *g, const struct perfdata_event *event,
	       const struct perfdata_sample *s)
{
	uint32_t of = event->attr.inherit ? s->tid : s->cpu;

	memset(g->counts, 0, g->nr * sizeof(*g->counts));
	if (!group_reads(event))
		return 0;
	for (uint64_t i = 0; i < s->read_nr; i++) {
		const unsigned char *at = s->read + i * s->read_size;
		uint64_t value = perfdata_u64(at), *last;
		struct group_id key = { .id = perfdata_u64(at + 8) }, *found;
		bool known;

		found = bsearch(&key, g->ids, g->nr_ids, sizeof(key), group_compare);
		if (!found)
			continue;
		last = group_last(g, key.id, of, &known);
		if (!last)
			return -1;
		/* A smaller count belongs to another task with the same id. */
		if (known && value >= *last)
			g->counts[found->event] += value - *last;
		*last = value;
	}
	return 0;
}
