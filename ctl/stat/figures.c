// SPDX-License-Identifier: GPL-2.0
/* Computes the figures beside counts. */
#include <linux/perf_event.h>
#include <math.h>
#include <stddef.h>

#include "stat/figures.h"

#define FIGURES_MODES	(EVENTS_SELECT_USR | EVENTS_SELECT_OS)

static const struct figures_ratio {
	uint64_t over, under;	/* PERF_COUNT_HW_* */
	double times;
	const char *unit;
} figures_ratios[] = {
	{ PERF_COUNT_HW_INSTRUCTIONS, PERF_COUNT_HW_CPU_CYCLES, 1, "per cycle" },
	{ PERF_COUNT_HW_BRANCH_MISSES, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 100, "% of branches" },
	{ PERF_COUNT_HW_CACHE_MISSES, PERF_COUNT_HW_CACHE_REFERENCES, 100,
	  "% of cache-references" },
};

/* For all other events that do not measure time. */
static const struct figures_ratio figures_others = {
	.under = PERF_COUNT_HW_INSTRUCTIONS, .times = 1000, .unit = "per 1000 instructions"
};

static bool figures_is(const struct events_event *event, uint64_t config)
{
	return event->perf_type == PERF_TYPE_HARDWARE && event->perf_config == config;
}

static bool figures_is_time(const struct events_event *event)
{
	return figures_is(event, PERF_COUNT_HW_CPU_CYCLES) ||
	       figures_is(event, PERF_COUNT_HW_BUS_CYCLES) ||
	       figures_is(event, PERF_COUNT_HW_REF_CPU_CYCLES);
}

static bool figures_ratio(const struct eventlist *events, const double *counts, unsigned int i,
			  const struct figures_ratio *ratio, struct figure *figure)
{
	uint64_t select = events->list[i].event.select;

	for (unsigned int j = 0; j < events->nr; j++) {
		const struct events_event *under = &events->list[j].event;

		if (!figures_is(under, ratio->under) || !(counts[j] > 0) ||
		    (under->select ^ select) & FIGURES_MODES)
			continue;
		*figure = (struct figure){ ratio->times * counts[i] / counts[j], ratio->unit };
		return true;
	}
	return false;
}

bool figures_of(const struct eventlist *events, const double *counts, unsigned int i,
		struct figure *figure)
{
	const struct events_event *event = &events->list[i].event;

	if (isnan(counts[i]))
		return false;
	for (size_t k = 0; k < sizeof(figures_ratios) / sizeof(*figures_ratios); k++)
		if (figures_is(event, figures_ratios[k].over) &&
		    figures_ratio(events, counts, i, &figures_ratios[k], figure))
			return true;
	return !figures_is_time(event) && !figures_is(event, PERF_COUNT_HW_INSTRUCTIONS) &&
	       figures_ratio(events, counts, i, &figures_others, figure);
}
