/* SPDX-License-Identifier: GPL-2.0 */
/* The events of a session, in their groups. */
#ifndef LBRCTL_PMU_LIST_H
#define LBRCTL_PMU_LIST_H

#include <linux/lbrscope.h>
#include <stdbool.h>
#include <stddef.h>

#include "module/netlink.h"
#include "pmu/event.h"

/* An event of the list. */
struct eventlist_event {
	struct events_event event;
	int group;		/* index of the first event of its group, -1: alone */
	bool leads;		/* its samples have the counts of the group, whose other members
				 * have no samples: {...}:S
				 */
	struct control_only only;	/* which of its samples are kept */
};

struct eventlist {
	unsigned int nr;
	struct eventlist_event list[LBRSCOPE_EVENTS_MAX];
	bool software;		/* may have events that Linux counts */
};

/*
 * Appends the events of text, in the syntax of -e: separated by commas; a group, whose events
 * are counted together, in braces, {a,b}, with modifiers behind them for all, {a,b}:u, and S
 * among these for sampling by the first. Returns 0, or -1 with one sentence in why that names
 * the event.
 */
int eventlist_parse(struct eventlist *list, const char *text, char *why,
		    size_t size);

/* Whether event i has its own samples, if the list is sampled. */
bool eventlist_samples(const struct eventlist *list, unsigned int i);

/* Whether an event of the list needs a performance counter. */
bool eventlist_needs_pmu(const struct eventlist *list);

/* Returns the period of a clock in ns, from its period or, if that is 0, its frequency; 0 if both
 * are 0, as where no event is sampled (-e dummy). */
uint64_t eventlist_clock_period(uint64_t period, uint32_t frequency);

/* For unprivileged users: events of both modes become user-mode events. */
void eventlist_only_user(struct eventlist *list);

/* On a CPU with several types of cores, raw codes and libpfm4's names belong to one type.
 * Warns if all CPUs are measured (cpus is NULL). */
void eventlist_warn_cores(const struct eventlist *list,
			  const struct control_info *info, const char *cpus);

/* Refuses clocks and software events in a group, and events that this machine or the workload does not support:
 * events on counters without a PMU, and task-clock of all CPUs (everybody). Returns 0, or -1
 * with a message. */
int eventlist_check(const struct eventlist *list, const struct control_info *info,
		    bool everybody);

/* Fills in the request to the module, without sampling and without software events. Returns the number
 * of its events. */
unsigned int eventlist_ask(const struct eventlist *list, struct control_event *events);

#endif
