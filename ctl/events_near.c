// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <perfmon/pfmlib.h>
#include <stdio.h>
#include <string.h>

#include "events_near.h"

#define NEAR_MAX_LEN	63
#define NEAR_NR		3

struct near {
	const char *name;
	unsigned int distance;
};

/* Edits (insert, drop, replace a letter) from a to b, letter case ignored. */
static unsigned int near_distance(const char *a, const char *b)
{
	unsigned char row[NEAR_MAX_LEN + 1];
	size_t lb = strnlen(b, NEAR_MAX_LEN), i, j;
	unsigned char diagonal, above, best;

	for (j = 0; j <= lb; j++)
		row[j] = j;
	for (i = 0; a[i] && i < NEAR_MAX_LEN; i++) {
		diagonal = row[0];
		row[0] = i + 1;
		for (j = 0; j < lb; j++) {
			above = row[j + 1];
			best = diagonal + (toupper((unsigned char)a[i]) !=
					   toupper((unsigned char)b[j]));
			if (above + 1 < best)
				best = above + 1;
			if (row[j] + 1 < best)
				best = row[j] + 1;
			row[j + 1] = best;
			diagonal = above;
		}
	}
	return row[lb];
}

static void near_keep(struct near *best, const char *name, unsigned int distance)
{
	unsigned int i, j;

	for (i = 0; i < NEAR_NR; i++)
		if (best[i].name && !strcmp(best[i].name, name))
			return;
	for (i = 0; i < NEAR_NR; i++)
		if (!best[i].name || distance < best[i].distance)
			break;
	if (i == NEAR_NR)
		return;
	for (j = NEAR_NR - 1; j > i; j--)
		best[j] = best[j - 1];
	best[i] = (struct near){ name, distance };
}

static void near_scan(const char *name, struct near *best)
{
	pfm_event_info_t info;
	unsigned int distance, most = strlen(name) / 3 + 1;
	pfm_pmu_info_t pmu;
	int p, e;

	pfm_for_all_pmus(p) {
		memset(&pmu, 0, sizeof(pmu));
		pmu.size = sizeof(pmu);
		/* Only the core PMU of this CPU has events to sample on. */
		if (pfm_get_pmu_info(p, &pmu) != PFM_SUCCESS ||
		    !pmu.is_present || pmu.type != PFM_PMU_TYPE_CORE)
			continue;
		for (e = pmu.first_event; e != -1; e = pfm_get_event_next(e)) {
			memset(&info, 0, sizeof(info));
			info.size = sizeof(info);
			if (pfm_get_event_info(e, PFM_OS_NONE, &info) !=
			    PFM_SUCCESS)
				continue;
			distance = near_distance(name, info.name);
			if (distance <= most)
				near_keep(best, info.name, distance);
		}
	}
}

void events_near(const char *name, char *out, size_t size)
{
	struct near best[NEAR_NR] = {};
	char event[NEAR_MAX_LEN + 1];
	size_t len;
	int i;

	/* The name without a unit mask or modifier: those are looked up only
	 * once the event is found. */
	snprintf(event, sizeof(event), "%.*s", (int)strcspn(name, ":"), name);
	out[0] = '\0';
	near_scan(event, best);
	for (i = 0; i < NEAR_NR && best[i].name; i++) {
		len = strlen(out);
		snprintf(out + len, size - len, "%s%s", i ? ", " : "",
			 best[i].name);
	}
}
