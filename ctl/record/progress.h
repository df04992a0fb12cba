/* SPDX-License-Identifier: GPL-2.0 */
/* Prints a line of progress on a terminal. */
#ifndef LBRCTL_RECORD_PROGRESS_H
#define LBRCTL_RECORD_PROGRESS_H

#include <stdbool.h>

#include "module/netlink.h"

/* The line that shows the progress of a recording on a terminal. */
struct progress {
	bool shown;		/* stderr is a terminal */
	uint64_t started, next;	/* ns */
	uint64_t samples, time;	/* as of the last time that the line was written */
};

void progress_start(struct progress *progress, uint64_t now);

/* Whether the line was last written at least a second ago. */
bool progress_due(const struct progress *progress, uint64_t now);

/* Writes the line. */
void progress_show(struct progress *progress, const struct control_stats *stats,
		   uint64_t now);

/* Clears the line. */
void progress_end(struct progress *progress);

#endif
