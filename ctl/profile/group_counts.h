/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the events of a group counted from one sample to the next. Samples carry the
 * counts since the start: of the thread, where the event is one that threads inherit,
 * else of the CPU. The first of each is what the next ones are counted from.
 */
#ifndef LBRCTL_PROFILE_GROUP_COUNTS_H
#define LBRCTL_PROFILE_GROUP_COUNTS_H

#include "base/hash.h"
#include "profile/samples.h"

struct group_last;
struct group_id;

struct group {
	const struct perfdata_event *events;
	size_t nr;		/* of events; 0: no sample carries counts */
	uint64_t *counts;	/* by event, of the sample taken last */
	struct group_last *last;
	size_t max;
	struct hash index;
	struct group_id *ids;	/* of all events, in order */
	size_t nr_ids;
};

/* Of the selected events. 0, or -1 when memory is short; group_free() in both cases. */
int group_init(struct group *group, const struct samples *samples);
void group_free(struct group *group);

/* Takes the sample's counts. 0, or -1 when memory is short. */
int group_take(struct group *group, const struct perfdata_event *event,
	       const struct perfdata_sample *sample);

#endif
