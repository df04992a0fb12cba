/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBRSCOPE_EVENTS_H
#define LBRSCOPE_EVENTS_H

#include <linux/types.h>

#include <linux/lbrscope.h>
#include <linux/lbrscope_ring.h>

#include "pace.h"
#include "pmu.h"

struct caps;
struct netlink_ext_ack;

/*
 * One event of a session, as SESSION_SET asked for it.  The first half is the
 * request; ls_events_schedule() fills in the rest.
 */
struct event {
	u64 config;	/* as LBRSCOPE_EVENT_A_CONFIG */
	u64 counters;	/* which may count it, by PMU_*; 0: whichever can */
	u64 extra;	/* for a register of its own, see extra_msr */
	struct pace_config pace;	/* all 0: counts only */
	u32 group;	/* LBRSCOPE_EVENT_A_GROUP, or GROUP_ALONE */
	bool has_extra;
	bool reads_group;	/* its samples hold the group's counts */
	/* Of its samples: see ls_sample_prepare(). */
	u16 format;
	u64 plain;		/* their period, if they have branches and nothing
				 * else, or EVENTS_NOT_PLAIN
				 */
	struct lbrscope_record rec;	/* of one that user mode was interrupted for */

	u32 extra_msr;	/* 0: none */
	u32 least, grain;	/* see struct limits */
	bool one_thread;	/* likewise */
	u64 members;	/* bit by event: its group, itself included */
	bool freezes;	/* the rings, with each sample: see trigger.c */
	bool counted;	/* its count is kept, and can be asked for */
};

#define EVENTS_ALONE	U32_MAX		/* group of an event that has none */
#define EVENTS_NOT_PLAIN U64_MAX	/* no period: that of what only counts is 0 */

/* An event on a counter; what can be told of both, so that the NMI need not. */
struct event_slot {
	u8 event;	/* index in struct events */
	u8 counter;	/* bit in the global registers */
	u32 msr;	/* its register, */
	u64 load;	/* and which bits of a value are written there */
	const struct event *of;
};

/* Events that are on the counters at the same time. */
struct event_set {
	u32 nr;
	struct event_slot slots[PMU_COUNTERS_MAX];	/* by counter */
	u8 slot_of[PMU_FIXED + PMU_FIXED_MAX];	/* of each counter that is used */
	u64 counters;	/* bits of these in the global registers */
	u64 fixed_ctrl;	/* IA32_FIXED_CTR_CTRL */
};

/*
 * Constant from SESSION_SET on.  Samples are missed by an event that is off its
 * counter, so events with samples are in each set, on the same counter; the
 * others take turns where there are too few, some more often than others.
 */
struct events {
	u32 nr, nr_sets;
	bool timed;	/* an event's frequency, or its count, needs the time */
	bool one_thread;	/* not on two threads of one core: START checks */
	u64 counters;	/* of all sets */
	struct event list[LBRSCOPE_EVENTS_MAX];
	struct event_set base;	/* what is in each set: those with samples */
	struct event_set sets[LBRSCOPE_EVENTS_MAX];
};

static inline bool ls_event_samples(const struct event *event)
{
	return event->pace.period || event->pace.frequency;
}

static inline bool ls_event_alone(const struct event *event)
{
	return event->group == EVENTS_ALONE;
}

/*
 * Finds a place for all of them, on CPUs that can do so much.  0, or -EOPNOTSUPP, -ENOSPC, -EINVAL with the reason in
 * extack and in *blame the event that it is about.
 */
int ls_events_schedule(struct events *events, const struct caps *caps,
		       u32 *blame, struct netlink_ext_ack *extack);

#endif
