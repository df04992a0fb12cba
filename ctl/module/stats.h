/* SPDX-License-Identifier: GPL-2.0 */
/* What the statistics of a session come to. */
#ifndef LBRCTL_MODULE_STATS_H
#define LBRCTL_MODULE_STATS_H

#include "module/netlink.h"

/* Samples lost, over all causes. */
uint64_t stats_lost(const struct control_stats *stats);

/* Samples, and times off the CPU, that are missing from a file. Those that a flight
 * recorder drops on purpose do not count. */
uint64_t stats_missing(const struct control_stats *stats);
uint64_t stats_offcpu_missing(const struct control_stats *stats);

/* Warns if there were tasks that the caller has no right to measure. */
void stats_warn_hidden(const struct control_stats *stats);

#endif
