/* SPDX-License-Identifier: GPL-2.0 */
/* The line of progress on a terminal. */
#ifndef LBRCTL_RECORD_PROGRESS_H
#define LBRCTL_RECORD_PROGRESS_H

#include <stdbool.h>

#include "module/netlink.h"

/* The line at the terminal that tells how a recording goes. */
struct progress {
	bool shown;		/* stderr is a terminal */
	uint64_t started, next;	/* ns */
	uint64_t samples, time;	/* when the line was written last */
};

void progress_start(struct progress *progress, uint64_t now);

/* Whether a second has gone by since the line was written. */
bool progress_due(const struct progress *progress, uint64_t now);

/* Writes it. */
void progress_show(struct progress *progress, const struct control_stats *stats,
		   uint64_t now);

/* Takes it away. */
void progress_end(struct progress *progress);

#endif
