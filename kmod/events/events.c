// SPDX-License-Identifier: GPL-2.0
/*
 * Places the events of a session on counters: which events are on which counters, and
 * which sets of events take turns.
 */
#include <linux/bits.h>
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/netlink.h>
#include <linux/string.h>
#include <asm/perf_event.h>

#include "base/extack.h"
#include "counters/counters.h"
#include "events/check.h"
#include "events/events.h"
#include "pmu/caps.h"

/* Whether two events need different values of one extra register. */
static bool ls_events_quarrel(const struct ls_event *a, const struct ls_event *b)
{
	return a->extra_msr && a->extra_msr == b->extra_msr &&
	       a->extra != b->extra;
}

/*
 * Chooses one of the free counters.  Events that only count prefer fixed counters, which
 * leaves more general ones for others.
 */
static u32 ls_events_prefer(const struct ls_event *event, u64 free)
{
	u64 fixed = free & ~(BIT_ULL(PMU_FIXED) - 1);
	u64 general = free & (BIT_ULL(PMU_FIXED) - 1);

	if (ls_event_samples(event))
		return __ffs64(general ?: fixed);
	return __ffs64(fixed ?: general);
}

static void ls_events_put(struct ls_event_set *set, const struct ls_event *event,
			  u32 index, u32 counter)
{
	u64 bits;

	set->slots[set->nr++] = (struct ls_event_slot){
		.event = index, .counter = counter };
	set->counters |= BIT_ULL(counter);
	if (event->config & ARCH_PERFMON_EVENTSEL_OS)
		set->of_kernel = true;
	if (counter < PMU_FIXED)
		return;
	bits = PMU_FIXED_PMI;
	if (event->config & ARCH_PERFMON_EVENTSEL_OS)
		bits |= PMU_FIXED_OS;
	if (event->config & ARCH_PERFMON_EVENTSEL_USR)
		bits |= PMU_FIXED_USR;
	set->fixed_ctrl |= bits << (counter - PMU_FIXED) * PMU_FIXED_BITS;
}

/* A placement of events, while it is being searched. */
#define EVENTS_NOBODY	U8_MAX
struct ls_events_seats {
	u8 event[64];	/* by counter, or EVENTS_NOBODY */
};

/*
 * Finds a counter for an event.  The event that has it now may have to move, and the one
 * that has that event's new counter as well, and so on.  Each counter in tried is visited
 * once, so that the recursion is no deeper than there are counters (bipartite matching
 * after Berge and Kuhn).
 */
static bool ls_events_seat(const struct ls_events *events, struct ls_events_seats *seats,
			   u32 index, u64 *tried)
{
	const struct ls_event *event = &events->list[index];
	u64 free;

	while ((free = event->counters & ~*tried)) {
		u32 counter = ls_events_prefer(event, free);

		*tried |= BIT_ULL(counter);
		if (seats->event[counter] != EVENTS_NOBODY &&
		    !ls_events_seat(events, seats, seats->event[counter], tried))
			continue;
		seats->event[counter] = index;
		return true;
	}
	return false;
}

/* Places all members beside the events of each set.  false: they do not fit. */
static bool ls_events_seat_all(const struct ls_events *events, u64 members,
			       struct ls_event_set *set)
{
	const struct ls_event_set *base = &events->base;
	struct ls_events_seats seats;
	u32 i;

	memset(&seats, EVENTS_NOBODY, sizeof(seats));
	for (i = 0; i < events->nr; i++) {
		u64 tried = base->counters;

		if (members & BIT_ULL(i) &&
		    !ls_events_seat(events, &seats, i, &tried))
			return false;
	}
	*set = *base;
	for (i = 0; i < ARRAY_SIZE(seats.event); i++)
		if (seats.event[i] != EVENTS_NOBODY)
			ls_events_put(set, &events->list[seats.event[i]],
				      seats.event[i], i);
	return true;
}

static bool ls_events_same_group(const struct ls_events *events, u32 a, u32 b)
{
	return a == b || (!ls_event_alone(&events->list[a]) &&
			  events->list[a].group == events->list[b].group);
}

static u64 ls_events_members(const struct ls_event_set *set)
{
	u64 members = 0;
	u32 i;

	for (i = 0; i < set->nr; i++)
		members |= BIT_ULL(set->slots[i].event);
	return members;
}

static bool ls_events_agree(const struct ls_events *events, u64 members)
{
	u32 i, j;

	for (i = 0; i < events->nr; i++)
		for (j = 0; j < i; j++)
			if (members & BIT_ULL(i) && members & BIT_ULL(j) &&
			    ls_events_quarrel(&events->list[i], &events->list[j]))
				return false;
	return true;
}

/*
 * Adds the whole group of an event to a set, or nothing.  Events of the set may move to
 * other counters, but not those that are in each set.
 */
static bool ls_events_add_group(const struct ls_events *events,
				struct ls_event_set *set, u32 first)
{
	u64 members = ls_events_members(set);
	u32 i;

	for (i = first; i < events->nr; i++)
		if (ls_events_same_group(events, first, i))
			members |= BIT_ULL(i);
	return ls_events_agree(events, members) &&
	       ls_events_seat_all(events,
				  members & ~ls_events_members(&events->base), set);
}

/* Whether it is the first of its group, which needs counters. */
static bool ls_events_is_first(const struct ls_events *events, u32 index)
{
	u32 i;

	if (events->list[index].clock)
		return false;
	for (i = 0; i < index; i++)
		if (ls_events_same_group(events, i, index))
			return false;
	return true;
}

static bool ls_events_group_samples(const struct ls_events *events, u32 first)
{
	u32 i;

	for (i = first; i < events->nr; i++)
		if (ls_events_same_group(events, first, i) &&
		    ls_event_samples(&events->list[i]))
			return true;
	return false;
}

/* Places the events with samples, and their groups: they are in each set. */
static int ls_events_place_sampling(struct ls_events *events, u32 *blame,
				    struct ls_extack *extack)
{
	u32 i;

	for (i = 0; i < events->nr; i++) {
		if (!ls_events_is_first(events, i) ||
		    !ls_events_group_samples(events, i) ||
		    ls_events_add_group(events, &events->sets[0], i))
			continue;
		*blame = i;
		ls_extack_set(extack, "not enough counters for this event and its group beside the events with samples before it, which do not take turns");
		return -ENOSPC;
	}
	events->nr_sets = 1;
	return 0;
}

/* Places the other events: each group in the first set that has room. */
static int ls_events_place_counting(struct ls_events *events, u32 *blame,
				    struct ls_extack *extack)
{
	u32 i, s;

	for (i = 0; i < events->nr; i++) {
		if (!ls_events_is_first(events, i) ||
		    ls_events_group_samples(events, i))
			continue;
		for (s = 0; s < events->nr_sets; s++)
			if (ls_events_add_group(events, &events->sets[s], i))
				break;
		if (s < events->nr_sets)
			continue;
		events->sets[s] = events->base;
		if (!ls_events_add_group(events, &events->sets[s], i)) {
			*blame = i;
			ls_extack_set(extack, "not enough counters for this event and its group at one time");
			return -ENOSPC;
		}
		events->nr_sets++;
	}
	return 0;
}

/* Gives the free counters of a set to events of other sets. */
static void ls_events_fill_up(struct ls_events *events)
{
	u32 i, s;

	for (s = 0; s < events->nr_sets; s++)
		for (i = 0; i < events->nr; i++)
			if (ls_events_is_first(events, i) &&
			    !(ls_events_members(&events->sets[s]) & BIT_ULL(i)))
				ls_events_add_group(events, &events->sets[s], i);
}

/*
 * Where the threads of a core share the extra registers, two values cannot take turns: the
 * turns of the threads are not synchronized.
 */
static int ls_events_check_shared(const struct ls_caps *caps, struct ls_events *events,
				  u32 *blame, struct ls_extack *extack)
{
	u32 i, j;

	if (events->nr_sets < 2)
		return 0;
	for (i = 0; i < events->nr; i++)
		for (j = 0; j < i; j++) {
			if (!events->list[i].extra_shared ||
			    !ls_events_quarrel(&events->list[i], &events->list[j]))
				continue;
			events->one_thread = true;
			if (caps->smt) {
				*blame = i;
				ls_extack_set(extack, "two events need different values of one register, which the threads of a core share: count them one after the other, or on one thread of each core (CPUS)");
				return -EOPNOTSUPP;
			}
		}
	return 0;
}

/* Links slots to events.  The events must not move in memory afterwards. */
static void ls_events_link(const struct ls_events *events, struct ls_event_set *set)
{
	u32 i;

	for (i = 0; i < set->nr; i++) {
		struct ls_event_slot *at = &set->slots[i];

		at->of = &events->list[at->event];
		at->msr = ls_pmu_register(at->counter);
		at->load = ls_pmu_load_mask(at->counter);
		at->state = offsetof(struct ls_event_owner, events) +
			    at->event * sizeof(struct ls_event_state);
		set->slot_at[at->counter] = (u8 *)at - (u8 *)set;
	}
}

static void ls_events_sum_up(struct ls_events *events)
{
	u32 i, j;

	for (i = 0; i < events->nr; i++) {
		struct ls_event *event = &events->list[i];

		/* The count of a clock is known anyway. */
		event->counted |= event->clock || !ls_event_samples(event);
		if (event->clock)
			events->clocks[events->nr_clocks++] = i;
		for (j = 0; j < events->nr; j++) {
			if (!ls_events_same_group(events, i, j))
				continue;
			event->members |= BIT_ULL(j);
			if (event->reads_group || event->only.wanted)
				events->list[j].counted = true;
		}
	}
	for (i = 0; i < events->nr; i++)
		events->timed |= events->list[i].counted ||
				 events->list[i].pace.frequency;
	for (i = 0; i < events->nr_sets; i++) {
		events->counters |= events->sets[i].counters;
		ls_events_link(events, &events->sets[i]);
	}
}

int ls_events_schedule(struct ls_events *events, const struct ls_caps *caps,
		       u32 *blame, struct ls_extack *extack)
{
	int err;
	u32 i;

	for (i = 0; i < events->nr; i++) {
		if (events->list[i].clock)
			continue;
		*blame = i;
		err = ls_events_check(caps, &events->list[i], extack);
		if (err)
			return err;
		events->one_thread |= events->list[i].one_thread;
	}
	err = ls_events_place_sampling(events, blame, extack);
	events->base = events->sets[0];
	if (!err)
		err = ls_events_place_counting(events, blame, extack);
	if (!err)
		err = ls_events_check_shared(caps, events, blame, extack);
	if (err)
		return err;
	ls_events_fill_up(events);
	ls_events_sum_up(events);
	return 0;
}
