// SPDX-License-Identifier: GPL-2.0
/*
 * The generic netlink family: from attributes to calls of session.c, and from
 * its results to attributes.  <linux/lbrscope.h> is the contract.
 */
#include <linux/capability.h>
#include <linux/file.h>
#include <linux/log2.h>
#include <linux/module.h>
#include <net/genetlink.h>
#include <asm/perf_event.h>

#include <linux/lbrscope.h>
#include <linux/lbrscope_ring.h>

#include "caps.h"
#include "compat/netlink.h"
#include "netlink.h"
#include "session.h"

static struct genl_family netlink_family;

/*
 * What an event's config may hold; see LBRSCOPE_EVENT_A_CONFIG.  A policy's
 * mask has 32 bits, and AMD's event select goes beyond them.
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
 * The bounds are given here and not in the calls below, so that whoever asks
 * the kernel for the policy (CTRL_CMD_GETPOLICY) sees them.
 */
static struct netlink_range_validation netlink_period_range = {
	.min = CAPS_PERIOD_MIN,
	.max = S32_MAX,
};

static struct netlink_range_validation netlink_frequency_range = {
	.min = 1,
	.max = LBRSCOPE_FREQUENCY_MAX,
};

static const struct nla_policy
netlink_event_policy[LBRSCOPE_EVENT_A_MAX + 1] = {
	[LBRSCOPE_EVENT_A_CONFIG] = { .type = NLA_U64 },
	[LBRSCOPE_EVENT_A_PERIOD] =
		NLA_POLICY_FULL_RANGE(NLA_U64, &netlink_period_range),
	[LBRSCOPE_EVENT_A_ID] = { .type = NLA_U8 },
	[LBRSCOPE_EVENT_A_FREQUENCY] =
		NLA_POLICY_FULL_RANGE(NLA_U32, &netlink_frequency_range),
	[LBRSCOPE_EVENT_A_JITTER] =
		NLA_POLICY_MAX(NLA_U32, LBRSCOPE_JITTER_MAX),
	[LBRSCOPE_EVENT_A_SEED] = { .type = NLA_U64 },
};

static struct netlink_range_validation netlink_ring_range = {
	.min = LBRSCOPE_RING_SIZE_MIN,
	.max = LBRSCOPE_RING_SIZE_MAX,
};

static const struct nla_policy
netlink_set_policy[LBRSCOPE_SESSION_A_MAX + 1] = {
	[LBRSCOPE_SESSION_A_FD] = { .type = NLA_U32 },
	[LBRSCOPE_SESSION_A_EVENT] = NLA_POLICY_NESTED(netlink_event_policy),
	[LBRSCOPE_SESSION_A_BRANCHES] =
		NLA_POLICY_MAX(NLA_U32, LBRSCOPE_BRANCHES_MAX),
	[LBRSCOPE_SESSION_A_TARGET_PID] = NLA_POLICY_MIN(NLA_U32, 1),
	[LBRSCOPE_SESSION_A_ENABLE_ON_EXEC] = { .type = NLA_FLAG },
	[LBRSCOPE_SESSION_A_RING_SIZE] =
		NLA_POLICY_FULL_RANGE(NLA_U32, &netlink_ring_range),
	[LBRSCOPE_SESSION_A_BRANCH_FILTER] =
		NLA_POLICY_MASK(NLA_U32, LBRSCOPE_FILTER_ALL),
	[LBRSCOPE_SESSION_A_CPUS] = {
		.type = NLA_NUL_STRING, .len = LBRSCOPE_CPUS_MAX,
	},
};

/* A command without attributes: with no policy at all, any would do. */
static const struct nla_policy netlink_no_policy[LBRSCOPE_INFO_A_PAD + 1] = {
	[LBRSCOPE_INFO_A_PAD] = { .type = NLA_REJECT },
};

static const struct nla_policy
netlink_fd_policy[LBRSCOPE_SESSION_A_FD + 1] = {
	[LBRSCOPE_SESSION_A_FD] = { .type = NLA_U32 },
};

/*
 * The session that the sender's descriptor names, with a reference to its file
 * that the caller drops.  The sender's rights are those of the socket and of
 * the task, so that a descriptor that was passed on gives none.
 */
static struct file *netlink_get_session(struct sk_buff *skb,
					struct genl_info *info,
					struct session **session)
{
	struct nlattr *attr = info->attrs[LBRSCOPE_SESSION_A_FD];
	struct file *file;

	if (!netlink_capable(skb, CAP_PERFMON) &&
	    !netlink_capable(skb, CAP_SYS_ADMIN)) {
		NL_SET_ERR_MSG(info->extack, "CAP_PERFMON or CAP_SYS_ADMIN is needed");
		return ERR_PTR(-EPERM);
	}
	if (!attr) {
		NL_SET_ERR_MSG(info->extack, "attribute FD is missing");
		return ERR_PTR(-EINVAL);
	}
	file = fget(nla_get_u32(attr));
	if (file && file->f_op == &ls_session_fops) {
		*session = file->private_data;
		return file;
	}
	if (file)
		fput(file);
	NL_SET_ERR_MSG_ATTR(info->extack, attr, "not a descriptor of " LBRSCOPE_DEVICE);
	return ERR_PTR(-EBADF);
}

static int netlink_check_config(struct nlattr *attr,
				struct netlink_ext_ack *extack)
{
	u64 evtsel = nla_get_u64(attr);
	u64 known = NETLINK_CONFIG_MASK;

	if (boot_cpu_data.x86_vendor != X86_VENDOR_INTEL)
		known |= NETLINK_CONFIG_AMD;
	if (evtsel & ~known) {
		NL_SET_ERR_MSG_ATTR(extack, attr, "the config has bits that this CPU's event select does not have, or that are the module's");
		return -EINVAL;
	}
	if (!(evtsel & NETLINK_CONFIG_RINGS)) {
		NL_SET_ERR_MSG_ATTR(extack, attr, "neither USR nor OS is set: the event would count nothing");
		return -EINVAL;
	}
	return 0;
}

static void netlink_parse_pace(struct nlattr **tb, struct pace_config *pace)
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

static int netlink_parse_event(struct genl_info *info,
			       struct session_config *config)
{
	struct nlattr *nest = info->attrs[LBRSCOPE_SESSION_A_EVENT];
	struct nlattr *tb[LBRSCOPE_EVENT_A_MAX + 1];
	int err;

	if (!nest) {
		NL_SET_ERR_MSG(info->extack, "attribute EVENT is missing");
		return -EINVAL;
	}
	err = nla_parse_nested(tb, LBRSCOPE_EVENT_A_MAX, nest,
			       netlink_event_policy, info->extack);
	if (err)
		return err;
	if (!tb[LBRSCOPE_EVENT_A_CONFIG] ||
	    !tb[LBRSCOPE_EVENT_A_PERIOD] == !tb[LBRSCOPE_EVENT_A_FREQUENCY]) {
		NL_SET_ERR_MSG_ATTR(info->extack, nest, "an event needs CONFIG, and either PERIOD or FREQUENCY");
		return -EINVAL;
	}
	config->evtsel = nla_get_u64(tb[LBRSCOPE_EVENT_A_CONFIG]);
	netlink_parse_pace(tb, &config->pace);
	if (tb[LBRSCOPE_EVENT_A_ID])
		config->event = nla_get_u8(tb[LBRSCOPE_EVENT_A_ID]);
	return netlink_check_config(tb[LBRSCOPE_EVENT_A_CONFIG], info->extack);
}

static int netlink_parse_target(struct genl_info *info,
				struct session_config *config)
{
	struct nlattr **attrs = info->attrs;

	if (attrs[LBRSCOPE_SESSION_A_TARGET_PID])
		config->target =
			nla_get_u32(attrs[LBRSCOPE_SESSION_A_TARGET_PID]);
	if (attrs[LBRSCOPE_SESSION_A_CPUS])
		config->cpus = nla_data(attrs[LBRSCOPE_SESSION_A_CPUS]);
	config->on_exec = attrs[LBRSCOPE_SESSION_A_ENABLE_ON_EXEC];
	if (!config->on_exec || config->target)
		return 0;
	NL_SET_ERR_MSG_ATTR(info->extack,
			    attrs[LBRSCOPE_SESSION_A_ENABLE_ON_EXEC],
			    "ENABLE_ON_EXEC needs TARGET_PID");
	return -EINVAL;
}

/* What a history can be asked for here, 0: there are none. */
static u32 netlink_filters(void)
{
	if (!ls_caps.lbr_depth)
		return 0;
	/* The NMI's own branches would push out all others. */
	return ls_caps.lbr_freeze ? LBRSCOPE_FILTER_ALL :
	       LBRSCOPE_FILTER_ALL & ~LBRSCOPE_FILTER_KERNEL;
}

static int netlink_parse_filter(struct genl_info *info, struct nlattr *attr,
				struct lbr_mode *mode)
{
	mode->filter = LBRSCOPE_FILTER_ALL & ~LBRSCOPE_FILTER_KERNEL;
	if (attr)
		mode->filter = nla_get_u32(attr);
	if (!(mode->filter & LBRSCOPE_FILTER_LEVELS) ||
	    !(mode->filter & LBRSCOPE_FILTER_KINDS)) {
		NL_SET_ERR_MSG_ATTR(info->extack, attr, "the filter lets nothing through: it needs a level and a kind");
		return -EINVAL;
	}
	if (mode->filter & ~netlink_filters()) {
		NL_SET_ERR_MSG_ATTR(info->extack, attr, "kernel branches need records that freeze on an interrupt, which this CPU does not have");
		return -EOPNOTSUPP;
	}
	if (!ls_caps.lbr_filter && mode->filter != LBRSCOPE_FILTER_ALL) {
		NL_SET_ERR_MSG_ATTR(info->extack, attr, "this CPU cannot filter branches: ask for all levels and kinds");
		return -EOPNOTSUPP;
	}
	return 0;
}

static int netlink_parse_branches(struct genl_info *info,
				  struct session_config *config)
{
	struct nlattr *attr = info->attrs[LBRSCOPE_SESSION_A_BRANCHES];
	struct nlattr *filter = info->attrs[LBRSCOPE_SESSION_A_BRANCH_FILTER];
	u32 branches = attr ? nla_get_u32(attr) : LBRSCOPE_BRANCHES_NONE;

	config->branches.call_stack = branches == LBRSCOPE_BRANCHES_CALL_STACK;
	config->branches.history = branches == LBRSCOPE_BRANCHES_HISTORY;
	if (ls_lbr_wanted(&config->branches) && !ls_caps.lbr_depth) {
		NL_SET_ERR_MSG_ATTR(info->extack, attr, "this CPU, or this virtual machine, has no branch records");
		return -EOPNOTSUPP;
	}
	if (config->branches.call_stack && !ls_caps.call_stack) {
		NL_SET_ERR_MSG_ATTR(info->extack, attr, "this CPU's branch records have no call-stack mode; a history can be recorded");
		return -EOPNOTSUPP;
	}
	if (config->branches.history)
		return netlink_parse_filter(info, filter, &config->branches);
	if (!filter)
		return 0;
	NL_SET_ERR_MSG_ATTR(info->extack, filter, "BRANCH_FILTER needs BRANCHES_HISTORY");
	return -EINVAL;
}

static int netlink_parse_ring(struct genl_info *info,
			      struct session_config *config)
{
	struct nlattr *attr = info->attrs[LBRSCOPE_SESSION_A_RING_SIZE];

	if (!attr)
		return 0;
	config->ring_size = nla_get_u32(attr);
	if (is_power_of_2(config->ring_size))
		return 0;
	NL_SET_ERR_MSG_ATTR(info->extack, attr, "not a power of two");
	return -EINVAL;
}

static int netlink_parse_config(struct genl_info *info,
				struct session_config *config)
{
	int err;

	if (ls_caps.unsupported) {
		NL_SET_ERR_MSG_FMT(info->extack, "%s", ls_caps.unsupported);
		return -EOPNOTSUPP;
	}
	err = netlink_parse_event(info, config);
	if (!err)
		err = netlink_parse_target(info, config);
	if (!err)
		err = netlink_parse_branches(info, config);
	if (!err)
		err = netlink_parse_ring(info, config);
	return err;
}

static int netlink_session_set(struct sk_buff *skb, struct genl_info *info)
{
	struct session_config config = {
		.ring_size = LBRSCOPE_RING_SIZE_DEFAULT,
	};
	struct session *session;
	struct file *file = netlink_get_session(skb, info, &session);
	int err;

	if (IS_ERR(file))
		return PTR_ERR(file);
	err = netlink_parse_config(info, &config);
	if (!err)
		err = ls_session_set(session, &config, info->extack);
	fput(file);
	return err;
}

static int netlink_act(struct sk_buff *skb, struct genl_info *info,
		       int (*act)(struct session *session,
				  struct netlink_ext_ack *extack))
{
	struct session *session;
	struct file *file = netlink_get_session(skb, info, &session);
	int err;

	if (IS_ERR(file))
		return PTR_ERR(file);
	err = act(session, info->extack);
	fput(file);
	return err;
}

static int netlink_session_start(struct sk_buff *skb, struct genl_info *info)
{
	return netlink_act(skb, info, ls_session_start);
}

static int netlink_session_stop(struct sk_buff *skb, struct genl_info *info)
{
	return netlink_act(skb, info, ls_session_stop);
}

/* Sends msg if filling it went well, and gives up on it otherwise. */
static int netlink_reply(struct sk_buff *msg, void *header, int err,
			 struct genl_info *info)
{
	if (err) {
		nlmsg_free(msg);
		return err;
	}
	genlmsg_end(msg, header);
	return genlmsg_reply(msg, info);
}

static int netlink_put_lost(struct sk_buff *msg, const u64 *lost)
{
	struct nlattr *nest = nla_nest_start(msg, LBRSCOPE_STATS_A_LOST);
	int i;

	if (!nest)
		return -EMSGSIZE;
	for (i = 0; i < LBRSCOPE_LOST_NR; i++)
		if (nla_put(msg, 1 + i, sizeof(u64), &lost[i]))
			return -EMSGSIZE;
	nla_nest_end(msg, nest);
	return 0;
}

static int netlink_put_stats(struct sk_buff *msg,
			     const struct session_stats *stats)
{
	if ((stats->running && nla_put_flag(msg, LBRSCOPE_STATS_A_RUNNING)) ||
	    nla_put_u64_64bit(msg, LBRSCOPE_STATS_A_PRODUCED, stats->produced,
			      LBRSCOPE_STATS_A_PAD) ||
	    nla_put_u64_64bit(msg, LBRSCOPE_STATS_A_DELIVERED,
			      stats->delivered, LBRSCOPE_STATS_A_PAD) ||
	    netlink_put_lost(msg, stats->lost) ||
	    nla_put_u64_64bit(msg, LBRSCOPE_STATS_A_UNTRACKED,
			      stats->untracked, LBRSCOPE_STATS_A_PAD))
		return -EMSGSIZE;
	return 0;
}

static int netlink_session_get(struct sk_buff *skb, struct genl_info *info)
{
	struct session_stats stats;
	struct session *session;
	struct sk_buff *msg;
	struct file *file = netlink_get_session(skb, info, &session);
	void *header;

	if (IS_ERR(file))
		return PTR_ERR(file);
	ls_session_get(session, &stats);
	fput(file);

	msg = genlmsg_new(NLMSG_DEFAULT_SIZE, GFP_KERNEL);
	if (!msg)
		return -ENOMEM;
	header = genlmsg_put_reply(msg, info, &netlink_family, 0,
				   LBRSCOPE_CMD_SESSION_GET);
	return netlink_reply(msg, header, header ?
			     netlink_put_stats(msg, &stats) : -EMSGSIZE, info);
}

static int netlink_put_caps(struct sk_buff *msg)
{
	const u32 filters = netlink_filters();
	const struct { int attr; const u32 *value; } numbers[] = {
		{ LBRSCOPE_INFO_A_FAMILY, &ls_caps.family },
		{ LBRSCOPE_INFO_A_MODEL, &ls_caps.model },
		{ LBRSCOPE_INFO_A_STEPPING, &ls_caps.stepping },
		{ LBRSCOPE_INFO_A_PMU_VERSION, &ls_caps.pmu_version },
		{ LBRSCOPE_INFO_A_GP_COUNTERS, &ls_caps.gp_counters },
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
			    ls_caps.unsupported)))
		return -EMSGSIZE;
	return 0;
}

static int netlink_put_owner(struct sk_buff *msg)
{
	char comm[TASK_COMM_LEN];
	u32 pid;

	if (!ls_session_owner(&pid, comm))
		return 0;
	if (nla_put_u32(msg, LBRSCOPE_INFO_A_OWNER_PID, pid) ||
	    nla_put_string(msg, LBRSCOPE_INFO_A_OWNER_COMM, comm))
		return -EMSGSIZE;
	return 0;
}

static int netlink_info_get(struct sk_buff *skb, struct genl_info *info)
{
	struct sk_buff *msg = genlmsg_new(NLMSG_DEFAULT_SIZE, GFP_KERNEL);
	void *header;
	int err = -EMSGSIZE;

	if (!msg)
		return -ENOMEM;
	header = genlmsg_put_reply(msg, info, &netlink_family, 0,
				   LBRSCOPE_CMD_INFO_GET);
	if (header)
		err = netlink_put_caps(msg);
	if (!err)
		err = netlink_put_owner(msg);
	return netlink_reply(msg, header, err, info);
}

static const struct genl_ops netlink_ops[] = {
	{
		.cmd = LBRSCOPE_CMD_INFO_GET,
		.doit = netlink_info_get,
		.policy = netlink_no_policy,
		.maxattr = LBRSCOPE_INFO_A_PAD,
	}, {
		.cmd = LBRSCOPE_CMD_SESSION_SET,
		.doit = netlink_session_set,
		.policy = netlink_set_policy,
		.maxattr = LBRSCOPE_SESSION_A_MAX,
	}, {
		.cmd = LBRSCOPE_CMD_SESSION_START,
		.doit = netlink_session_start,
		.policy = netlink_fd_policy,
		.maxattr = LBRSCOPE_SESSION_A_FD,
	}, {
		.cmd = LBRSCOPE_CMD_SESSION_STOP,
		.doit = netlink_session_stop,
		.policy = netlink_fd_policy,
		.maxattr = LBRSCOPE_SESSION_A_FD,
	}, {
		.cmd = LBRSCOPE_CMD_SESSION_GET,
		.doit = netlink_session_get,
		.policy = netlink_fd_policy,
		.maxattr = LBRSCOPE_SESSION_A_FD,
	},
};

static struct genl_family netlink_family = {
	.name = LBRSCOPE_GENL_NAME,
	.version = LBRSCOPE_GENL_VERSION,
	.module = THIS_MODULE,
	.ops = netlink_ops,
	.n_ops = ARRAY_SIZE(netlink_ops),
	/* All commands: reserved header bits are checked too. */
	COMPAT_RESV_START_OP(LBRSCOPE_CMD_UNSPEC + 1)
};

int ls_netlink_init(void)
{
	return genl_register_family(&netlink_family);
}

void ls_netlink_exit(void)
{
	genl_unregister_family(&netlink_family);
}
