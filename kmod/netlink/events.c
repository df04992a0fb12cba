// SPDX-License-Identifier: GPL-2.0
/*
 * The events that SESSION_SET asks for: attributes to a struct ls_events.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <net/genetlink.h>
#include <asm/perf_event.h>

#include <linux/lbrscope.h>

#include "base/extack.h"
#include "events/events.h"
#include "netlink/set.h"
#include "pmu/caps.h"
#include "session/charge.h"
#include "session/session.h"

/*
 * The bits that an event's config may have; see LBRSCOPE_EVENT_A_CONFIG.  A policy cannot
 * check them: its mask has 32 bits, and AMD's event select has more.
 */
#define NETLINK_CONFIG_RINGS	(ARCH_PERFMON_EVENTSEL_USR | \
				 ARCH_PERFMON_EVENTSEL_OS)
#define NETLINK_CONFIG_MASK	(ARCH_PERFMON_EVENTSEL_EVENT | \
				 ARCH_PERFMON_EVENTSEL_UMASK | \
				 NETLINK_CONFIG_RINGS | \
				 ARCH_PERFMON_EVENTSEL_EDGE | \
				 ARCH_PERFMON_EVENTSEL_INV | \
				 ARCH_PERFMON_EVENTSEL_CMASK)
#define NETLINK_CONFIG_AMD	GENMASK_ULL(35, 32)

/*
 * The policies have the bounds, and not the code below, so that CTRL_CMD_GETPOLICY tells
 * them.
 */
static struct netlink_range_validation netlink_period_range = {
	.min = CAPS_PERIOD_MIN,
	.max = S32_MAX,
};

static struct netlink_range_validation netlink_frequency_range = {
	.min = 1,
	.max = LBRSCOPE_FREQUENCY_MAX,
};

static struct netlink_range_validation netlink_only_range = {
	.min = 1,
	.max = LBRSCOPE_ONLY_MAX,
};

const struct nla_policy
ls_netlink_event_policy[LBRSCOPE_EVENT_A_MAX + 1] = {
	[LBRSCOPE_EVENT_A_CONFIG] = { .type = NLA_U64 },
	[LBRSCOPE_EVENT_A_PERIOD] =
		NLA_POLICY_FULL_RANGE(NLA_U64, &netlink_period_range),
	[LBRSCOPE_EVENT_A_FREQUENCY] =
		NLA_POLICY_FULL_RANGE(NLA_U32, &netlink_frequency_range),
	[LBRSCOPE_EVENT_A_JITTER] =
		NLA_POLICY_MAX(NLA_U32, LBRSCOPE_JITTER_MAX),
	[LBRSCOPE_EVENT_A_SEED] = { .type = NLA_U64 },
	[LBRSCOPE_EVENT_A_GROUP] =
		NLA_POLICY_MAX(NLA_U32, LBRSCOPE_EVENTS_MAX - 1),
	[LBRSCOPE_EVENT_A_COUNTERS] = { .type = NLA_U64 },
	[LBRSCOPE_EVENT_A_EXTRA] = { .type = NLA_U64 },
	[LBRSCOPE_EVENT_A_READ_GROUP] = { .type = NLA_FLAG },
	[LBRSCOPE_EVENT_A_SOURCE] = NLA_POLICY_MAX(NLA_U32, LBRSCOPE_SOURCE_MAX),
	[LBRSCOPE_EVENT_A_ONLY_OVER] =
		NLA_POLICY_MAX(NLA_U32, LBRSCOPE_EVENTS_MAX - 1),
	[LBRSCOPE_EVENT_A_ONLY_UNDER] =
		NLA_POLICY_MAX(NLA_U32, LBRSCOPE_EVENTS_MAX - 1),
	[LBRSCOPE_EVENT_A_ONLY_ABOVE] =
		NLA_POLICY_FULL_RANGE(NLA_U64, &netlink_only_range),
	[LBRSCOPE_EVENT_A_ONLY_BELOW] =
		NLA_POLICY_FULL_RANGE(NLA_U64, &netlink_only_range),
};

static int ls_netlink_events_check_config(struct nlattr *attr,
					  struct ls_extack *extack)
{
	u64 evtsel = nla_get_u64(attr);
	u64 known = NETLINK_CONFIG_MASK;

	if (boot_cpu_data.x86_vendor != X86_VENDOR_INTEL)
		known |= NETLINK_CONFIG_AMD;
	if (ls_caps.any_thread)
		known |= ARCH_PERFMON_EVENTSEL_ANY;
	if (evtsel & ~known) {
		ls_extack_set_attr(extack, attr, "CONFIG has bits that this CPU's event select lacks, or that the module sets itself");
		return -EINVAL;
	}
	if (!(evtsel & NETLINK_CONFIG_RINGS)) {
		ls_extack_set_attr(extack, attr, "neither USR nor OS is set: the event would count nothing");
		return -EINVAL;
	}
	return 0;
}

static void ls_netlink_events_parse_pace(struct nlattr **tb, struct ls_pace_config *pace)
{
	if (tb[LBRSCOPE_EVENT_A_PERIOD])
		pace->period = nla_get_u64(tb[LBRSCOPE_EVENT_A_PERIOD]);
	if (tb[LBRSCOPE_EVENT_A_FREQUENCY])
		pace->frequency = nla_get_u32(tb[LBRSCOPE_EVENT_A_FREQUENCY]);
	if (tb[LBRSCOPE_EVENT_A_JITTER])
		pace->jitter = nla_get_u32(tb[LBRSCOPE_EVENT_A_JITTER]);
	if (tb[LBRSCOPE_EVENT_A_SEED])
		pace->seed = nla_get_u64(tb[LBRSCOPE_EVENT_A_SEED]);
}

/* Whether its events are in its group is known later: ls_netlink_events_check_only(). */
static int ls_netlink_events_parse_only(struct nlattr **tb, struct ls_event *event,
					struct ls_extack *extack)
{
	struct nlattr *over = tb[LBRSCOPE_EVENT_A_ONLY_OVER];
	struct nlattr *under = tb[LBRSCOPE_EVENT_A_ONLY_UNDER];
	struct nlattr *above = tb[LBRSCOPE_EVENT_A_ONLY_ABOVE];
	struct nlattr *below = tb[LBRSCOPE_EVENT_A_ONLY_BELOW];

	if (!over && !under && !above && !below)
		return 0;
	if (!over || !under || !(above || below) || !ls_event_samples(event)) {
		ls_extack_set(extack, "samples by a ratio need ONLY_OVER, ONLY_UNDER, ONLY_ABOVE or ONLY_BELOW, and PERIOD or FREQUENCY");
		return -EINVAL;
	}
	event->only = (struct ls_only){
		.wanted = true,
		.over = nla_get_u32(over),
		.under = nla_get_u32(under),
		.above = above ? nla_get_u64(above) : 0,
		.below = below ? nla_get_u64(below) : U64_MAX,
	};
	return 0;
}

/* The counts are read while the event's counter runs, and must cover the same time. */
static int ls_netlink_events_check_only(struct nlattr *array, struct ls_events *events,
					struct ls_extack *extack)
{
	u32 i;

	for (i = 0; i < events->nr; i++) {
		const struct ls_event *event = &events->list[i];
		const struct ls_only *only = &event->only;

		if (!only->wanted)
			continue;
		if (only->over < events->nr && only->under < events->nr &&
		    only->over != only->under && !ls_event_alone(event) &&
		    events->list[only->over].group == event->group &&
		    events->list[only->under].group == event->group)
			continue;
		ls_extack_set_attr(extack, array, "ONLY_OVER and ONLY_UNDER are two events of the GROUP of the event that is sampled");
		return -EINVAL;
	}
	return 0;
}

/* An event on a counter. */
static int ls_netlink_events_check_pmu(struct nlattr *nest, struct ls_extack *extack)
{
	if (!ls_caps.no_pmu)
		return 0;
	ls_extack_set_attr(extack, nest, "%s: LBRSCOPE_SOURCE_CLOCK needs none",
			   ls_caps.no_pmu);
	return -EOPNOTSUPP;
}

/* A clock: what is said of counters is refused. */
static int ls_netlink_events_check_clock(struct nlattr **tb, const struct ls_events *events,
					 struct ls_extack *extack)
{
	static const int others[] = {
		LBRSCOPE_EVENT_A_FREQUENCY, LBRSCOPE_EVENT_A_GROUP,
		LBRSCOPE_EVENT_A_COUNTERS, LBRSCOPE_EVENT_A_EXTRA,
		LBRSCOPE_EVENT_A_READ_GROUP, LBRSCOPE_EVENT_A_ONLY_OVER,
	};
	u32 i, timers = 0;

	for (i = 0; i < ARRAY_SIZE(others); i++) {
		if (!tb[others[i]])
			continue;
		ls_extack_set_attr(extack, tb[others[i]], "a clock takes CONFIG, PERIOD, JITTER and SEED only");
		return -EINVAL;
	}
	if (nla_get_u64(tb[LBRSCOPE_EVENT_A_CONFIG]) & ~(u64)NETLINK_CONFIG_RINGS) {
		ls_extack_set_attr(extack, tb[LBRSCOPE_EVENT_A_CONFIG], "the CONFIG of a clock has USR and OS only");
		return -EINVAL;
	}
	for (i = 0; i < events->nr; i++)
		timers += events->list[i].clock && ls_event_samples(&events->list[i]);
	if (tb[LBRSCOPE_EVENT_A_PERIOD] && timers == LBRSCOPE_CLOCKS_MAX) {
		ls_extack_set_attr(extack, tb[LBRSCOPE_EVENT_A_PERIOD], "more clocks with samples than LBRSCOPE_CLOCKS_MAX");
		return -E2BIG;
	}
	return 0;
}

/* Parses one event of the array. */
static int ls_netlink_events_parse_one(struct nlattr *nest, const struct ls_events *events,
				       struct ls_event *event,
				       struct ls_extack *extack)
{
	struct nlattr *tb[LBRSCOPE_EVENT_A_MAX + 1];
	int err;

	err = nla_parse_nested(tb, LBRSCOPE_EVENT_A_MAX, nest,
			       ls_netlink_event_policy, &extack->ack);
	if (err)
		return err;
	if (!tb[LBRSCOPE_EVENT_A_CONFIG] ||
	    (tb[LBRSCOPE_EVENT_A_PERIOD] && tb[LBRSCOPE_EVENT_A_FREQUENCY])) {
		ls_extack_set_attr(extack, nest, "an event needs CONFIG, and PERIOD, FREQUENCY or neither");
		return -EINVAL;
	}
	event->config = nla_get_u64(tb[LBRSCOPE_EVENT_A_CONFIG]);
	event->clock = tb[LBRSCOPE_EVENT_A_SOURCE] &&
		       nla_get_u32(tb[LBRSCOPE_EVENT_A_SOURCE]) == LBRSCOPE_SOURCE_CLOCK;
	event->group = EVENTS_ALONE;
	ls_netlink_events_parse_pace(tb, &event->pace);
	if (tb[LBRSCOPE_EVENT_A_GROUP])
		event->group = nla_get_u32(tb[LBRSCOPE_EVENT_A_GROUP]);
	if (tb[LBRSCOPE_EVENT_A_COUNTERS])
		event->counters = nla_get_u64(tb[LBRSCOPE_EVENT_A_COUNTERS]);
	if (tb[LBRSCOPE_EVENT_A_EXTRA]) {
		event->extra = nla_get_u64(tb[LBRSCOPE_EVENT_A_EXTRA]);
		event->has_extra = true;
	}
	event->reads_group = tb[LBRSCOPE_EVENT_A_READ_GROUP];
	if (!ls_event_samples(event) &&
	    (event->reads_group || event->pace.jitter)) {
		ls_extack_set_attr(extack, nest, "READ_GROUP and JITTER are for events with samples: PERIOD or FREQUENCY");
		return -EINVAL;
	}
	err = ls_netlink_events_parse_only(tb, event, extack);
	if (err)
		return err;
	err = ls_netlink_events_check_config(tb[LBRSCOPE_EVENT_A_CONFIG], extack);
	if (err)
		return err;
	return event->clock ? ls_netlink_events_check_clock(tb, events, extack) :
			      ls_netlink_events_check_pmu(nest, extack);
}

static int ls_netlink_events_fill(struct nlattr *array, struct ls_events *events,
				  struct ls_extack *extack)
{
	struct nlattr *nest;
	int left, err;

	events->blame = EVENTS_ALONE;
	if (!array)
		return 0;
	nla_for_each_nested(nest, array, left) {
		if (events->nr == LBRSCOPE_EVENTS_MAX) {
			ls_extack_set_attr(extack, nest, "more events than LBRSCOPE_EVENTS_MAX");
			return -E2BIG;
		}
		err = ls_netlink_events_parse_one(nest, events,
						  &events->list[events->nr], extack);
		if (err)
			return err;
		events->nr++;
	}
	if (!events->nr) {
		ls_extack_set_attr(extack, array, "EVENTS is empty");
		return -EINVAL;
	}
	return ls_netlink_events_check_only(array, events, extack);
}

void ls_netlink_events_blame(struct genl_info *info, const struct ls_events *events)
{
	struct nlattr *nest;
	u32 i = 0;
	int left;

	if (events->blame == EVENTS_ALONE)
		return;
	nla_for_each_nested(nest, info->attrs[LBRSCOPE_SESSION_A_EVENTS], left)
		if (i++ == events->blame)
			ls_extack_blame(ls_extack_of(info), nest);
}

int ls_netlink_parse_events(struct genl_info *info,
			    const struct ls_session_config *config,
			    struct ls_events **result)
{
	struct nlattr *array = info->attrs[LBRSCOPE_SESSION_A_EVENTS];
	struct ls_events *events;
	int err;

	if (!array && !config->offcpu.wanted &&
	    !info->attrs[LBRSCOPE_SESSION_A_TRIGGERS]) {
		ls_extack_set(ls_extack_of(info), "attribute EVENTS is missing, and so are OFFCPU and TRIGGERS");
		return -EINVAL;
	}
	events = kvzalloc(sizeof(*events), CHARGE_GFP);
	if (!events)
		return -ENOMEM;
	err = ls_netlink_events_fill(array, events, ls_extack_of(info));
	if (err)
		kvfree(events);
	else
		*result = events;
	return err;
}
