// SPDX-License-Identifier: GPL-2.0
#include <perfmon/pfmlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "events.h"
#include "events_name.h"

#define NAME_CODE	(EVENTS_SELECT_CODE | EVENTS_SELECT_HIGH)
#define NAME_EVENT	(NAME_CODE | EVENTS_SELECT_EDGE | EVENTS_SELECT_INV | \
			 EVENTS_SELECT_CMASK)

struct search {
	uint64_t select;
	char *name;		/* "" until one is found */
	size_t size;
};

/* Takes a name if it means what is looked for. Returns whether none can be better. */
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
	/* Without the name of the PMU that it begins with. */
	snprintf(s->name, s->size, "%s", strstr(name, "::") + 2);
	return code == (s->select & NAME_EVENT);
}

static bool name_event(struct search *s, const char *pmu,
		       const pfm_event_info_t *event)
{
	pfm_event_attr_info_t attr;
	bool umasks = false;
	char name[256];
	int i;

	for (i = 0; i < event->nattrs; i++) {
		memset(&attr, 0, sizeof(attr));
		attr.size = sizeof(attr);
		if (pfm_get_event_attr_info(event->idx, i, PFM_OS_NONE,
					    &attr) != PFM_SUCCESS ||
		    attr.type != PFM_ATTR_UMASK)
			continue;
		umasks = true;
		snprintf(name, sizeof(name), "%s::%s:%s", pmu, event->name,
			 attr.name);
		if (name_try(s, name))
			return true;
	}
	snprintf(name, sizeof(name), "%s::%s", pmu, event->name);
	return !umasks && name_try(s, name);
}

static bool name_pmu(struct search *s, const pfm_pmu_info_t *pmu)
{
	pfm_event_info_t event;
	int e;

	for (e = pmu->first_event; e != -1; e = pfm_get_event_next(e)) {
		memset(&event, 0, sizeof(event));
		event.size = sizeof(event);
		if (pfm_get_event_info(e, PFM_OS_NONE, &event) == PFM_SUCCESS &&
		    (event.code & 0xff) == (s->select & 0xff) &&
		    name_event(s, pmu->name, &event))
			return true;
	}
	return false;
}

bool events_name(uint64_t select, char *name, size_t size)
{
	struct search s = { select, name, size };
	pfm_pmu_info_t pmu;
	int p;

	name[0] = '\0';
	if (pfm_initialize() != PFM_SUCCESS)
		return false;
	pfm_for_all_pmus(p) {
		memset(&pmu, 0, sizeof(pmu));
		pmu.size = sizeof(pmu);
		if (pfm_get_pmu_info(p, &pmu) == PFM_SUCCESS &&
		    pmu.is_present && pmu.type == PFM_PMU_TYPE_CORE &&
		    name_pmu(&s, &pmu))
			return true;
	}
	return name[0];
}
