/* SPDX-License-Identifier: GPL-2.0 */
/* The losses of a session by their causes. */
#ifndef LBRCTL_RECORD_LOSSES_OF_H
#define LBRCTL_RECORD_LOSSES_OF_H

#include "module/netlink.h"
#include "perfdata/losses.h"
#include "pmu/list.h"

/* unwritten: samples for which the disk had no room. */
struct losses losses_of(const struct control_stats *stats, const struct eventlist *events,
			uint64_t unwritten);

#endif
