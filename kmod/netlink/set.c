// SPDX-License-Identifier: GPL-2.0
/*
 * Translates the attributes of LBRSCOPE_CMD_SESSION_SET to a struct ls_session_config and
 * events.  <linux/lbrscope.h> is the contract.
 */
#include <linux/cpumask.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <net/genetlink.h>

#include <linux/lbrscope.h>

#include "base/extack.h"
#include "events/events.h"
#include "netlink/set.h"
#include "pmu/caps.h"
#include "session/charge.h"
#include "session/session.h"

/*
 * The policies have the bounds, and not the code below, so that CTRL_CMD_GETPOLICY tells
 * them.
 */
static struct netlink_range_validation netlink_ring_range = {
	.min = LBRSCOPE_RING_SIZE_MIN,
	.max = LBRSCOPE_RING_SIZE_MAX,
};

static struct netlink_range_validation netlink_stack_range = {
	.min = sizeof(u64),
	.max = LBRSCOPE_USER_STACK_MAX,
};

static struct netlink_range_validation netlink_audit_range = {
	.max = LBRSCOPE_STACK_AUDIT_MAX,
};

static struct netlink_range_validation netlink_rate_range = {
	.min = 1,
	.max = LBRSCOPE_OFFCPU_RATE_MAX,
};

static const struct nla_policy
netlink_offcpu_policy[LBRSCOPE_OFFCPU_A_MAX + 1] = {
	[LBRSCOPE_OFFCPU_A_MIN] = { .type = NLA_U64 },
	[LBRSCOPE_OFFCPU_A_RATE] =
		NLA_POLICY_FULL_RANGE(NLA_U32, &netlink_rate_range),
	[LBRSCOPE_OFFCPU_A_WAKER] = { .type = NLA_FLAG },
	[LBRSCOPE_OFFCPU_A_CALLERS] = { .type = NLA_FLAG },
};

const struct nla_policy
ls_netlink_set_policy[LBRSCOPE_SESSION_A_MAX + 1] = {
	[LBRSCOPE_SESSION_A_FD] = { .type = NLA_U32 },
	[LBRSCOPE_SESSION_A_EVENTS] =
		NLA_POLICY_NESTED_ARRAY(ls_netlink_event_policy),
	[LBRSCOPE_SESSION_A_BRANCHES] =
		NLA_POLICY_MAX(NLA_U32, LBRSCOPE_BRANCHES_MAX),
	[LBRSCOPE_SESSION_A_TARGET_PIDS] = {
		.type = NLA_BINARY, .len = LBRSCOPE_TARGETS_MAX * sizeof(u32),
	},
	[LBRSCOPE_SESSION_A_ENABLE_ON_EXEC] = { .type = NLA_FLAG },
	[LBRSCOPE_SESSION_A_RING_SIZE] =
		NLA_POLICY_FULL_RANGE(NLA_U32, &netlink_ring_range),
	[LBRSCOPE_SESSION_A_BRANCH_FILTER] =
		NLA_POLICY_MASK(NLA_U32, LBRSCOPE_FILTER_ALL),
	[LBRSCOPE_SESSION_A_BUDGET] =
		NLA_POLICY_RANGE(NLA_U32, 1, LBRSCOPE_BUDGET_MAX),
	[LBRSCOPE_SESSION_A_CPUS] = {
		.type = NLA_NUL_STRING, .len = LBRSCOPE_CPUS_MAX,
	},
	[LBRSCOPE_SESSION_A_OVERWRITE] = { .type = NLA_FLAG },
	[LBRSCOPE_SESSION_A_TARGET_TIDS] = {
		.type = NLA_BINARY, .len = LBRSCOPE_TARGETS_MAX * sizeof(u32),
	},
	[LBRSCOPE_SESSION_A_TARGET_CGROUP] = { .type = NLA_U32 },
	[LBRSCOPE_SESSION_A_BRANCH_RESET] = { .type = NLA_FLAG },
	[LBRSCOPE_SESSION_A_BRANCH_CALLERS] = { .type = NLA_FLAG },
	[LBRSCOPE_SESSION_A_BRANCH_DEPTH] = NLA_POLICY_MIN(NLA_U32, 1),
	[LBRSCOPE_SESSION_A_TASK_COUNTS] = { .type = NLA_FLAG },
	[LBRSCOPE_SESSION_A_SAMPLE] =
		NLA_POLICY_MASK(NLA_U32, LBRSCOPE_FORMAT_REQUESTS),
	[LBRSCOPE_SESSION_A_USER_STACK] =
		NLA_POLICY_FULL_RANGE(NLA_U32, &netlink_stack_range),
	[LBRSCOPE_SESSION_A_STACK_MODE] =
		NLA_POLICY_MAX(NLA_U32, LBRSCOPE_STACKS_MAX),
	[LBRSCOPE_SESSION_A_STACK_AUDIT] =
		NLA_POLICY_FULL_RANGE(NLA_U32, &netlink_audit_range),
	[LBRSCOPE_SESSION_A_TRIGGERS] =
		NLA_POLICY_NESTED_ARRAY(ls_netlink_trigger_policy),
	[LBRSCOPE_SESSION_A_OFFCPU] = NLA_POLICY_NESTED(netlink_offcpu_policy),
};

int ls_netlink_parse_numbers(struct nlattr *attr, const u32 **numbers, u32 *nr,
			     struct ls_extack *extack)
{
	if (!attr)
		return 0;
	*numbers = nla_data(attr);
	*nr = nla_len(attr) / sizeof(u32);
	if (*nr && nla_len(attr) % sizeof(u32) == 0)
		return 0;
	ls_extack_set_attr(extack, attr, "not an array of u32, or an empty one");
	return -EINVAL;
}

static int ls_netlink_set_parse_tasks(struct genl_info *info,
				      struct ls_target_config *target)
{
	struct nlattr *pids = info->attrs[LBRSCOPE_SESSION_A_TARGET_PIDS];
	struct nlattr *tids = info->attrs[LBRSCOPE_SESSION_A_TARGET_TIDS];
	int err;

	err = ls_netlink_parse_numbers(pids, &target->pids, &target->nr_pids,
				       ls_extack_of(info));
	if (!err)
		err = ls_netlink_parse_numbers(tids, &target->tids, &target->nr_tids,
					       ls_extack_of(info));
	if (err)
		return err;
	if (target->nr_pids + target->nr_tids <= LBRSCOPE_TARGETS_MAX)
		return 0;
	ls_extack_set_attr(ls_extack_of(info), tids, "TARGET_PIDS and TARGET_TIDS have more than LBRSCOPE_TARGETS_MAX together");
	return -E2BIG;
}

static int ls_netlink_set_parse_target(struct genl_info *info,
				       struct ls_target_config *target)
{
	struct nlattr *cgroup = info->attrs[LBRSCOPE_SESSION_A_TARGET_CGROUP];
	int err = ls_netlink_set_parse_tasks(info, target);

	if (err || !cgroup)
		return err;
	target->in_cgroup = true;
	target->cgroup = nla_get_u32(cgroup);
	if (!target->nr_pids && !target->nr_tids)
		return 0;
	ls_extack_set_attr(ls_extack_of(info), cgroup, "TARGET_CGROUP excludes TARGET_PIDS and TARGET_TIDS");
	return -EINVAL;
}

/* Parses the targets, the CPUs and the beginning. */
static int ls_netlink_set_parse_scope(struct genl_info *info,
				      struct ls_session_config *config)
{
	struct nlattr *cpus = info->attrs[LBRSCOPE_SESSION_A_CPUS];
	struct nlattr *exec = info->attrs[LBRSCOPE_SESSION_A_ENABLE_ON_EXEC];
	struct nlattr *counts = info->attrs[LBRSCOPE_SESSION_A_TASK_COUNTS];
	int err = ls_netlink_set_parse_target(info, &config->target);

	if (err)
		return err;
	if (cpus)
		config->cpus = nla_data(cpus);
	config->on_exec = exec;
	config->task_counts = counts;
	if ((!exec && !counts) || config->target.nr_pids || config->target.nr_tids)
		return 0;
	ls_extack_set_attr(ls_extack_of(info), exec ? exec : counts,
			   "ENABLE_ON_EXEC and TASK_COUNTS need TARGET_PIDS or TARGET_TIDS");
	return -EINVAL;
}

/* Returns: the filters that a history may have; 0: this CPU has no histories. */
u32 ls_netlink_filters(void)
{
	if (!ls_caps.lbr_depth)
		return 0;
	/* Without freezing, branches of the NMI would replace all others. */
	return ls_caps.lbr_freeze ? LBRSCOPE_FILTER_ALL :
	       LBRSCOPE_FILTER_ALL & ~LBRSCOPE_FILTER_KERNEL;
}

static int ls_netlink_set_parse_filter(struct genl_info *info, struct nlattr *attr,
				       struct ls_lbr_mode *mode)
{
	mode->filter = LBRSCOPE_FILTER_ALL & ~LBRSCOPE_FILTER_KERNEL;
	if (attr)
		mode->filter = nla_get_u32(attr);
	if (!(mode->filter & LBRSCOPE_FILTER_LEVELS) ||
	    !(mode->filter & LBRSCOPE_FILTER_KINDS)) {
		ls_extack_set_attr(ls_extack_of(info), attr, "the filter passes no branch: it needs a level and a kind");
		return -EINVAL;
	}
	if (mode->filter & ~ls_netlink_filters()) {
		ls_extack_set_attr(ls_extack_of(info), attr, "kernel branches need records that freeze on an interrupt, which this CPU does not have");
		return -EOPNOTSUPP;
	}
	if (!ls_caps.lbr_filter && mode->filter != LBRSCOPE_FILTER_ALL) {
		ls_extack_set_attr(ls_extack_of(info), attr, "this CPU cannot filter branches: ask for all levels and kinds");
		return -EOPNOTSUPP;
	}
	return 0;
}

/* How many of its entries a record has; default: all. */
static int ls_netlink_set_parse_depth(struct genl_info *info, struct ls_lbr_mode *mode)
{
	struct nlattr *attr = info->attrs[LBRSCOPE_SESSION_A_BRANCH_DEPTH];

	mode->depth = attr ? nla_get_u32(attr) : ls_caps.lbr_depth;
	if (!attr || (ls_lbr_wanted(mode) && mode->depth <= ls_caps.lbr_depth))
		return 0;
	if (ls_lbr_wanted(mode))
		ls_extack_set_attr(ls_extack_of(info), attr, "this CPU's branch records have %u entries",
				   ls_caps.lbr_depth);
	else
		ls_extack_set_attr(ls_extack_of(info), attr, "BRANCH_DEPTH needs BRANCHES");
	return -EINVAL;
}

static int ls_netlink_set_parse_branches(struct genl_info *info,
					 struct ls_session_config *config)
{
	struct nlattr *attr = info->attrs[LBRSCOPE_SESSION_A_BRANCHES];
	struct nlattr *filter = info->attrs[LBRSCOPE_SESSION_A_BRANCH_FILTER];
	struct nlattr *reset = info->attrs[LBRSCOPE_SESSION_A_BRANCH_RESET];
	struct nlattr *callers = info->attrs[LBRSCOPE_SESSION_A_BRANCH_CALLERS];
	u32 branches = attr ? nla_get_u32(attr) : LBRSCOPE_BRANCHES_NONE;
	int err = 0;

	config->branches.call_stack = branches == LBRSCOPE_BRANCHES_CALL_STACK;
	config->branches.history = branches == LBRSCOPE_BRANCHES_HISTORY;
	config->branches.reset = reset;
	config->branches.targets = config->branches.call_stack && !callers;
	if (reset && !config->branches.call_stack) {
		ls_extack_set_attr(ls_extack_of(info), reset, "BRANCH_RESET needs BRANCHES_CALL_STACK: a history is emptied at each switch anyway");
		return -EINVAL;
	}
	if (callers && !config->branches.call_stack) {
		ls_extack_set_attr(ls_extack_of(info), callers, "BRANCH_CALLERS needs BRANCHES_CALL_STACK: a history has both ends of each branch");
		return -EINVAL;
	}
	if (ls_lbr_wanted(&config->branches) && ls_caps.lbr_differs) {
		ls_extack_set_attr(ls_extack_of(info), attr, "the CPU's cores have branch records of several kinds");
		return -EOPNOTSUPP;
	}
	if (ls_lbr_wanted(&config->branches) && !ls_caps.lbr_depth) {
		ls_extack_set_attr(ls_extack_of(info), attr, "this CPU, or this virtual machine, has no branch records");
		return -EOPNOTSUPP;
	}
	if (config->branches.call_stack && !ls_caps.call_stack) {
		ls_extack_set_attr(ls_extack_of(info), attr, "this CPU's branch records have no call-stack mode; a history can be recorded");
		return -EOPNOTSUPP;
	}
	if (filter && !config->branches.history) {
		ls_extack_set_attr(ls_extack_of(info), filter, "BRANCH_FILTER needs BRANCHES_HISTORY");
		return -EINVAL;
	}
	if (config->branches.history)
		err = ls_netlink_set_parse_filter(info, filter, &config->branches);
	return err ?: ls_netlink_set_parse_depth(info, &config->branches);
}

/* Parses the choice of samples that carry the stack. */
static int ls_netlink_set_parse_stacks(struct genl_info *info,
				       struct ls_sample_config *sample)
{
	struct nlattr *mode = info->attrs[LBRSCOPE_SESSION_A_STACK_MODE];
	struct nlattr *audit = info->attrs[LBRSCOPE_SESSION_A_STACK_AUDIT];

	sample->selects_new = mode && nla_get_u32(mode) == LBRSCOPE_STACKS_NEW;
	sample->selects = sample->selects_new ||
			  (mode && nla_get_u32(mode) == LBRSCOPE_STACKS_SELECTED);
	if (mode && !sample->stack) {
		ls_extack_set_attr(ls_extack_of(info), mode, "STACK_MODE needs LBRSCOPE_FORMAT_USER_STACK in SAMPLE");
		return -EINVAL;
	}
	if (audit && !sample->selects) {
		ls_extack_set_attr(ls_extack_of(info), audit, "STACK_AUDIT needs STACK_MODE LBRSCOPE_STACKS_SELECTED or _NEW: without it all samples have the stack, or none");
		return -EINVAL;
	}
	if (audit)
		sample->audit = nla_get_u32(audit);
	return 0;
}

static int ls_netlink_set_parse_sample(struct genl_info *info,
				       struct ls_sample_config *sample)
{
	struct nlattr *attr = info->attrs[LBRSCOPE_SESSION_A_SAMPLE];
	struct nlattr *stack = info->attrs[LBRSCOPE_SESSION_A_USER_STACK];

	if (attr)
		sample->format = nla_get_u32(attr);
	if (sample->format & LBRSCOPE_FORMAT_USER_STACK) {
		sample->stack = stack ? nla_get_u32(stack) :
					LBRSCOPE_USER_STACK_DEFAULT;
		if (!(sample->format & LBRSCOPE_FORMAT_USER_REGS)) {
			ls_extack_set_attr(ls_extack_of(info), attr, "USER_STACK needs USER_REGS: where the stack begins is in sp");
			return -EINVAL;
		}
	} else if (stack) {
		ls_extack_set_attr(ls_extack_of(info), stack, "USER_STACK needs LBRSCOPE_FORMAT_USER_STACK in SAMPLE");
		return -EINVAL;
	}
	if (sample->format & LBRSCOPE_FORMAT_USER_CHAIN) {
		if (!sample->stack) {
			ls_extack_set_attr(ls_extack_of(info), attr, "USER_CHAIN needs USER_STACK, which it replaces");
			return -EINVAL;
		}
		/* A request, and no part of each sample. */
		sample->format &= ~LBRSCOPE_FORMAT_USER_CHAIN;
		sample->chains = true;
	}
	if (sample->stack % sizeof(u64)) {
		ls_extack_set_attr(ls_extack_of(info), stack, "not a multiple of 8");
		return -EINVAL;
	}
	if (sample->format & LBRSCOPE_FORMAT_CGROUP &&
	    !IS_ENABLED(CONFIG_CGROUPS)) {
		ls_extack_set_attr(ls_extack_of(info), attr, "this kernel has no cgroups");
		return -EOPNOTSUPP;
	}
	return ls_netlink_set_parse_stacks(info, sample);
}

static int ls_netlink_set_parse_ring(struct genl_info *info,
				     struct ls_session_config *config)
{
	struct nlattr *attr = info->attrs[LBRSCOPE_SESSION_A_RING_SIZE];

	config->overwrite = info->attrs[LBRSCOPE_SESSION_A_OVERWRITE];
	if (!attr)
		return 0;
	config->ring_size = nla_get_u32(attr);
	if (is_power_of_2(config->ring_size))
		return 0;
	ls_extack_set_attr(ls_extack_of(info), attr, "not a power of two");
	return -EINVAL;
}

static int ls_netlink_set_parse_offcpu(struct genl_info *info,
				       struct ls_session_config *config)
{
	struct nlattr *nest = info->attrs[LBRSCOPE_SESSION_A_OFFCPU];
	struct nlattr *tb[LBRSCOPE_OFFCPU_A_MAX + 1];
	int err;

	if (!nest)
		return 0;
	err = nla_parse_nested(tb, LBRSCOPE_OFFCPU_A_MAX, nest,
			       netlink_offcpu_policy, info->extack);
	if (err)
		return err;
	config->offcpu = (struct ls_offcpu_config){
		.wanted = true,
		.waker = tb[LBRSCOPE_OFFCPU_A_WAKER],
		.callers = tb[LBRSCOPE_OFFCPU_A_CALLERS],
		.rate = LBRSCOPE_OFFCPU_RATE_DEFAULT,
	};
	if (tb[LBRSCOPE_OFFCPU_A_MIN])
		config->offcpu.min = nla_get_u64(tb[LBRSCOPE_OFFCPU_A_MIN]);
	if (tb[LBRSCOPE_OFFCPU_A_RATE])
		config->offcpu.rate = nla_get_u32(tb[LBRSCOPE_OFFCPU_A_RATE]);
	return 0;
}

int ls_netlink_parse_set(struct genl_info *info, struct ls_session_config *config,
			 struct ls_events **events, struct ls_triggers **triggers)
{
	int err;

	*config = (struct ls_session_config){
		.ring_size = LBRSCOPE_RING_SIZE_DEFAULT,
		.budget = LBRSCOPE_BUDGET_MAX,
	};
	if (info->attrs[LBRSCOPE_SESSION_A_BUDGET])
		config->budget = nla_get_u32(info->attrs[LBRSCOPE_SESSION_A_BUDGET]);
	if (ls_caps.unsupported) {
		ls_extack_set(ls_extack_of(info), "%s", ls_caps.unsupported);
		return -EOPNOTSUPP;
	}
	err = ls_netlink_set_parse_scope(info, config);
	if (!err)
		err = ls_netlink_set_parse_branches(info, config);
	if (!err)
		err = ls_netlink_set_parse_sample(info, &config->sample);
	if (!err)
		err = ls_netlink_set_parse_ring(info, config);
	if (!err)
		err = ls_netlink_set_parse_offcpu(info, config);
	if (!err)
		err = ls_netlink_parse_events(info, config, events);
	if (err)
		return err;
	err = ls_netlink_parse_triggers(info, config, *events, triggers);
	if (err)
		kvfree(*events);
	return err;
}
