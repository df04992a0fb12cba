// SPDX-License-Identifier: GPL-2.0
/* Finds the name of libpfm4 for an event select. */
#include <perfmon/pfmlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pmu/event.h"
#include "pmu/libpfm.h"
#include "pmu/name.h"

#define NAME_CODE	(EVENTS_SELECT_CODE | EVENTS_SELECT_HIGH)
#define NAME_EVENT	(NAME_CODE | EVENTS_SELECT_EDGE | EVENTS_SELECT_INV | \
			 EVENTS_SELECT_CMASK)

struct search {
	uint64_t select;
	char *name;		/* "" until one is found */
	size_t size;
};

/* Stores a name if it has the wanted event select. Returns whether no better one is possible. */
static bool name_try(struct search *s, const char *name)
{
	pfm_pmu_encode_arg_t arg = { .size = sizeof(arg) };
	uint64_t code;

	if (pfm_get_os_event_encoding(name, PFM_PLM0 | PFM_PLM3, PFM_OS_NONE,
				      &arg) != PFM_SUCCESS)
		return false;
	code = arg.codes[0] & NAME_EVENT;
	free(arg.codes);
	if (code != (s->select & NAME_EVENT) &&
	    (s->name[0] || code != (s->select & NAME_CODE)))
		return false;
	/* Skips the name of the PMU at the beginning. */
	snprintf(s->name, s->size, "%s", strstr(name, "::") + 2);
	return code == (s->select & NAME_EVENT);
}

struct name_of {
	struct search *search;
	const char *pmu, *event;
	bool umasks;
};

static bool name_umask(void *ctx, const pfm_event_attr_info_t *umask)
{
	struct name_of *of = ctx;
	char name[256];

	of->umasks = true;
	snprintf(name, sizeof(name), "%s::%s:%s", of->pmu, of->event,
		 umask->name);
	return name_try(of->search, name);
}

static bool name_event(void *ctx, const pfm_pmu_info_t *pmu,
		       const pfm_event_info_t *event)
{
	struct search *s = ctx;
	struct name_of of = { s, pmu->name, event->name, false };
	char name[256];

	if ((event->code & 0xff) != (s->select & 0xff))
		return false;
	if (events_each_umask(event, name_umask, &of))
		return true;
	snprintf(name, sizeof(name), "%s::%s", pmu->name, event->name);
	return !of.umasks && name_try(s, name);
}

bool events_name(uint64_t select, char *name, size_t size)
{
	struct search s = { select, name, size };

	name[0] = '\0';
	return events_each(name_event, &s) || name[0];
}
