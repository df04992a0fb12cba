/* SPDX-License-Identifier: GPL-2.0 */
/* Places the events of a session where the cores differ. */
#ifndef LBRSCOPE_CORES_H
#define LBRSCOPE_CORES_H

struct cpumask;
struct ls_events;
struct ls_extack;

/*
 * Finds counters for the events that all of these CPUs have; cpus: NULL for all.  If some
 * types of cores cannot count them and others can, the refusal names their CPUs.
 * Returns: 0; -ENOMEM; or as ls_events_schedule(), with the reason in extack and the event
 * that caused it in events->blame.
 */
int ls_cores_schedule(struct ls_events *events, const struct cpumask *cpus,
		      struct ls_extack *extack);

#endif
