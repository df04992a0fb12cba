/* SPDX-License-Identifier: GPL-2.0 */
/* Why a recording lost samples, as the capture says it (PERFDATA_OWN). */
#ifndef LBRCTL_PERFDATA_LOSSES_H
#define LBRCTL_PERFDATA_LOSSES_H

#include <stdbool.h>
#include <stdint.h>

/* The numbers are those of the file: new causes follow at the end. lbrctl-record(8), Losses, says what
 * they mean. */
enum losses_cause {
	LOSSES_RING_FULL,
	LOSSES_THROTTLED,
	LOSSES_PMU_TAKEN,
	LOSSES_TOO_LARGE,
	LOSSES_STOPPED,
	LOSSES_OVERWRITTEN,
	LOSSES_FROZEN,
	LOSSES_PMI_MISSED,
	LOSSES_TIMER_LATE,
	LOSSES_DISK_FULL,
	LOSSES_NR
};

struct losses {
	bool known;			/* the capture says it */
	uint64_t samples[LOSSES_NR];	/* by cause */
};

/* Return "ring full"; the cause in a sentence, "the buffer was full"; and what helps, "": nothing does. */
const char *losses_name(enum losses_cause cause);
const char *losses_reason(enum losses_cause cause);
const char *losses_remedy(enum losses_cause cause);

/* Writes " (ring full 12, stopped 3)", or "" if nothing was lost. */
#define LOSSES_TEXT	256
void losses_text(const struct losses *losses, char text[LOSSES_TEXT]);

#endif
