/* SPDX-License-Identifier: GPL-2.0 */
/* Sums over the statistics of a session. */
#ifndef LBRCTL_MODULE_STATS_H
#define LBRCTL_MODULE_STATS_H

#include "module/netlink.h"

/* Samples lost, over all causes. */
uint64_t stats_lost(const struct control_stats *stats);

/* Samples and times off the CPU that are missing from a file, except those that a flight
 * recorder drops by design. */
uint64_t stats_missing(const struct control_stats *stats);
uint64_t stats_offcpu_missing(const struct control_stats *stats);

/* Warns about tasks that the user may not measure. */
void stats_warn_hidden(const struct control_stats *stats);

#endif
