/* SPDX-License-Identifier: GPL-2.0 */
/* perf's own names of events, which each CPU counts by a code of its own. */
#ifndef LBRCTL_PMU_GENERIC_H
#define LBRCTL_PMU_GENERIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct generic {
	uint64_t code;		/* umask and event select; 0: this CPU does not count the event */
	uint64_t extra;		/* as LBRSCOPE_EVENT_A_EXTRA; 0: the event needs none */
	uint32_t perf_type;	/* PERF_TYPE_HARDWARE or PERF_TYPE_HW_CACHE */
	uint64_t perf_config;	/* PERF_COUNT_HW_*, or cache, operation and result */
};

/* Finds the event, without modifiers, on this CPU. Returns false if perf has no such name. */
bool generic_find(const char *name, struct generic *generic);

/* Returns the name of event i, counted from 0; NULL: there are no more. */
const char *generic_name(size_t i);

/* Whether this is AMD's CPU. */
bool generic_amd(void);

#endif
