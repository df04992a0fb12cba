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

#include "caps.h"
#include "events.h"
#include "extack.h"
#include "limits.h"

#define EVENTS_CODE	(ARCH_PERFMON_EVENTSEL_EVENT | ARCH_PERFMON_EVENTSEL_UMASK)
#define EVENTS_RINGS	(ARCH_PERFMON_EVENTSEL_USR | ARCH_PERFMON_EVENTSEL_OS)

/*
 * What Intel's fixed counters count (SDM vol. 3 "Fixed-Function Performance
 * Counters"), by the code that Linux's perf has for it.  Event select 0 stands for a
 * fixed counter alone: no general counter counts it.
 */
static const struct {
	u16 code;
	u8 counter;
} events_fixed[] = {
	{ 0x00c0, 0 },	/* INST_RETIRED.ANY */
	{ 0x003c, 1 },	/* CPU_CLK_UNHALTED.THREAD */
	{ 0x0100, 0 },	/* INST_RETIRED.ANY */
	{ 0x0200, 1 },	/* CPU_CLK_UNHALTED.THREAD */
	{ 0x0300, 2 },	/* CPU_CLK_UNHALTED.REF_TSC */
	{ 0x0400, 3 },	/* TOPDOWN.SLOTS */
};

/*
 * Events with an extra register, on CPUs that limits.c does not know: SDM vol. 3
 * "Off-core Response Performance Monitoring" and "Front-end Event"; the codes are those
 * of intel_*_extra_regs in arch/x86/events/intel/core.c.
 */
static const struct {
	u16 code;
	u32 msr;
} events_extra[] = {
	{ 0x01b7, CAPS_MSR_OFFCORE_0 },
	{ 0x01bb, CAPS_MSR_OFFCORE_1 },
	{ 0x02b7, CAPS_MSR_OFFCORE_1 },	/* Silvermont to Goldmont */
	{ 0x012a, CAPS_MSR_OFFCORE_0 },	/* Golden Cove on */
	{ 0x012b, CAPS_MSR_OFFCORE_1 },
	{ 0x01c6, CAPS_MSR_FRONTEND },
};

/* SDM vol. 3 "Pre-defined Architectural Performance Events", by bit of CPUID.0AH:EBX. */
static const u16 events_architectural[] = {
	0x003c, 0x00c0, 0x013c, 0x4f2e, 0x412e, 0x00c4, 0x00c5,
};

/* The fixed counter that counts an event, as a bit; 0: there is none. */
static u64 ls_events_fixed_for(const struct caps *caps, u64 config)
{
	u32 i;

	if (config & ~(u64)(EVENTS_CODE | EVENTS_RINGS))
		return 0;
	for (i = 0; i < ARRAY_SIZE(events_fixed); i++)
		if ((config & EVENTS_CODE) == events_fixed[i].code &&
		    events_fixed[i].counter < caps->fixed_counters)
			return BIT_ULL(PMU_FIXED + events_fixed[i].counter);
	return 0;
}

/* The counters that count an event correctly. */
static u64 ls_events_able(const struct caps *caps, const struct event *event)
{
	u64 general = ls_caps_counters(caps) & (BIT_ULL(PMU_FIXED) - 1);
	struct limits limits;

	ls_limits_find(caps, event->config, &limits);
	general &= limits.counters;
	if (boot_cpu_data.x86_vendor != X86_VENDOR_INTEL)
		return general;
	if (!(event->config & ARCH_PERFMON_EVENTSEL_EVENT))
		general = 0;
	return general | ls_events_fixed_for(caps, event->config);
}

static int ls_events_check_architectural(const struct caps *caps,
					 const struct event *event,
					 struct netlink_ext_ack *extack)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(events_architectural); i++) {
		if ((event->config & EVENTS_CODE) != events_architectural[i] ||
		    !(caps->absent & BIT(i)))
			continue;
		NL_SET_ERR_MSG(extack, "this CPU, or this virtual machine, does not count this event (CPUID.0AH:EBX)");
		return -EOPNOTSUPP;
	}
	return 0;
}

static int ls_events_check_counters(const struct caps *caps, struct event *event,
				    struct netlink_ext_ack *extack)
{
	u64 able = ls_events_able(caps, event);

	if (event->counters & caps->gp_reserved &&
	    !(event->counters & able)) {
		NL_SET_ERR_MSG(extack, "general counter 3 is used by the microcode, which works around an erratum of TSX (CPUID: TSX_FORCE_ABORT)");
		return -EOPNOTSUPP;
	}
	if (!event->counters)
		event->counters = able;
	if (event->counters & able) {
		event->counters &= able;
		return 0;
	}
	if (able)
		NL_SET_ERR_MSG(extack, "none of the counters that COUNTERS names can count this event");
	else if (event->config & ARCH_PERFMON_EVENTSEL_EVENT)
		NL_SET_ERR_MSG(extack, "this CPU, or this virtual machine, lacks the only counters that count this event correctly");
	else
		NL_SET_ERR_MSG(extack, "only a fixed counter counts this event, and this CPU does not have it");
	return -EOPNOTSUPP;
}

/* Of a CPU that limits.c does not know: START tries the value. */
static u32 ls_events_guess_extra(const struct event *event)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(events_extra); i++)
		if ((event->config & EVENTS_CODE) == events_extra[i].code)
			return events_extra[i].msr;
	return 0;
}

static int ls_events_check_extra(const struct caps *caps, struct event *event,
				 const struct limits *limits,
				 struct netlink_ext_ack *extack)
{
	u32 msr = limits->extras_known ? limits->extra_msr :
					 ls_events_guess_extra(event);

	if (!event->has_extra)
		return 0;
	if (!msr || !ls_caps_has_extra(caps, msr)) {
		NL_SET_ERR_MSG(extack, "EXTRA is for off-core response and front-end events, where the CPU has a register for them");
		return -EOPNOTSUPP;
	}
	if (limits->extras_known && event->extra & ~limits->extra_valid) {
		NL_SET_ERR_MSG_FMT(extack, "this CPU does not take the EXTRA of this event: its bits must be within 0x%llx",
				   limits->extra_valid);
		return -EINVAL;
	}
	event->extra_msr = msr;
	return 0;
}

/* What is known of the event on this generation of CPUs. */
static int ls_events_check_limits(const struct caps *caps, struct event *event,
				  struct netlink_ext_ack *extack)
{
	struct limits limits;

	ls_limits_find(caps, event->config, &limits);
	if (limits.refused) {
		NL_SET_ERR_MSG_FMT(extack, "%s", limits.refused);
		return -EOPNOTSUPP;
	}
	if (limits.one_thread && caps->smt) {
		NL_SET_ERR_MSG(extack, "with Hyper-Threading, this event also counts on the counters of the core's other thread (errata BJ122, BV98, HSD29): name one CPU of each core by CPUS, or turn SMT off");
		return -EOPNOTSUPP;
	}
	event->one_thread = limits.one_thread;
	event->least = limits.least;
	event->grain = limits.grain;
	return ls_events_check_extra(caps, event, &limits, extack);
}

/* Of one event, by itself. */
static int ls_events_check(const struct caps *caps, struct event *event,
			   struct netlink_ext_ack *extack)
{
	int err = ls_events_check_architectural(caps, event, extack);

	if (!err)
		err = ls_events_check_limits(caps, event, extack);
	if (!err)
		err = ls_events_check_counters(caps, event, extack);
	return err;
}

/* Whether two events need different values of one extra register. */
static bool ls_events_quarrel(const struct event *a, const struct event *b)
{
	return a->extra_msr && a->extra_msr == b->extra_msr &&
	       a->extra != b->extra;
}

/*
 * Chooses a counter of those that are free.  Events that only count prefer fixed
 * counters, which leaves more general ones for others.
 */
static u32 ls_events_prefer(const struct event *event, u64 free)
{
	u64 fixed = free & ~(BIT_ULL(PMU_FIXED) - 1);
	u64 general = free & (BIT_ULL(PMU_FIXED) - 1);

	if (ls_event_samples(event))
		return __ffs64(general ?: fixed);
	return __ffs64(fixed ?: general);
}

static void ls_events_put(struct event_set *set, const struct event *event,
			  u32 index, u32 counter)
{
	u64 bits;

	set->slots[set->nr++] = (struct event_slot){
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
struct events_seats {
	u8 event[64];	/* by counter, or EVENTS_NOBODY */
};

/*
 * Finds a counter for an event.  The event that has it now may have to move, and the one
 * that has that event's new counter as well, and so on.  Each counter in tried is visited
 * once, so that the recursion is no deeper than there are counters (bipartite matching
 * after Berge and Kuhn).
 */
static bool ls_events_seat(const struct events *events, struct events_seats *seats,
			   u32 index, u64 *tried)
{
	const struct event *event = &events->list[index];
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
static bool ls_events_seat_all(const struct events *events, u64 members,
			       struct event_set *set)
{
	const struct event_set *base = &events->base;
	struct events_seats seats;
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

static bool ls_events_same_group(const struct events *events, u32 a, u32 b)
{
	return a == b || (!ls_event_alone(&events->list[a]) &&
			  events->list[a].group == events->list[b].group);
}

static u64 ls_events_members(const struct event_set *set)
{
	u64 members = 0;
	u32 i;

	for (i = 0; i < set->nr; i++)
		members |= BIT_ULL(set->slots[i].event);
	return members;
}

static bool ls_events_agree(const struct events *events, u64 members)
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
static bool ls_events_add_group(const struct events *events,
				struct event_set *set, u32 first)
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

static bool ls_events_is_first(const struct events *events, u32 index)
{
	u32 i;

	for (i = 0; i < index; i++)
		if (ls_events_same_group(events, i, index))
			return false;
	return true;
}

static bool ls_events_group_samples(const struct events *events, u32 first)
{
	u32 i;

	for (i = first; i < events->nr; i++)
		if (ls_events_same_group(events, first, i) &&
		    ls_event_samples(&events->list[i]))
			return true;
	return false;
}

/* Places the events that are in each set: those with samples, and their groups. */
static int ls_events_place_sampling(struct events *events, u32 *blame,
				    struct netlink_ext_ack *extack)
{
	u32 i;

	for (i = 0; i < events->nr; i++) {
		if (!ls_events_is_first(events, i) ||
		    !ls_events_group_samples(events, i) ||
		    ls_events_add_group(events, &events->sets[0], i))
			continue;
		*blame = i;
		NL_SET_ERR_MSG(extack, "not enough counters for this event and its group beside the events with samples before it, which do not take turns");
		return -ENOSPC;
	}
	events->nr_sets = 1;
	return 0;
}

/* Places the others: each group in the first set that has room. */
static int ls_events_place_counting(struct events *events, u32 *blame,
				    struct netlink_ext_ack *extack)
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
			NL_SET_ERR_MSG(extack, "not enough counters for this event and its group at one time");
			return -ENOSPC;
		}
		events->nr_sets++;
	}
	return 0;
}

/* Gives the free counters of a set to events of other sets. */
static void ls_events_fill_up(struct events *events)
{
	u32 i, s;

	for (s = 0; s < events->nr_sets; s++)
		for (i = 0; i < events->nr; i++)
			if (ls_events_is_first(events, i) &&
			    !(ls_events_members(&events->sets[s]) & BIT_ULL(i)))
				ls_events_add_group(events, &events->sets[s], i);
}

/*
 * The threads of a core share the extra registers, and their turns are not
 * synchronized: two values cannot take turns there.
 */
static int ls_events_check_shared(const struct caps *caps, struct events *events,
				  u32 *blame, struct netlink_ext_ack *extack)
{
	u32 i, j;

	if (events->nr_sets < 2)
		return 0;
	for (i = 0; i < events->nr; i++)
		for (j = 0; j < i; j++) {
			if (!ls_events_quarrel(&events->list[i], &events->list[j]))
				continue;
			events->one_thread = true;
			if (caps->smt) {
				*blame = i;
				NL_SET_ERR_MSG(extack, "two events need different values of one register, which the threads of a core share: count them one after the other, or on one thread of each core (CPUS)");
				return -EOPNOTSUPP;
			}
		}
	return 0;
}

/* Links slots to events.  The events must not move in memory afterwards. */
static void ls_events_link(const struct events *events, struct event_set *set)
{
	u32 i;

	for (i = 0; i < set->nr; i++) {
		struct event_slot *at = &set->slots[i];

		at->of = &events->list[at->event];
		at->msr = ls_pmu_register(at->counter);
		at->load = ls_pmu_load_mask(at->counter);
		set->slot_of[at->counter] = i;
	}
}

static void ls_events_sum_up(struct events *events)
{
	u32 i, j;

	for (i = 0; i < events->nr; i++) {
		struct event *event = &events->list[i];

		event->counted |= !ls_event_samples(event);
		for (j = 0; j < events->nr; j++) {
			if (!ls_events_same_group(events, i, j))
				continue;
			event->members |= BIT_ULL(j);
			if (event->reads_group)
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

int ls_events_schedule(struct events *events, const struct caps *caps,
		       u32 *blame, struct netlink_ext_ack *extack)
{
	int err;
	u32 i;

	for (i = 0; i < events->nr; i++) {
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
