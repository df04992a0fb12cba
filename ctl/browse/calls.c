// SPDX-License-Identifier: GPL-2.0
/* Merges the nodes of a call tree by function, branch by branch, as they are opened. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "browse/calls.h"
#include "profile/tally.h"

static struct calls_line *new_line(struct calls *c, uint32_t function, uint32_t parent, bool callers)
{
	struct calls_line *l;

	if (room_for(&c->list, c->nr + 1, &c->max, sizeof(*c->list)))
		return NULL;
	l = &c->list[c->nr];
	*l = (struct calls_line){ .function = function, .parent = parent, .callers = callers,
				  .leaf = true,
				  .depth = c->nr > parent ? c->list[parent].depth + 1 : 0 };
	c->nr++;
	return l;
}

static int add_place(const struct calls *c, struct calls_line *l, uint32_t counted, uint32_t here)
{
	const struct picture_node *n = &c->event->nodes[counted], *h = &c->event->nodes[here];
	size_t max = l->nr_places;

	/* The list grows by powers of two. */
	if (!(max & (max - 1))) {
		struct calls_place *places = realloc(l->places, (max ? 2 * max : 1) *
						     sizeof(*places));

		if (!places)
			return -1;
		l->places = places;
	}
	l->places[l->nr_places++] = (struct calls_place){ counted, here };
	l->total.samples += n->total.samples;
	l->total.period = tally_sum(l->total.period, n->total.period);
	l->total.squares += n->total.squares;
	l->self.period = tally_sum(l->self.period, n->self.period);
	l->concluded = tally_sum(l->concluded, h->concluded);
	l->whole = tally_sum(l->whole, h->total.period);
	if (l->callers ? h->parent : h->first_child)
		l->leaf = false;
	return 0;
}

/* Adds a node to the branch of its function. */
static int add_branch(struct calls *c, uint32_t parent, uint32_t counted, uint32_t here)
{
	const uint32_t function = c->event->nodes[here].function;

	if (!c->event->nodes[counted].total.samples)
		return 0;
	if (!c->met[function]) {
		if (!new_line(c, function, parent, c->list[parent].callers))
			return -1;
		c->met[function] = c->nr;
	}
	return add_place(c, &c->list[c->met[function] - 1], counted, here);
}

/* As profile_sort() has it. */
static int compare(const void *x, const void *y, void *ctx)
{
	const struct picture_event *e = ctx;
	const struct calls_line *a = x, *b = y;
	int order;

	if (a->total.period != b->total.period)
		return a->total.period > b->total.period ? -1 : 1;
	if (a->total.samples != b->total.samples)
		return a->total.samples > b->total.samples ? -1 : 1;
	order = strcmp(e->functions[a->function].name, e->functions[b->function].name);
	return order ? order : (a->function > b->function) - (a->function < b->function);
}

static int make_branches(struct calls *c, uint32_t line)
{
	const struct picture_node *nodes = c->event->nodes;
	const uint32_t first = c->nr;
	int ret = 0;

	for (size_t i = 0; !ret && i < c->list[line].nr_places; i++) {
		const struct calls_place at = c->list[line].places[i];

		if (c->list[line].callers && nodes[at.here].parent)
			ret = add_branch(c, line, at.counted, nodes[at.here].parent);
		else if (!c->list[line].callers)
			for (uint32_t n = nodes[at.here].first_child; n && !ret; n = nodes[n].next)
				ret = add_branch(c, line, n, n);
	}
	for (size_t i = first; i < c->nr; i++)
		c->met[c->list[i].function] = 0;
	qsort_r(c->list + first, c->nr - first, sizeof(*c->list), compare, (void *)c->event);
	c->list[line].made = true;
	c->list[line].first = first;
	c->list[line].nr = c->nr - first;
	return ret;
}

/* Finds the line after this one, in tree order, outside of what is closed. c->nr: none. */
static uint32_t next_line(const struct calls *c, uint32_t line)
{
	if (c->list[line].open && c->list[line].nr)
		return c->list[line].first;
	while (c->list[line].depth) {
		const struct calls_line *up = &c->list[c->list[line].parent];

		if (line + 1 < up->first + up->nr)
			return line + 1;
		line = c->list[line].parent;
	}
	/* Lines without a caller stand first. */
	return line + 1 < c->nr && !c->list[line + 1].depth ? line + 1 : c->nr;
}

static int show(struct calls *c)
{
	c->nr_shown = 0;
	for (uint32_t i = 0; i < c->nr; i = next_line(c, i)) {
		if (room_for(&c->shown, c->nr_shown + 1, &c->max_shown, sizeof(*c->shown)))
			return -1;
		c->shown[c->nr_shown++] = i;
	}
	return 0;
}

static int open_line(struct calls *c, uint32_t line)
{
	if (c->list[line].leaf)
		return 0;
	c->list[line].open = true;
	return c->list[line].made ? 0 : make_branches(c, line);
}

int calls_turn(struct calls *c, size_t shown, bool open)
{
	const uint32_t line = c->shown[shown];

	if (!open)
		c->list[line].open = false;
	else if (open_line(c, line))
		return -1;
	return show(c);
}

int calls_open_all(struct calls *c, size_t shown, uint64_t least)
{
	const uint32_t top = c->shown[shown], depth = c->list[top].depth;
	uint32_t i = top;

	do {
		if (c->list[i].total.period >= least && open_line(c, i))
			return -1;
		i = next_line(c, i);
	} while (i < c->nr && c->list[i].depth > depth);
	return show(c);
}

int calls_close_all(struct calls *c)
{
	for (size_t i = 0; i < c->nr; i++)
		if (c->list[i].depth)
			c->list[i].open = false;
	return show(c);
}

static bool alike(const struct calls *c, uint32_t line, const struct calls *other, uint32_t of)
{
	const uint32_t a = c->list[line].function, b = other->list[of].function;

	if (a >= c->event->index.used || b >= other->event->index.used)
		return a == b;
	return picture_same(&c->event->functions[a], &other->event->functions[b]);
}

static int open_alike(struct calls *c, uint32_t line, const struct calls *other, uint32_t of)
{
	const struct calls_line *o = &other->list[of];

	c->list[line].open = false;
	if (!o->open)
		return 0;
	if (open_line(c, line))
		return -1;
	for (uint32_t i = c->list[line].first; i < c->list[line].first + c->list[line].nr; i++)
		for (uint32_t n = o->first; n < o->first + o->nr; n++)
			if (alike(c, i, other, n) && open_alike(c, i, other, n))
				return -1;
	return 0;
}

int calls_open_like(struct calls *c, const struct calls *other)
{
	for (uint32_t i = 0; i < c->nr && !c->list[i].depth; i++)
		for (uint32_t n = 0; n < other->nr && !other->list[n].depth; n++)
			if (alike(c, i, other, n) && open_alike(c, i, other, n))
				return -1;
	return show(c);
}

/* The outermost calls of the function have all its samples. */
static int function_lines(struct calls *c, uint32_t function)
{
	const struct picture_event *e = c->event;

	if (!new_line(c, CALLS_CALLERS, 0, true) || !new_line(c, CALLS_CALLEES, 1, false))
		return -1;
	for (uint32_t n = 1; n < e->nr_nodes; n++)
		if (e->nodes[n].function == function && !e->nodes[n].inner &&
		    e->nodes[n].total.samples &&
		    (add_place(c, &c->list[0], n, n) || add_place(c, &c->list[1], n, n)))
			return -1;
	return open_line(c, 1) || open_line(c, 0) ? -1 : 0;
}

int calls_make(struct calls *c, const struct picture_event *event, uint32_t function)
{
	*c = (struct calls){ .event = event };
	c->met = calloc(event->index.used + 1, sizeof(*c->met));
	if (!c->met)
		return -1;
	if (function != PICTURE_ALL)
		return function_lines(c, function) ? -1 : show(c);
	if (!new_line(c, CALLS_CALLEES, 0, false) || add_place(c, &c->list[0], 0, 0) ||
	    open_line(c, 0))
		return -1;
	return show(c);
}

void calls_free(struct calls *c)
{
	for (size_t i = 0; i < c->nr; i++)
		free(c->list[i].places);
	free(c->list);
	free(c->shown);
	free(c->met);
	*c = (struct calls){ .event = NULL };
}
