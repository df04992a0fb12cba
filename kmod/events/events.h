/* SPDX-License-Identifier: GPL-2.0 */
/* The events of a session, and the sets of them that take turns on the counters. */
#ifndef LBRSCOPE_EVENTS_H
#define LBRSCOPE_EVENTS_H

#include <linux/types.h>
#include <asm/perf_event.h>

#include <linux/lbrscope.h>
#include <linux/lbrscope_ring.h>

#include "counters/pace.h"
#include "pmu/pmu.h"

struct ls_caps;
struct ls_extack;

/*
 * The samples that are kept, by the ratio of two counts: LBRSCOPE_EVENT_A_ONLY_*, see only.c.
 */
struct ls_only {
	bool wanted;	/* false: all are kept */
	u32 over, under;	/* events of the group */
	u64 above, below;	/* millionths; below: U64_MAX: no limit */
};

/*
 * One event of a session.  The first part is the request of SESSION_SET;
 * ls_events_schedule() and ls_sample_prepare() fill in the rest.
 */
struct ls_event {
	u64 config;	/* as LBRSCOPE_EVENT_A_CONFIG */
	u64 counters;	/* counters that may count it, as bits; 0: any that can */
	u64 extra;	/* value of its extra register, see extra_msr */
	struct ls_pace_config pace;	/* all 0: counts only */
	u32 group;	/* LBRSCOPE_EVENT_A_GROUP, or GROUP_ALONE */
	bool clock;	/* LBRSCOPE_SOURCE_CLOCK: on no counter, its events are ns */
	bool has_extra;
	bool reads_group;	/* its samples hold the group's counts */
	struct ls_only only;
	/* Its samples: see ls_sample_prepare(). */
	u16 format;
	u32 plain;		/* enum ls_event_plain */
	u32 branches;		/* most entries of the branch records in a plain sample */
	struct lbrscope_record rec;	/* header of a plain sample */

	u32 extra_msr;	/* its extra register; 0: none */
	u32 least, grain;	/* see struct ls_limits */
	bool extra_shared;	/* see struct ls_limits */
	bool one_thread;	/* see struct ls_limits */
	u64 members;	/* its group with itself, bit n: event n */
	bool freezes;	/* each sample freezes the rings: see trigger.c */
	bool counted;	/* its count is kept and can be asked for */
};

#define EVENTS_ALONE	U32_MAX		/* group of an event that has none */

/*
 * What the plain samples of an event consist of, and what is checked for each sample; 0:
 * the event has none.  Plain samples interrupt user mode (ls_sample_plainly()).
 */
enum ls_event_plain {
	EVENT_PLAIN		= 1 << 0,
	EVENT_PLAIN_VARIES	= 1 << 1,	/* periods differ: each sample states its own */
	EVENT_PLAIN_SELECTS	= 1 << 2,	/* not those that carry the stack */
	EVENT_PLAIN_BRANCHES	= 1 << 3,	/* not while they belong to another task */
	EVENT_PLAIN_CALLS	= 1 << 4,	/* the branches: FROM and TO of open calls, */
	EVENT_PLAIN_CALLERS	= 1 << 5,	/* FROM alone, or else a history */
};

/* An event on a counter, with what follows from both, precomputed for the NMI. */
struct ls_event_slot {
	u8 event;	/* index in struct ls_events */
	u8 counter;	/* bit of its counter in the global registers */
	u16 state;	/* place of the event's state in struct ls_event_owner, bytes */
	u32 msr;	/* the counter's register */
	u64 load;	/* the bits of a value that a write to the register takes */
	const struct ls_event *of;
};

/* Events that are on counters at the same time. */
struct ls_event_set {
	u32 nr;
	struct ls_event_slot slots[PMU_COUNTERS_MAX];	/* in the order of counters */
	u16 slot_at[PMU_FIXED + PMU_FIXED_MAX];	/* place in here, bytes, by counter */
	u64 counters;	/* their bits in the global registers */
	u64 fixed_ctrl;	/* IA32_FIXED_CTR_CTRL */
	bool of_kernel;	/* one of them counts in ring 0, and so in the NMI */
};

/*
 * The events of a session; constant after SESSION_SET.  Events with samples are in every
 * set, on the same counter: off its counter an event would miss samples.  The others
 * take turns if there are too few counters, some of them more often than others.
 */
struct ls_events {
	u32 nr, nr_sets;
	u32 blame;	/* the event that caused a refusal, or EVENTS_ALONE */
	bool timed;	/* an event's frequency, or its count, needs the time */
	bool one_thread;	/* not on two threads of one core: START checks */
	u64 counters;	/* all counters of all sets */
	u32 nr_clocks;
	u8 clocks[LBRSCOPE_EVENTS_MAX];	/* indices of the clock events */
	struct ls_event list[LBRSCOPE_EVENTS_MAX];
	struct ls_event_set base;	/* events with samples: part of each set */
	struct ls_event_set sets[LBRSCOPE_EVENTS_MAX];
};

/* Returns the slot of a counter that is in use. */
static __always_inline const struct ls_event_slot *ls_event_slot(const struct ls_event_set *set,
								 unsigned long counter)
{
	return (const void *)set + set->slot_at[counter];
}

static inline bool ls_event_samples(const struct ls_event *event)
{
	return event->pace.period || event->pace.frequency;
}

/* The levels that its config asks for. */
static inline bool ls_event_of_user(const struct ls_event *event)
{
	return event->config & ARCH_PERFMON_EVENTSEL_USR;
}

static inline bool ls_event_of_kernel(const struct ls_event *event)
{
	return event->config & ARCH_PERFMON_EVENTSEL_OS;
}

static inline bool ls_event_alone(const struct ls_event *event)
{
	return event->group == EVENTS_ALONE;
}

/*
 * Finds counters for all events on CPUs with these capabilities.
 * Returns: 0; or -EOPNOTSUPP, -ENOSPC or -EINVAL, with the reason in extack and the event
 * that caused it in *blame.
 */
int ls_events_schedule(struct ls_events *events, const struct ls_caps *caps,
		       u32 *blame, struct ls_extack *extack);

#endif
