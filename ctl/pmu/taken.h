/* SPDX-License-Identifier: GPL-2.0 */
/* Chooses the event by which branch histories are sampled for compilers. */
#ifndef LBRCTL_PMU_TAKEN_H
#define LBRCTL_PMU_TAKEN_H

#include "module/netlink.h"

struct taken_event {
	const char *name;	/* as events_parse() takes it, for user mode */
	const char *why;
};

/*
 * A history before each Nth taken branch shows each taken branch of the program equally often.
 * By other events, branches before slow code, or code with many branches that are not taken, are
 * seen more often.
 */
struct taken_event taken_event(const struct control_info *info);

#endif
