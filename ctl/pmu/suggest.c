// SPDX-License-Identifier: GPL-2.0
/* Names events that are similar to a misspelled one. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "pmu/libpfm.h"
#include "pmu/suggest.h"

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

struct near_search {
	const char *name;
	unsigned int most;
	struct near best[NEAR_NR];
};

static bool near_event(void *ctx, const pfm_pmu_info_t *pmu,
		       const pfm_event_info_t *event)
{
	struct near_search *s = ctx;
	unsigned int distance = near_distance(s->name, event->name);

	(void)pmu;
	if (distance <= s->most)
		near_keep(s->best, event->name, distance);
	return false;
}

void events_near(const char *name, char *out, size_t size)
{
	struct near_search search = {};
	struct near *best = search.best;
	char event[NEAR_MAX_LEN + 1];
	size_t len;
	int i;

	/* Compares the name without a unit mask or modifier: those are looked up only once the
	 * event is found. */
	snprintf(event, sizeof(event), "%.*s", (int)strcspn(name, ":"), name);
	out[0] = '\0';
	search.name = event;
	search.most = strlen(event) / 3 + 1;
	events_each(near_event, &search);
	for (i = 0; i < NEAR_NR && best[i].name; i++) {
		len = strlen(out);
		snprintf(out + len, size - len, "%s%s", i ? ", " : "",
			 best[i].name);
	}
}
