/* SPDX-License-Identifier: GPL-2.0 */
/* The events for top-down analysis: how a CPU spent its pipeline slots. */
#ifndef LBRCTL_PMU_TOPDOWN_H
#define LBRCTL_PMU_TOPDOWN_H

#include "module/netlink.h"

/*
 * The use of a CPU's slots, each of which could have issued one operation in one cycle (Yasin,
 * "A Top-Down Method for Performance Analysis and Counters Architecture", ISPASS 2014; level
 * 1).
 */
enum topdown_share {
	TOPDOWN_RETIRING, TOPDOWN_BAD_SPECULATION, TOPDOWN_FRONTEND, TOPDOWN_BACKEND,
	TOPDOWN_SHARES
};

#define TOPDOWN_EVENTS	5

struct topdown {
	const char *events;	/* a group, in the syntax of -e */
	bool smt_shares;	/* the threads of a core share its slots */
	/* Computes the shares from the group's counts. */
	void (*shares)(const double *counts, double shares[TOPDOWN_SHARES]);
};

/* Returns the method for this CPU; NULL: its events are not known. */
const struct topdown *topdown_of(const struct control_info *info);

const char *topdown_name(enum topdown_share share);

#endif
