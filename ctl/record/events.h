/* SPDX-License-Identifier: GPL-2.0 */
/* The events of a recording's file, and how their samples are written. */
#ifndef LBRCTL_RECORD_EVENTS_H
#define LBRCTL_RECORD_EVENTS_H

#include "base/cpulist.h"
#include "perfdata/write.h"
#include "record/encode.h"
#include "record/record.h"

struct record_events {
	/* The session's events by index, times off the CPU, triggers, budget marks, and the
	 * sideband's event. */
	struct perfdata_event list[LBRSCOPE_EVENTS_MAX + LBRSCOPE_TRIGGERS_MAX + 3];
	unsigned int nr;
	struct encode_format formats[LBRSCOPE_EVENTS_MAX];
	uint64_t ids[LBRSCOPE_EVENTS_MAX];	/* for formats[] */
	uint64_t *cpu_ids;		/* ids of events that have one per CPU */
	unsigned int nr_cpu_ids;
	struct encode_format trigger_formats[LBRSCOPE_TRIGGERS_MAX];
	struct encode_format offcpu_format, budget_format;
};

/* Makes all events but the sideband's. They point into *events. branches: enum
 * lbrscope_branches; cpus: all CPUs that the session may sample, NULL if it samples tasks and
 * what they fork. Returns 0, or -1 with a message. */
int record_events_make(struct record_events *events,
		       const struct record_options *options,
		       const struct control_info *info, uint32_t branches,
		       const struct cpulist *cpus);
void record_events_free(struct record_events *events);

/* Adds the sideband's event. */
void record_events_sideband(struct record_events *events,
			    const struct perf_event_attr *attr);

/* Whether samples in the kernel have its call chain. */
bool record_events_chain(const struct record_options *options,
			 uint32_t branches);

#endif
