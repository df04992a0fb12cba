// SPDX-License-Identifier: GPL-2.0
/* Sums over the statistics of a session. */
#include "base/err.h"
#include "module/stats.h"

uint64_t stats_lost(const struct control_stats *stats)
{
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < LBRSCOPE_LOST_NR; i++)
		sum += stats->lost[i];
	return sum;
}

uint64_t stats_missing(const struct control_stats *stats)
{
	return stats_lost(stats) - stats->lost[LBRSCOPE_LOST_OVERWRITTEN] -
	       stats->lost[LBRSCOPE_LOST_FROZEN];
}

uint64_t stats_offcpu_missing(const struct control_stats *stats)
{
	return stats->offcpu[LBRSCOPE_OFFCPU_THROTTLED] +
	       stats->offcpu[LBRSCOPE_OFFCPU_RING_FULL];
}

void stats_warn_hidden(const struct control_stats *stats)
{
	if (stats->hidden)
		err_warn("%llu tasks were not measured, or not to their end: they have more "
			 "rights than you, for example set-uid programs",
			 (unsigned long long)stats->hidden);
}
