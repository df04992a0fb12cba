// SPDX-License-Identifier: GPL-2.0
/* Names events that are similar to a misspelled one. */
#include <stdio.h>
#include <string.h>

#include "base/near.h"
#include "pmu/generic.h"
#include "pmu/libpfm.h"
#include "pmu/suggest.h"

static bool near_event(void *near, const pfm_pmu_info_t *pmu,
		       const pfm_event_info_t *event)
{
	(void)pmu;
	near_offer(near, event->name);
	return false;
}

void events_near(const char *name, char *out, size_t size)
{
	char event[64];
	struct near near = { .word = event };

	/* Compares the name without a unit mask or modifier: those are looked up only once the
	 * event is found. */
	snprintf(event, sizeof(event), "%.*s", (int)strcspn(name, ":"), name);
	for (size_t i = 0; generic_name(i); i++)
		near_offer(&near, generic_name(i));
	events_each(near_event, &near);
	near_text(&near, "", out, size);
}
