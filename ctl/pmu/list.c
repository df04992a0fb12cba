// SPDX-License-Identifier: GPL-2.0
/* The events of a session, in their groups. */
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "pmu/list.h"
#include "pmu/suggest.h"

/* Adds the event of len characters, with the modifiers of its group. */
static int eventlist_add(struct eventlist *list, const char *text, size_t len,
			 const char *modifiers, int group, char *why, size_t size)
{
	struct eventlist_event *e = &list->list[list->nr];
	char name[sizeof(e->event.name)], reason[384];

	if (list->nr == LBRSCOPE_EVENTS_MAX) {
		snprintf(why, size, "there are more than %d events",
			 LBRSCOPE_EVENTS_MAX);
		return -1;
	}
	if (snprintf(name, sizeof(name), "%.*s%s%s", (int)len, text,
		     *modifiers ? ":" : "", modifiers) >= (int)sizeof(name)) {
		snprintf(why, size, "event '%.*s': its name is too long",
			 (int)len, text);
		return -1;
	}
	*e = (struct eventlist_event){ .group = group };
	if (events_parse(name, &e->event, reason, sizeof(reason))) {
		snprintf(why, size, "event '%s': %s", name, reason);
		return -1;
	}
	if (e->event.software && !list->software) {
		snprintf(reason, sizeof(reason), "%.*s", (int)strcspn(name, ":"), name);
		snprintf(why, size, "event '%s': %s", name, events_of_perf(reason));
		return -1;
	}
	list->nr++;
	return 0;
}

/* Finds the modifiers behind a group's brace: up to a comma or the end, without S. */
static const char *eventlist_modifiers(const char *at, char *modifiers,
				       size_t size, bool *leads)
{
	size_t n = 0;

	*leads = false;
	modifiers[0] = '\0';
	if (*at != ':')
		return at;
	for (at++; *at && *at != ','; at++) {
		if (*at == 'S')
			*leads = true;
		else if (n + 1 < size)
			modifiers[n++] = *at;
	}
	modifiers[n] = '\0';
	return at;
}

/* Parses a group behind its opening brace; returns the rest of the text, or NULL. */
static const char *eventlist_group(struct eventlist *list, const char *at,
				   char *why, size_t size)
{
	const char *close = strchr(at, '}'), *end;
	unsigned int first = list->nr;
	char modifiers[8];
	bool leads;

	if (!close || memchr(at, '{', close - at)) {
		snprintf(why, size, "the group '{%s' has no closing brace", at);
		return NULL;
	}
	end = eventlist_modifiers(close + 1, modifiers, sizeof(modifiers),
				  &leads);
	if (*end && *end != ',') {
		snprintf(why, size, "'%s' follows a group; only a comma or modifiers can", end);
		return NULL;
	}
	while (at <= close) {
		size_t len = strcspn(at, ",}");

		if (eventlist_add(list, at, len, modifiers, first, why, size))
			return NULL;
		at += len + 1;
	}
	list->list[first].leads = leads;
	return end;
}

int eventlist_parse(struct eventlist *list, const char *text, char *why,
		    size_t size)
{
	const char *at = text;

	for (;;) {
		if (*at == '{') {
			at = eventlist_group(list, at + 1, why, size);
			if (!at)
				return -1;
		} else {
			size_t len = strcspn(at, ",");

			if (eventlist_add(list, at, len, "", -1, why, size))
				return -1;
			at += len;
		}
		if (!*at)
			return 0;
		at++;
	}
}

bool eventlist_samples(const struct eventlist *list, unsigned int i)
{
	int first = list->list[i].group;

	return first < 0 || first == (int)i || !list->list[first].leads;
}

void eventlist_warn_cores(const struct eventlist *list,
			  const struct control_info *info, const char *cpus)
{
	unsigned int i;

	if (info->nr_cores < 2 || cpus)
		return;
	for (i = 0; i < list->nr; i++) {
		if (list->list[i].event.perf_type != PERF_TYPE_RAW &&
		    list->list[i].event.perf_type != PERF_TYPE_HW_CACHE)
			continue;
		err_warn("the CPU has %u types of cores, and the code of '%s' may mean a "
			 "different event on each: select CPUs of one type with -C ('lbrctl "
			 "info' shows the types)", info->nr_cores,
			 list->list[i].event.name);
		return;
	}
}

int eventlist_check(const struct eventlist *list, const struct control_info *info,
		    bool everybody)
{
	unsigned int i;

	for (i = 0; i < list->nr; i++) {
		const struct events_event *e = &list->list[i].event;

		if ((e->clock || e->software) && list->list[i].group >= 0)
			return err_fail("event '%s' is on no counter, and in no group: name it "
					"outside of the braces", e->name);
		if (info->no_pmu[0] && !e->clock && !e->software)
			return err_fail("event '%s' takes a performance counter: %s; cpu-clock "
					"and task-clock take none", e->name, info->no_pmu);
		if (everybody && e->clock && e->perf_config == PERF_COUNT_SW_TASK_CLOCK)
			return err_fail("event '%s' is the time of tasks: with -a and -C use "
					"cpu-clock, the time of CPUs", e->name);
	}
	return 0;
}

unsigned int eventlist_ask(const struct eventlist *list, struct control_event *events)
{
	unsigned int at[LBRSCOPE_EVENTS_MAX], nr = 0, i;

	for (i = 0; i < list->nr; i++) {
		const struct eventlist_event *e = &list->list[i];

		if (e->event.software)
			continue;
		at[i] = nr;
		events[nr++] = (struct control_event){
			.config = e->event.select,
			.clock = e->event.clock,
			.grouped = e->group >= 0,
			.group = e->group >= 0 ? at[e->group] : 0,
			.counters = e->event.counters,
			.has_extra = e->event.has_extra,
			.extra = e->event.extra,
			.read_group = e->leads,
			.only = e->only,
		};
	}
	return nr;
}

bool eventlist_needs_pmu(const struct eventlist *list)
{
	unsigned int i;

	for (i = 0; i < list->nr; i++)
		if (!list->list[i].event.clock && !list->list[i].event.software)
			return true;
	return false;
}

uint64_t eventlist_clock_period(uint64_t period, uint32_t frequency)
{
	return period || !frequency ? period : 1000000000ULL / frequency;
}

void eventlist_only_user(struct eventlist *list)
{
	unsigned int i;

	for (i = 0; i < list->nr; i++)
		events_only_user(&list->list[i].event);
}
