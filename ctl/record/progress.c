// SPDX-License-Identifier: GPL-2.0
/* Prints a line of progress on a terminal. */
#include <stdio.h>
#include <unistd.h>

#include "module/stats.h"
#include "record/progress.h"

#define PROGRESS_NS	1000000000ULL
#define PROGRESS_CLEAR	"\r\033[K"	/* back to the start of the line, and clear it */

void progress_start(struct progress *p, uint64_t now)
{
	*p = (struct progress){
		.shown = isatty(STDERR_FILENO),
		.started = now, .time = now, .next = now + PROGRESS_NS,
	};
}

bool progress_due(const struct progress *p, uint64_t now)
{
	return p->shown && now >= p->next;
}

void progress_show(struct progress *p, const struct control_stats *stats,
		   uint64_t now)
{
	double seconds = (now - p->time) * 1e-9;
	uint64_t cost = stats->cost_nmi + stats->cost_switch;

	fprintf(stderr, PROGRESS_CLEAR "%.0f s, %llu samples, %.0f/s, %llu lost, overhead %.2f %%",
		(now - p->started) * 1e-9,
		(unsigned long long)stats->produced,
		(stats->produced - p->samples) / seconds,
		(unsigned long long)stats_lost(stats),
		stats->cost_time ? 100.0 * cost / stats->cost_time : 0);
	fflush(stderr);
	p->samples = stats->produced;
	p->time = now;
	p->next = now + PROGRESS_NS;
}

void progress_end(struct progress *p)
{
	if (p->shown)
		fputs(PROGRESS_CLEAR, stderr);
	p->shown = false;
}
