// SPDX-License-Identifier: GPL-2.0
/*
 * The attributes of replies, from the results of session.c and the capabilities of the
 * CPUs.  <linux/lbrscope.h> is the contract.
 */
#include <linux/kernel.h>
#include <net/genetlink.h>

#include <linux/lbrscope.h>
#include <linux/lbrscope_ring.h>

#include "counters/budget.h"
#include "netlink/reply.h"
#include "netlink/set.h"
#include "pmu/caps.h"
#include "session/owner.h"
#include "session/session.h"

/* Puts a nest of counts, each with the type 1 + its index. */
static int ls_netlink_reply_counts(struct sk_buff *msg, int attr, const u64 *counts,
				   int nr)
{
	struct nlattr *nest = nla_nest_start(msg, attr);
	int i;

	if (!nest)
		return -EMSGSIZE;
	for (i = 0; i < nr; i++)
		if (nla_put(msg, 1 + i, sizeof(u64), &counts[i]))
			return -EMSGSIZE;
	nla_nest_end(msg, nest);
	return 0;
}

static int ls_netlink_reply_cost(struct sk_buff *msg, const struct ls_cost *cost)
{
	if (nla_put_u64_64bit(msg, LBRSCOPE_STATS_A_COST_NMI,
			      ls_budget_ns(cost->nmi), LBRSCOPE_STATS_A_PAD) ||
	    nla_put_u64_64bit(msg, LBRSCOPE_STATS_A_COST_SWITCH,
			      ls_budget_ns(cost->switches),
			      LBRSCOPE_STATS_A_PAD) ||
	    nla_put_u64_64bit(msg, LBRSCOPE_STATS_A_COST_TIME,
			      ls_budget_ns(cost->time), LBRSCOPE_STATS_A_PAD))
		return -EMSGSIZE;
	return 0;
}

static int ls_netlink_reply_offcpu(struct sk_buff *msg,
				   const struct ls_session_stats *stats)
{
	if (!stats->offcpu_wanted)
		return 0;
	if (ls_netlink_reply_counts(msg, LBRSCOPE_STATS_A_OFFCPU, stats->offcpu,
				    LBRSCOPE_OFFCPU_NR) ||
	    ls_netlink_reply_counts(msg, LBRSCOPE_STATS_A_OFFCPU_NS,
				    stats->offcpu_ns, LBRSCOPE_OFFCPU_NR) ||
	    nla_put_u64_64bit(msg, LBRSCOPE_STATS_A_OFFCPU_OPEN,
			      stats->offcpu_open, LBRSCOPE_STATS_A_PAD))
		return -EMSGSIZE;
	return 0;
}

int ls_netlink_reply_stats(struct sk_buff *msg,
			   const struct ls_session_stats *stats)
{
	if ((stats->running && nla_put_flag(msg, LBRSCOPE_STATS_A_RUNNING)) ||
	    (stats->frozen && nla_put_flag(msg, LBRSCOPE_STATS_A_FROZEN)) ||
	    (stats->ended &&
	     nla_put_u32(msg, LBRSCOPE_STATS_A_ENDED, stats->ended)) ||
	    nla_put_u64_64bit(msg, LBRSCOPE_STATS_A_PRODUCED, stats->produced,
			      LBRSCOPE_STATS_A_PAD) ||
	    nla_put_u64_64bit(msg, LBRSCOPE_STATS_A_DELIVERED,
			      stats->delivered, LBRSCOPE_STATS_A_PAD) ||
	    ls_netlink_reply_counts(msg, LBRSCOPE_STATS_A_LOST, stats->lost,
				    LBRSCOPE_LOST_NR) ||
	    nla_put_u64_64bit(msg, LBRSCOPE_STATS_A_HIDDEN, stats->hidden,
			      LBRSCOPE_STATS_A_PAD) ||
	    nla_put_u64_64bit(msg, LBRSCOPE_STATS_A_UNTRACKED,
			      stats->untracked, LBRSCOPE_STATS_A_PAD) ||
	    nla_put_u64_64bit(msg, LBRSCOPE_STATS_A_TASKS_LOST,
			      stats->tasks_lost, LBRSCOPE_STATS_A_PAD) ||
	    nla_put_u64_64bit(msg, LBRSCOPE_STATS_A_MISSED, stats->missed,
			      LBRSCOPE_STATS_A_PAD) ||
	    nla_put_u64_64bit(msg, LBRSCOPE_STATS_A_UNWANTED, stats->unwanted,
			      LBRSCOPE_STATS_A_PAD) ||
	    nla_put_u64_64bit(msg, LBRSCOPE_STATS_A_BRANCHES_OFF, stats->branches_off,
			      LBRSCOPE_STATS_A_PAD))
		return -EMSGSIZE;
	if (ls_netlink_reply_cost(msg, &stats->cost))
		return -EMSGSIZE;
	return ls_netlink_reply_offcpu(msg, stats);
}

/* The reply to COUNTS_GET and REGS_GET for a CPU; both have the same attributes. */
int ls_netlink_reply_array(struct sk_buff *msg, u32 cpu, const void *array,
			   size_t size)
{
	BUILD_BUG_ON((int)LBRSCOPE_COUNTS_A_CPU != (int)LBRSCOPE_REGS_A_CPU ||
		     (int)LBRSCOPE_COUNTS_A_COUNTS != (int)LBRSCOPE_REGS_A_REGS);
	if (nla_put_u32(msg, LBRSCOPE_REGS_A_CPU, cpu) ||
	    nla_put(msg, LBRSCOPE_REGS_A_REGS, size, array))
		return -EMSGSIZE;
	return 0;
}

int ls_netlink_reply_tasks(struct sk_buff *msg, const void *tasks, u32 size, u64 cursor)
{
	if (nla_put(msg, LBRSCOPE_COUNTS_A_TASKS, size, tasks) ||
	    (cursor && nla_put_u64_64bit(msg, LBRSCOPE_COUNTS_A_CURSOR, cursor,
					 LBRSCOPE_COUNTS_A_PAD)))
		return -EMSGSIZE;
	return 0;
}

/* A list of CPUs that does not fit is cut; types of cores come in ranges. */
static int ls_netlink_reply_core(struct sk_buff *msg, const struct ls_caps_type *type)
{
	const struct ls_caps *caps = &type->caps;
	char cpus[256];

	scnprintf(cpus, sizeof(cpus), "%*pbl", cpumask_pr_args(&type->cpus));
	if (nla_put_string(msg, LBRSCOPE_CORE_A_CPUS, cpus) ||
	    nla_put_u32(msg, LBRSCOPE_CORE_A_TYPE, caps->core) ||
	    nla_put_u32(msg, LBRSCOPE_CORE_A_GP_COUNTERS, ls_caps_general(caps)) ||
	    nla_put_u32(msg, LBRSCOPE_CORE_A_FIXED_COUNTERS,
			caps->fixed_counters) ||
	    nla_put_u32(msg, LBRSCOPE_CORE_A_LBR_FORMAT, caps->lbr_format) ||
	    nla_put_u32(msg, LBRSCOPE_CORE_A_LBR_DEPTH, caps->lbr_depth))
		return -EMSGSIZE;
	return 0;
}

static int ls_netlink_reply_cores(struct sk_buff *msg)
{
	struct nlattr *array, *nest;
	u32 i;

	if (ls_caps_nr_types < 2)
		return 0;
	array = nla_nest_start(msg, LBRSCOPE_INFO_A_CORES);
	if (!array)
		return -EMSGSIZE;
	for (i = 0; i < ls_caps_nr_types; i++) {
		nest = nla_nest_start(msg, 1 + i);
		if (!nest || ls_netlink_reply_core(msg, &ls_caps_types[i]))
			return -EMSGSIZE;
		nla_nest_end(msg, nest);
	}
	nla_nest_end(msg, array);
	return 0;
}

static int ls_netlink_reply_caps(struct sk_buff *msg)
{
	const u32 filters = ls_netlink_filters(), general = ls_caps_general(&ls_caps);
	const struct { int attr; const u32 *value; } numbers[] = {
		{ LBRSCOPE_INFO_A_FAMILY, &ls_caps.family },
		{ LBRSCOPE_INFO_A_MODEL, &ls_caps.model },
		{ LBRSCOPE_INFO_A_STEPPING, &ls_caps.stepping },
		{ LBRSCOPE_INFO_A_PMU_VERSION, &ls_caps.pmu_version },
		{ LBRSCOPE_INFO_A_GP_COUNTERS, &general },
		{ LBRSCOPE_INFO_A_GP_WIDTH, &ls_caps.gp_width },
		{ LBRSCOPE_INFO_A_FIXED_COUNTERS, &ls_caps.fixed_counters },
		{ LBRSCOPE_INFO_A_LBR_FORMAT, &ls_caps.lbr_format },
		{ LBRSCOPE_INFO_A_LBR_DEPTH, &ls_caps.lbr_depth },
		{ LBRSCOPE_INFO_A_BRANCH_FILTER, &filters },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(numbers); i++)
		if (nla_put_u32(msg, numbers[i].attr, *numbers[i].value))
			return -EMSGSIZE;
	if (nla_put_u32(msg, LBRSCOPE_INFO_A_RING_VERSION,
			LBRSCOPE_RING_VERSION) ||
	    nla_put_string(msg, LBRSCOPE_INFO_A_VENDOR, ls_caps.vendor) ||
	    nla_put_u64_64bit(msg, LBRSCOPE_INFO_A_PERIOD_MIN, CAPS_PERIOD_MIN,
			      LBRSCOPE_INFO_A_PAD) ||
	    (ls_caps.call_stack &&
	     nla_put_flag(msg, LBRSCOPE_INFO_A_CALL_STACK)) ||
	    (ls_caps.unsupported &&
	     nla_put_string(msg, LBRSCOPE_INFO_A_UNSUPPORTED,
			    ls_caps.unsupported)) ||
	    (ls_caps.no_pmu &&
	     nla_put_string(msg, LBRSCOPE_INFO_A_NO_PMU, ls_caps.no_pmu)))
		return -EMSGSIZE;
	return 0;
}

static int ls_netlink_reply_owner(struct sk_buff *msg, bool privileged)
{
	struct ls_session_owner owner;

	if (!ls_session_owner(privileged, &owner))
		return 0;
	if ((owner.yields && nla_put_flag(msg, LBRSCOPE_INFO_A_OWNER_YIELDS)) ||
	    nla_put_u32(msg, LBRSCOPE_INFO_A_OWNER_PID, owner.pid) ||
	    (owner.comm[0] &&
	     nla_put_string(msg, LBRSCOPE_INFO_A_OWNER_COMM, owner.comm)))
		return -EMSGSIZE;
	return 0;
}

int ls_netlink_reply_info(struct sk_buff *msg, bool privileged)
{
	int err = ls_netlink_reply_caps(msg);

	if (!err)
		err = ls_netlink_reply_cores(msg);
	if (!err)
		err = ls_netlink_reply_owner(msg, privileged);
	if (!err && privileged)
		err = nla_put_flag(msg, LBRSCOPE_INFO_A_PRIVILEGED);
	return err;
}
