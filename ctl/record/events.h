/* SPDX-License-Identifier: GPL-2.0 */
/* The events of a recording's file, and how their samples are written. */
#ifndef LBRCTL_RECORD_EVENTS_H
#define LBRCTL_RECORD_EVENTS_H

#include "base/cpulist.h"
#include "perfdata/write.h"
#include "record/encode.h"
#include "record/record.h"

struct record_events {
	/* Those of the session, by index, times off the CPU, the triggers, marks of the
	 * budget, and the sideband's. */
	struct perfdata_event list[LBRSCOPE_EVENTS_MAX + LBRSCOPE_TRIGGERS_MAX + 3];
	unsigned int nr;
	struct encode_format formats[LBRSCOPE_EVENTS_MAX];
	uint64_t ids[LBRSCOPE_EVENTS_MAX];	/* of formats[] */
	uint64_t *cpu_ids;		/* of events that have one for each CPU */
	unsigned int nr_cpu_ids;
	struct encode_format trigger_formats[LBRSCOPE_TRIGGERS_MAX];
	struct encode_format offcpu_format, budget_format;
};

/* All but the sideband's. What is made points into *events. branches: enum
 * lbrscope_branches; cpus: all that the session's may be of, NULL when they are of tasks,
 * and of what these fork. 0, or -1 with a message. */
int record_events_make(struct record_events *events,
		       const struct record_options *options,
		       const struct control_info *info, uint32_t branches,
		       const struct cpulist *cpus);
void record_events_free(struct record_events *events);

/* Adds the sideband's. */
void record_events_sideband(struct record_events *events,
			    const struct perf_event_attr *attr);

/* Whether samples of the kernel have its call chain. */
bool record_events_chain(const struct record_options *options,
			 uint32_t branches);

#endif
