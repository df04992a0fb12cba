/* SPDX-License-Identifier: GPL-2.0 */
/* What all samples of a text have in common, which a capture says first. */
#ifndef LBRCTL_IMPORT_FACTS_H
#define LBRCTL_IMPORT_FACTS_H

#include "import/items.h"
#include "perfdata/event.h"

#define FACTS_EVENTS_MAX	512

struct facts {
	struct perfdata_event events[FACTS_EVENTS_MAX];	/* complete after facts_settle() */
	uint64_t ids[FACTS_EVENTS_MAX];
	unsigned int nr_events;
	uint64_t nr_samples, nr_branches;
	uint64_t first, last;		/* time, ns */
	uint32_t nr_cpus;		/* the largest number, + 1 */
	bool without_time, without_cpu, without_pid;	/* some samples */
};

/* Learns what a sample says. Returns 0, or -1 with a message. */
int facts_learn(struct facts *facts, const struct item *item);
/* Call it after the last item. */
void facts_settle(struct facts *facts);
/* Returns the number of the event, or -1. */
int facts_event(const struct facts *facts, const char *name);
void facts_free(struct facts *facts);

#endif
