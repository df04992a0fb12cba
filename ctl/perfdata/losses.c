// SPDX-License-Identifier: GPL-2.0
/* The causes of losses in words. */
#include <inttypes.h>
#include <stdio.h>

#include "perfdata/losses.h"

static const struct {
	const char *name, *reason, *remedy;
} causes[LOSSES_NR] = {
	[LOSSES_RING_FULL] = { "ring full", "the buffer was full",
			       "a larger one (-m) or a lower rate (-F, -c) helps" },
	[LOSSES_THROTTLED] = { "throttled", "a trigger fired within another one", "" },
	[LOSSES_PMU_TAKEN] = { "PMU taken", "another user took the counters",
			       "'lbrctl doctor' names the users" },
	[LOSSES_TOO_LARGE] = { "too large", "samples did not fit the buffer", "a larger one (-m) helps" },
	[LOSSES_STOPPED] = { "stopped", "they fell due at context switches", "" },
	[LOSSES_OVERWRITTEN] = { "overwritten", "later samples took their room in the buffer",
				 "a larger one (-m) keeps more" },
	[LOSSES_FROZEN] = { "frozen", "they fell due while the buffer was written to a file", "" },
	[LOSSES_PMI_MISSED] = { "PMI missed", "their interrupts did not come", "" },
	[LOSSES_TIMER_LATE] = { "timer late", "interrupts were off, or a hypervisor had the CPU",
				"a lower rate (-F) helps" },
	[LOSSES_DISK_FULL] = { "disk full", "the disk was full", "" },
};

const char *losses_name(enum losses_cause cause)
{
	return causes[cause].name;
}

const char *losses_reason(enum losses_cause cause)
{
	return causes[cause].reason;
}

const char *losses_remedy(enum losses_cause cause)
{
	return causes[cause].remedy;
}

void losses_text(const struct losses *losses, char text[LOSSES_TEXT])
{
	int at = 0;

	*text = '\0';
	for (int i = 0; i < LOSSES_NR && at < LOSSES_TEXT; i++)
		if (losses->samples[i])
			at += snprintf(text + at, LOSSES_TEXT - at, "%s%s %" PRIu64, at ? ", " : " (",
				       causes[i].name, losses->samples[i]);
	if (at && at < LOSSES_TEXT)
		snprintf(text + at, LOSSES_TEXT - at, ")");
}
