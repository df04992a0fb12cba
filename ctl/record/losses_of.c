// SPDX-License-Identifier: GPL-2.0
/* Names the causes of a session's losses. */
#include "record/losses_of.h"

/* A clock has no PMI: its periods end while interrupts are off. */
static bool are_clocks(const struct eventlist *events)
{
	for (unsigned int i = 0; i < events->nr; i++)
		if (!events->list[i].event.clock)
			return false;
	return events->nr > 0;
}

struct losses losses_of(const struct control_stats *stats, const struct eventlist *events,
			uint64_t unwritten)
{
	static const enum losses_cause causes[LBRSCOPE_LOST_NR] = {
		[LBRSCOPE_LOST_RING_FULL] = LOSSES_RING_FULL,
		[LBRSCOPE_LOST_THROTTLED] = LOSSES_THROTTLED,
		[LBRSCOPE_LOST_PMU_TAKEN] = LOSSES_PMU_TAKEN,
		[LBRSCOPE_LOST_TOO_LARGE] = LOSSES_TOO_LARGE,
		[LBRSCOPE_LOST_STOPPED] = LOSSES_STOPPED,
		[LBRSCOPE_LOST_OVERWRITTEN] = LOSSES_OVERWRITTEN,
		[LBRSCOPE_LOST_FROZEN] = LOSSES_FROZEN,
		[LBRSCOPE_LOST_PMI_MISSED] = LOSSES_PMI_MISSED,
	};
	struct losses losses = { .known = true, .samples[LOSSES_DISK_FULL] = unwritten };

	for (int i = 0; i < LBRSCOPE_LOST_NR; i++)
		losses.samples[causes[i] == LOSSES_PMI_MISSED && are_clocks(events) ?
			       LOSSES_TIMER_LATE : causes[i]] = stats->lost[i];
	return losses;
}
