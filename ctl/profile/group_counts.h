/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The counts of the events of a group from one sample to the next. Samples have the counts
 * since the start: the thread's, if threads inherit the event, else the CPU's. The first
 * sample of each is the base for the next ones.
 */
#ifndef LBRCTL_PROFILE_GROUP_COUNTS_H
#define LBRCTL_PROFILE_GROUP_COUNTS_H

#include "base/hash.h"
#include "profile/samples.h"

struct group_last;
struct group_id;

struct group {
	const struct perfdata_event *events;
	size_t nr;		/* number of events; 0: no sample has counts */
	uint64_t *counts;	/* by event, for the last sample */
	struct group_last *last;
	size_t max;
	struct hash index;
	struct group_id *ids;	/* ids of all events, in order */
	size_t nr_ids;
};

/* Prepares for the selected events. Returns 0, or -1 when memory is short; call group_free()
 * in both cases. */
int group_init(struct group *group, const struct samples *samples);
void group_free(struct group *group);

/* Adds the counts of a sample. Returns 0, or -1 when memory is short. */
int group_take(struct group *group, const struct perfdata_event *event,
	       const struct perfdata_sample *sample);

#endif
