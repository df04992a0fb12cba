// SPDX-License-Identifier: GPL-2.0
/* The events, threads or verdicts to choose from. */
#include <inttypes.h>
#include <stdlib.h>

#include "browse/menu.h"

static int compare(const void *x, const void *y)
{
	const struct menu_item *a = x, *b = y;

	if (a->samples != b->samples)
		return a->samples > b->samples ? -1 : 1;
	return a->value < b->value ? -1 : a->value > b->value;
}

static void add(struct menu *m, uint32_t value, uint64_t samples)
{
	m->items[m->nr++] = (struct menu_item){ value, samples };
}

/* The items from `first` on are by number; leaves those with samples. */
static void sort(struct menu *m, size_t first)
{
	qsort(m->items + first, m->nr - first, sizeof(*m->items), compare);
	while (m->nr > first && !m->items[m->nr - 1].samples)
		m->nr--;
}

static void list_threads(struct menu *m, const struct picture_event *e)
{
	for (size_t i = 0; i < m->picture->index.used; i++)
		add(m, i, 0);
	for (size_t i = 0; i < e->nr_traces; i++)
		m->items[1 + e->traces[i].thread].samples += e->traces[i].weight.samples;
	sort(m, 1);
}

static void list_verdicts(struct menu *m, const struct picture_event *e)
{
	for (size_t i = 0; i < STACKS_NR_VERDICTS; i++)
		add(m, i, e->verdicts[i]);
	sort(m, 1);
}

int menu_make(struct menu *m, enum menu_kind kind, const struct picture *p, size_t event)
{
	menu_free(m);
	*m = (struct menu){ .kind = kind, .picture = p,
			    .items = calloc(p->nr_events + p->index.used + STACKS_NR_VERDICTS + 1,
					    sizeof(*m->items)) };
	if (!m->items)
		return -1;
	if (kind != MENU_EVENTS)
		add(m, PICTURE_ALL, p->events[event].samples);
	if (kind == MENU_THREADS)
		list_threads(m, &p->events[event]);
	else if (kind == MENU_VERDICTS)
		list_verdicts(m, &p->events[event]);
	else
		for (size_t i = 0; i < p->nr_events; i++)
			add(m, i, p->events[i].samples);
	return 0;
}

void menu_free(struct menu *m)
{
	free(m->items);
	m->items = NULL;
	m->nr = 0;
}

const char *menu_title(const struct menu *m)
{
	return m->kind == MENU_EVENTS ? "#  Samples  Event" :
	       m->kind == MENU_THREADS ? "#  Samples  Thread (process/thread id, name)" :
					 "#  Samples  Verdict on the stack";
}

void menu_line(const struct menu *m, size_t i, FILE *out)
{
	const struct menu_item *item = &m->items[i];

	fprintf(out, " %9" PRIu64 "  ", item->samples);
	if (item->value == PICTURE_ALL)
		fputs("all", out);
	else if (m->kind == MENU_EVENTS)
		fputs(m->picture->events[item->value].name, out);
	else if (m->kind == MENU_VERDICTS)
		fputs(stacks_verdict_name(item->value), out);
	else
		fprintf(out, "%" PRIu32 "/%" PRIu32 " %s", m->picture->threads[item->value].pid,
			m->picture->threads[item->value].tid,
			m->picture->threads[item->value].comm);
}
