// SPDX-License-Identifier: GPL-2.0
/* Functions that the forms of a report share. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/shortname.h"
#include "report/report.h"

struct share_sum report_all(const struct report *r)
{
	return report_sum(r->analysis->period_sum, r->analysis->squares_sum);
}

char *report_name(const char *name, bool full, size_t cells)
{
	const size_t size = 3 * strlen(name) + 4;
	char *text = malloc(size);

	if (!text)
		return NULL;
	if (full)
		return strcpy(text, name);
	shortname_without_arguments(name, text, size);
	if (cells)
		shortname_fit(text, cells);
	return text;
}

const char *report_object(const char *path)
{
	const char *base = strrchr(path, '/');

	return base && base[1] ? base + 1 : path;
}

char *report_cell(const struct analysis *a, const struct rows_row *row, enum rows_key key, bool full,
		  size_t room)
{
	const char *suffix = profile_kind_suffix(rows_kind(a->rows, row)), *text;
	char *name, *cell = NULL;

	if (rows_is_number(key)) {
		text = key == ROWS_CGROUP ?
		       samples_cgroup(a->samples, rows_number(a->rows, row, key)) : NULL;
		if (text)
			return strdup(text);
		return asprintf(&cell, "%" PRIu64, rows_number(a->rows, row, key)) < 0 ? NULL : cell;
	}
	text = rows_text(a->rows, row, key);
	if (key != ROWS_SYMBOL)
		return strdup(key == ROWS_OBJECT && !full ? report_object(text) : text);
	name = report_name(text, full, room ? room - strlen(suffix) : 0);
	if (name && asprintf(&cell, "%s%s", name, suffix) < 0)
		cell = NULL;
	free(name);
	return cell;
}

bool report_shows(const struct report *r, uint64_t period)
{
	return analysis_percent(r->analysis, period) >= r->limit;
}

/* Whether an event has this name, whatever its modifiers. */
static bool report_is(const char *event, const char *name)
{
	size_t len = strlen(name);

	return !strncmp(event, name, len) && (!event[len] || event[len] == ':');
}

static bool report_is_cycles(const char *event)
{
	return report_is(event, "cycles") || report_is(event, "cpu-cycles");
}

/* Finds the event among those with counts; SIZE_MAX: not found. */
static size_t report_find(const struct analysis *a, bool cycles)
{
	for (size_t i = 0; i < a->group->nr; i++) {
		const char *name = a->group->events[i].name;

		if (a->counts[i] && (cycles ? report_is_cycles(name) :
				     report_is(name, "instructions")))
			return i;
	}
	return SIZE_MAX;
}

size_t report_ratios(const struct analysis *a, struct report_ratio ratios[REPORT_RATIOS])
{
	size_t cycles = report_find(a, true), instructions = report_find(a, false);
	size_t nr = 0;

	if (cycles != SIZE_MAX && instructions != SIZE_MAX)
		ratios[nr++] = (struct report_ratio){
			"IPC", instructions, cycles, 1 };
	for (size_t i = 0; i < a->group->nr && nr < REPORT_RATIOS; i++) {
		const char *name = a->group->events[i].name;
		struct report_ratio *ratio = &ratios[nr];
		size_t len = strcspn(name, ":");

		if (!a->counts[i] || i == cycles || i == instructions ||
		    instructions == SIZE_MAX)
			continue;
		*ratio = (struct report_ratio){ .over = i, .under = instructions,
						.times = 1000 };
		snprintf(ratio->name, sizeof(ratio->name), "%.*s/ki",
			 len > 40 ? 40 : (int)len, name);
		nr++;
	}
	return nr;
}

double report_ratio(const struct report_ratio *ratio, const uint64_t *counts)
{
	if (!counts[ratio->under])
		return NAN;
	return ratio->times * counts[ratio->over] / counts[ratio->under];
}
