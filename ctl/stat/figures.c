// SPDX-License-Identifier: GPL-2.0
/* Computes the figures beside counts. */
#include <linux/perf_event.h>
#include <math.h>
#include <stddef.h>

#include "stat/figures.h"

#define FIGURES_MODES	(EVENTS_SELECT_USR | EVENTS_SELECT_OS)

/* PERF_COUNT_HW_CACHE_*: the misses of a cache, and the accesses to it. */
#define MISSES(cache, op)	(PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_OP_##op << 8 | \
				 PERF_COUNT_HW_CACHE_RESULT_MISS << 16)
#define ACCESSES(cache, op)	(PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_OP_##op << 8)
#define CACHE_RATIO(cache, op, name)	\
	{ PERF_TYPE_HW_CACHE, MISSES(cache, op), ACCESSES(cache, op), 100, "% of " name }

static const struct figures_ratio {
	uint32_t type;		/* PERF_TYPE_* */
	uint64_t over, under;	/* PERF_COUNT_HW_* */
	double times;
	const char *unit;
} figures_ratios[] = {
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, PERF_COUNT_HW_CPU_CYCLES, 1,
	  "per cycle" },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 100,
	  "% of branches" },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, PERF_COUNT_HW_CACHE_REFERENCES, 100,
	  "% of cache-references" },
	CACHE_RATIO(L1D, READ, "L1-dcache-loads"),
	CACHE_RATIO(L1D, WRITE, "L1-dcache-stores"),
	CACHE_RATIO(L1I, READ, "L1-icache-loads"),
	CACHE_RATIO(LL, READ, "LLC-loads"),
	CACHE_RATIO(LL, WRITE, "LLC-stores"),
	CACHE_RATIO(DTLB, READ, "dTLB-loads"),
	CACHE_RATIO(DTLB, WRITE, "dTLB-stores"),
	CACHE_RATIO(ITLB, READ, "iTLB-loads"),
	CACHE_RATIO(BPU, READ, "branch-loads"),
};

/* For all other events that do not measure time. */
static const struct figures_ratio figures_others = {
	.type = PERF_TYPE_HARDWARE, .under = PERF_COUNT_HW_INSTRUCTIONS,
	.times = 1000, .unit = "per 1000 instructions"
};

static bool figures_is(const struct events_event *event, uint32_t type, uint64_t config)
{
	return event->perf_type == type && event->perf_config == config;
}

/* Whether the event says nothing per instruction: it measures time, or instructions. */
static bool figures_alone(const struct events_event *event)
{
	return figures_is(event, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES) ||
	       figures_is(event, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES) ||
	       figures_is(event, PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES) ||
	       figures_is(event, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
}

static bool figures_ratio(const struct eventlist *events, const double *counts, unsigned int i,
			  const struct figures_ratio *ratio, struct figure *figure)
{
	uint64_t select = events->list[i].event.select;

	for (unsigned int j = 0; j < events->nr; j++) {
		const struct events_event *under = &events->list[j].event;

		if (!figures_is(under, ratio->type, ratio->under) || !(counts[j] > 0) ||
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
		if (figures_is(event, figures_ratios[k].type, figures_ratios[k].over) &&
		    figures_ratio(events, counts, i, &figures_ratios[k], figure))
			return true;
	return !figures_alone(event) && figures_ratio(events, counts, i, &figures_others, figure);
}
