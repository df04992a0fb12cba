// SPDX-License-Identifier: GPL-2.0
/* Conditions on samples: ratios of counts. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pmu/list.h"
#include "pmu/only.h"

#define ONLY_UNIT	1e6	/* limits are millionths */

struct only_text {
	char over[sizeof(((struct events_event *)NULL)->name)];
	char under[sizeof(((struct events_event *)NULL)->name)];
	bool below;
	uint64_t limit;		/* millionths */
};

/* Splits "over/under<number". */
static bool only_parse(const char *text, struct only_text *t)
{
	size_t ratio = strcspn(text, "<>"), over = strcspn(text, "/<>");
	const char *number = text + ratio + 1;
	double limit;
	char *end;

	if (!text[ratio] || !isdigit((unsigned char)*number))
		return false;
	limit = strtod(number, &end) * ONLY_UNIT;
	if (*end || !(limit >= 1 && limit <= LBRSCOPE_ONLY_MAX))
		return false;
	t->below = text[ratio] == '<';
	t->limit = llround(limit);
	if (!strncmp(text, "ipc", ratio) && ratio == 3) {
		strcpy(t->over, "instructions");
		strcpy(t->under, "cycles");
		return true;
	}
	if (!over || over + 1 >= ratio || over >= sizeof(t->over) ||
	    ratio - over - 1 >= sizeof(t->under))
		return false;
	snprintf(t->over, sizeof(t->over), "%.*s", (int)over, text);
	snprintf(t->under, sizeof(t->under), "%.*s", (int)(ratio - over - 1), text + over + 1);
	return true;
}

/* Whether the event has this name, with or without its modifiers. */
static bool only_named(const struct events_event *event, const char *name)
{
	size_t len = strlen(name);

	return !strncmp(event->name, name, len) && (!event->name[len] ||
		event->name[len] == ':' || event->name[len] == '@');
}

/* Returns the index of the event in the group of the first, or -1. */
static int only_find(const struct eventlist *list, const char *name)
{
	for (unsigned int i = 0; i < list->nr; i++)
		if (list->list[i].group == 0 && only_named(&list->list[i].event, name))
			return i;
	return -1;
}

/* Adds a counted event to the group, in the modes of the first event. Returns its index, or -1. */
static int only_add(struct eventlist *list, const char *name, char *why, size_t size)
{
	uint64_t select = list->list[0].event.select;
	const char *modes = !(select & EVENTS_SELECT_OS) ? ":u" :
			    !(select & EVENTS_SELECT_USR) ? ":k" : "";
	char text[sizeof(list->list[0].event.name) + sizeof(":u")];

	snprintf(text, sizeof(text), "%s%s", name, strpbrk(name, ":@") ? "" : modes);
	if (eventlist_parse(list, text, why, size))
		return -1;
	list->list[list->nr - 1].group = 0;
	return list->nr - 1;
}

int only_apply(struct eventlist *list, const char *text, char *why, size_t size)
{
	struct eventlist_event *first = &list->list[0];
	struct only_text t;
	int over, under;

	if (!only_parse(text, &t)) {
		snprintf(why, size, "use a ratio of two events and a limit from 0.000001 to "
			 "1000000, such as 'ipc<0.5' or 'cache-misses/instructions>0.01'");
		return -1;
	}
	if (first->event.clock) {
		snprintf(why, size, "'%s' is a clock, whose samples have no counts",
			 first->event.name);
		return -1;
	}
	if (list->nr == 1) {
		first->group = 0;
		first->leads = true;
		over = only_find(list, t.over);
		if (over < 0)
			over = only_add(list, t.over, why, size);
		under = over < 0 ? -1 : only_find(list, t.under);
		if (over >= 0 && under < 0)
			under = only_add(list, t.under, why, size);
		if (over < 0 || under < 0)
			return -1;
	} else {
		over = only_find(list, t.over);
		under = only_find(list, t.under);
	}
	if (over < 0 || under < 0 || over == under || !first->leads) {
		snprintf(why, size, "with several events, '%s' and '%s' are two events of the "
			 "first group, {...}:S, whose first event is sampled", t.over, t.under);
		return -1;
	}
	first->only = (struct control_only){
		.wanted = true, .over = over, .under = under,
		.above = t.below ? 0 : t.limit, .below = t.below ? t.limit : 0,
	};
	return 0;
}
