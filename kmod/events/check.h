/* SPDX-License-Identifier: GPL-2.0 */
/* Checks whether the CPUs count an event, and on which counters. */
#ifndef LBRSCOPE_EVENTS_CHECK_H
#define LBRSCOPE_EVENTS_CHECK_H

struct ls_caps;
struct ls_event;
struct ls_extack;

/*
 * Fills in the counters that can count the event on CPUs with these capabilities, and its
 * limits.
 * Returns: 0; or -EOPNOTSUPP or -EINVAL, with the reason in extack.
 */
int ls_events_check(const struct ls_caps *caps, struct ls_event *event,
		    struct ls_extack *extack);

#endif
