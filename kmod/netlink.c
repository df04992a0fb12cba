// SPDX-License-Identifier: GPL-2.0
/*
 * The generic netlink family: translates attributes to calls of session.c, and results
 * to attributes.  <linux/lbrscope.h> is the contract.
 */
#include <linux/capability.h>
#include <linux/file.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <net/genetlink.h>

#include <linux/lbrscope.h>
#include <linux/lbrscope_ring.h>

#include "caps.h"
#include "compat/netlink.h"
#include "extack.h"
#include "netlink.h"
#include "netlink_set.h"
#include "regs.h"
#include "session.h"
#include "trigger.h"

static struct genl_family netlink_family;

/* The policy of a command without attributes: without a policy any would be accepted. */
static const struct nla_policy netlink_no_policy[LBRSCOPE_INFO_A_PAD + 1] = {
	[LBRSCOPE_INFO_A_PAD] = { .type = NLA_REJECT },
};

static const struct nla_policy
netlink_fd_policy[LBRSCOPE_SESSION_A_FD + 1] = {
	[LBRSCOPE_SESSION_A_FD] = { .type = NLA_U32 },
};

static const struct nla_policy
netlink_counts_policy[LBRSCOPE_SESSION_A_CPU + 1] = {
	[LBRSCOPE_SESSION_A_FD] = { .type = NLA_U32 },
	[LBRSCOPE_SESSION_A_CPU] = { .type = NLA_U32 },
};

static const struct nla_policy
netlink_task_counts_policy[LBRSCOPE_SESSION_A_CURSOR + 1] = {
	[LBRSCOPE_SESSION_A_FD] = { .type = NLA_U32 },
	[LBRSCOPE_SESSION_A_CURSOR] = { .type = NLA_U64 },
};

static const struct nla_policy
netlink_regs_policy[LBRSCOPE_REGS_A_CPU + 1] = {
	[LBRSCOPE_REGS_A_CPU] = { .type = NLA_U32 },
};

/* Returns the open file of the sender's descriptor; the caller drops the reference. */
static struct file *ls_netlink_get_file(struct genl_info *info)
{
	struct nlattr *attr = info->attrs[LBRSCOPE_SESSION_A_FD];
	struct file *file;

	if (!attr) {
		NL_SET_ERR_MSG(info->extack, "attribute FD is missing");
		return ERR_PTR(-EINVAL);
	}
	file = fget(nla_get_u32(attr));
	if (file && file->f_op == &ls_session_fops)
		return file;
	if (file)
		fput(file);
	NL_SET_ERR_MSG_ATTR(info->extack, attr, "not a descriptor of " LBRSCOPE_DEVICE);
	return ERR_PTR(-EBADF);
}

static void ls_netlink_put_session(struct file *file)
{
	struct session *session = file->private_data;

	mutex_unlock(&session->lock);
	fput(file);
}

/*
 * Returns the session of the sender's descriptor, if the sender may command it.  It is
 * locked and its file referenced until ls_netlink_put_session(), so that nothing changes
 * between the check of the rights and the command.
 */
static struct file *ls_netlink_get_session(struct sk_buff *skb,
					   struct genl_info *info,
					   struct session **session)
{
	struct file *file = ls_netlink_get_file(info);

	if (IS_ERR(file))
		return file;
	*session = file->private_data;
	if (mutex_lock_killable(&(*session)->lock)) {
		fput(file);
		return ERR_PTR(-EINTR);
	}
	if (ls_netlink_privileged(skb) || ls_session_is_mine(*session, file)) {
		ls_session_touch(*session);
		return file;
	}
	ls_netlink_put_session(file);
	NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[LBRSCOPE_SESSION_A_FD], "the session is another user's, or of a privileged one: that needs CAP_PERFMON or CAP_SYS_ADMIN");
	return ERR_PTR(-EPERM);
}

/* cred: the unprivileged sender's, or NULL. */
static int ls_netlink_set_locked(struct genl_info *info, struct session *session,
				 const struct cred *cred)
{
	struct session_config config;
	struct triggers *triggers;
	struct events *events;
	int err;

	err = ls_session_check_new(session, info->extack);
	if (!err)
		err = ls_netlink_parse_set(info, &config, &events, &triggers);
	if (err)
		return err;
	if (cred)
		err = ls_netlink_check_unprivileged(info, &config, events,
						    triggers);
	if (!err)
		err = ls_session_set(session, &config, events, triggers, cred,
				     info->extack);
	if (err) {
		ls_netlink_blame_event(info, events);
		kvfree(events);
		ls_triggers_free(triggers);
	}
	return err;
}

static int ls_netlink_session_set(struct sk_buff *skb, struct genl_info *info)
{
	struct session *session;
	struct file *file = ls_netlink_get_session(skb, info, &session);
	int err;

	if (IS_ERR(file))
		return PTR_ERR(file);
	err = ls_netlink_set_locked(info, session,
				    ls_netlink_privileged(skb) ? NULL : file->f_cred);
	ls_netlink_put_session(file);
	return err;
}

static int ls_netlink_act(struct sk_buff *skb, struct genl_info *info,
			  int (*act)(struct session *session,
				     struct netlink_ext_ack *extack))
{
	struct session *session;
	struct file *file = ls_netlink_get_session(skb, info, &session);
	int err;

	if (IS_ERR(file))
		return PTR_ERR(file);
	err = act(session, info->extack);
	ls_netlink_put_session(file);
	return err;
}

static int ls_netlink_session_start(struct sk_buff *skb, struct genl_info *info)
{
	return ls_netlink_act(skb, info, ls_session_start);
}

static int ls_netlink_session_stop(struct sk_buff *skb, struct genl_info *info)
{
	return ls_netlink_act(skb, info, ls_session_stop);
}

static int ls_netlink_session_freeze(struct sk_buff *skb, struct genl_info *info)
{
	return ls_netlink_act(skb, info, ls_session_freeze);
}

static int ls_netlink_session_thaw(struct sk_buff *skb, struct genl_info *info)
{
	return ls_netlink_act(skb, info, ls_session_thaw);
}

/* Sends msg, or frees it if filling it failed. */
static int ls_netlink_reply(struct sk_buff *msg, void *header, int err,
			    struct genl_info *info)
{
	if (err) {
		nlmsg_free(msg);
		return err;
	}
	genlmsg_end(msg, header);
	return genlmsg_reply(msg, info);
}

/* Puts a nest of counts, each with the type 1 + its index. */
static int ls_netlink_put_counts(struct sk_buff *msg, int attr, const u64 *counts,
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

static int ls_netlink_put_cost(struct sk_buff *msg, const struct cost *cost)
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

static int ls_netlink_put_offcpu(struct sk_buff *msg,
				 const struct session_stats *stats)
{
	if (!stats->offcpu_wanted)
		return 0;
	if (ls_netlink_put_counts(msg, LBRSCOPE_STATS_A_OFFCPU, stats->offcpu,
				  LBRSCOPE_OFFCPU_NR) ||
	    ls_netlink_put_counts(msg, LBRSCOPE_STATS_A_OFFCPU_NS,
				  stats->offcpu_ns, LBRSCOPE_OFFCPU_NR) ||
	    nla_put_u64_64bit(msg, LBRSCOPE_STATS_A_OFFCPU_OPEN,
			      stats->offcpu_open, LBRSCOPE_STATS_A_PAD))
		return -EMSGSIZE;
	return 0;
}

static int ls_netlink_put_stats(struct sk_buff *msg,
				const struct session_stats *stats)
{
	if ((stats->running && nla_put_flag(msg, LBRSCOPE_STATS_A_RUNNING)) ||
	    (stats->frozen && nla_put_flag(msg, LBRSCOPE_STATS_A_FROZEN)) ||
	    (stats->ended &&
	     nla_put_u32(msg, LBRSCOPE_STATS_A_ENDED, stats->ended)) ||
	    nla_put_u64_64bit(msg, LBRSCOPE_STATS_A_PRODUCED, stats->produced,
			      LBRSCOPE_STATS_A_PAD) ||
	    nla_put_u64_64bit(msg, LBRSCOPE_STATS_A_DELIVERED,
			      stats->delivered, LBRSCOPE_STATS_A_PAD) ||
	    ls_netlink_put_counts(msg, LBRSCOPE_STATS_A_LOST, stats->lost,
				  LBRSCOPE_LOST_NR) ||
	    nla_put_u64_64bit(msg, LBRSCOPE_STATS_A_HIDDEN, stats->hidden,
			      LBRSCOPE_STATS_A_PAD) ||
	    nla_put_u64_64bit(msg, LBRSCOPE_STATS_A_UNTRACKED,
			      stats->untracked, LBRSCOPE_STATS_A_PAD) ||
	    nla_put_u64_64bit(msg, LBRSCOPE_STATS_A_TASKS_LOST,
			      stats->tasks_lost, LBRSCOPE_STATS_A_PAD) ||
	    nla_put_u64_64bit(msg, LBRSCOPE_STATS_A_MISSED, stats->missed,
			      LBRSCOPE_STATS_A_PAD))
		return -EMSGSIZE;
	if (ls_netlink_put_cost(msg, &stats->cost))
		return -EMSGSIZE;
	return ls_netlink_put_offcpu(msg, stats);
}

static int ls_netlink_session_get(struct sk_buff *skb, struct genl_info *info)
{
	struct session_stats stats;
	struct session *session;
	struct sk_buff *msg;
	struct file *file = ls_netlink_get_session(skb, info, &session);
	void *header;

	if (IS_ERR(file))
		return PTR_ERR(file);
	ls_session_get(session, &stats);
	ls_netlink_put_session(file);

	msg = genlmsg_new(NLMSG_DEFAULT_SIZE, GFP_KERNEL);
	if (!msg)
		return -ENOMEM;
	header = genlmsg_put_reply(msg, info, &netlink_family, 0,
				   LBRSCOPE_CMD_SESSION_GET);
	return ls_netlink_reply(msg, header, header ?
				ls_netlink_put_stats(msg, &stats) : -EMSGSIZE, info);
}

/* The reply to COUNTS_GET and REGS_GET for a CPU; both have the same attributes. */
static int ls_netlink_fill_array(struct sk_buff *msg, u32 cpu, const void *array,
				 size_t size)
{
	BUILD_BUG_ON((int)LBRSCOPE_COUNTS_A_CPU != (int)LBRSCOPE_REGS_A_CPU ||
		     (int)LBRSCOPE_COUNTS_A_COUNTS != (int)LBRSCOPE_REGS_A_REGS);
	if (nla_put_u32(msg, LBRSCOPE_REGS_A_CPU, cpu) ||
	    nla_put(msg, LBRSCOPE_REGS_A_REGS, size, array))
		return -EMSGSIZE;
	return 0;
}

static int ls_netlink_reply_array(struct genl_info *info, u32 cpu,
				  const void *array, size_t size)
{
	struct sk_buff *msg = genlmsg_new(nla_total_size(sizeof(u32)) +
					  nla_total_size(size), GFP_KERNEL);
	void *header;

	if (!msg)
		return -ENOMEM;
	header = genlmsg_put_reply(msg, info, &netlink_family, 0,
				   info->genlhdr->cmd);
	return ls_netlink_reply(msg, header, header ?
				ls_netlink_fill_array(msg, cpu, array, size) :
				-EMSGSIZE, info);
}

static int ls_netlink_counts_get(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr *attr = info->attrs[LBRSCOPE_SESSION_A_CPU];
	struct lbrscope_count *counts;
	struct session *session;
	struct file *file = ls_netlink_get_session(skb, info, &session);
	int nr = -EINVAL;

	if (IS_ERR(file))
		return PTR_ERR(file);
	counts = kcalloc(LBRSCOPE_EVENTS_MAX, sizeof(*counts), GFP_KERNEL);
	if (!counts)
		nr = -ENOMEM;
	else if (!attr)
		NL_SET_ERR_MSG(info->extack, "attribute CPU is missing");
	else
		nr = ls_session_count(session, nla_get_u32(attr), counts,
				      info->extack);
	ls_netlink_put_session(file);
	if (nr >= 0)
		nr = ls_netlink_reply_array(info, nla_get_u32(attr), counts,
					    nr * sizeof(*counts));
	kfree(counts);
	return nr;
}

/* Bytes of task counts in a reply. */
#define NETLINK_TASKS_PAGE	(16U << 10)

static int ls_netlink_put_tasks(struct sk_buff *msg, const void *tasks, u32 size, u64 cursor)
{
	if (nla_put(msg, LBRSCOPE_COUNTS_A_TASKS, size, tasks) ||
	    (cursor && nla_put_u64_64bit(msg, LBRSCOPE_COUNTS_A_CURSOR, cursor,
					 LBRSCOPE_COUNTS_A_PAD)))
		return -EMSGSIZE;
	return 0;
}

static int ls_netlink_reply_tasks(struct genl_info *info, const void *tasks, u32 size,
				  u64 cursor)
{
	struct sk_buff *msg = genlmsg_new(nla_total_size(size) +
					  nla_total_size_64bit(sizeof(cursor)),
					  GFP_KERNEL);
	void *header;

	if (!msg)
		return -ENOMEM;
	header = genlmsg_put_reply(msg, info, &netlink_family, 0,
				   LBRSCOPE_CMD_TASK_COUNTS_GET);
	return ls_netlink_reply(msg, header, header ?
				ls_netlink_put_tasks(msg, tasks, size, cursor) : -EMSGSIZE,
				info);
}

static int ls_netlink_task_counts_get(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr *attr = info->attrs[LBRSCOPE_SESSION_A_CURSOR];
	u64 cursor = attr ? nla_get_u64(attr) : 0;
	struct session *session;
	struct file *file = ls_netlink_get_session(skb, info, &session);
	void *tasks;
	int ret = -ENOMEM;

	if (IS_ERR(file))
		return PTR_ERR(file);
	tasks = kzalloc(NETLINK_TASKS_PAGE, GFP_KERNEL);
	if (tasks)
		ret = ls_session_count_tasks(session, &cursor, tasks,
					     NETLINK_TASKS_PAGE, info->extack);
	ls_netlink_put_session(file);
	if (ret >= 0)
		ret = ls_netlink_reply_tasks(info, tasks, ret, cursor);
	kfree(tasks);
	return ret;
}

static int ls_netlink_regs_get(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr *attr = info->attrs[LBRSCOPE_REGS_A_CPU];
	struct lbrscope_reg *regs;
	int ret;

	if (!ls_netlink_privileged(skb)) {
		NL_SET_ERR_MSG(info->extack, "that needs CAP_PERFMON or CAP_SYS_ADMIN");
		return -EPERM;
	}
	if (!attr) {
		NL_SET_ERR_MSG(info->extack, "attribute CPU is missing");
		return -EINVAL;
	}
	regs = kcalloc(LBRSCOPE_REGS_MAX, sizeof(*regs), GFP_KERNEL);
	if (!regs)
		return -ENOMEM;
	ret = ls_regs_get(nla_get_u32(attr), regs, info->extack);
	if (ret >= 0)
		ret = ls_netlink_reply_array(info, nla_get_u32(attr), regs,
					     ret * sizeof(*regs));
	kfree(regs);
	return ret;
}

/* A list of CPUs that does not fit is cut; types of cores come in ranges. */
static int ls_netlink_put_core(struct sk_buff *msg, const struct caps_type *type)
{
	const struct caps *caps = &type->caps;
	char cpus[256];

	scnprintf(cpus, sizeof(cpus), "%*pbl", cpumask_pr_args(&type->cpus));
	if (nla_put_string(msg, LBRSCOPE_CORE_A_CPUS, cpus) ||
	    nla_put_u32(msg, LBRSCOPE_CORE_A_TYPE, caps->core) ||
	    nla_put_u32(msg, LBRSCOPE_CORE_A_GP_COUNTERS, caps->gp_counters) ||
	    nla_put_u32(msg, LBRSCOPE_CORE_A_FIXED_COUNTERS,
			caps->fixed_counters) ||
	    nla_put_u32(msg, LBRSCOPE_CORE_A_LBR_FORMAT, caps->lbr_format) ||
	    nla_put_u32(msg, LBRSCOPE_CORE_A_LBR_DEPTH, caps->lbr_depth))
		return -EMSGSIZE;
	return 0;
}

static int ls_netlink_put_cores(struct sk_buff *msg)
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
		if (!nest || ls_netlink_put_core(msg, &ls_caps_types[i]))
			return -EMSGSIZE;
		nla_nest_end(msg, nest);
	}
	nla_nest_end(msg, array);
	return 0;
}

static int ls_netlink_put_caps(struct sk_buff *msg)
{
	const u32 filters = ls_netlink_filters();
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

static int ls_netlink_put_owner(struct sk_buff *msg, bool privileged)
{
	struct session_owner owner;

	if (!ls_session_owner(privileged, &owner))
		return 0;
	if ((owner.yields && nla_put_flag(msg, LBRSCOPE_INFO_A_OWNER_YIELDS)) ||
	    nla_put_u32(msg, LBRSCOPE_INFO_A_OWNER_PID, owner.pid) ||
	    (owner.comm[0] &&
	     nla_put_string(msg, LBRSCOPE_INFO_A_OWNER_COMM, owner.comm)))
		return -EMSGSIZE;
	return 0;
}

static int ls_netlink_info_get(struct sk_buff *skb, struct genl_info *info)
{
	struct sk_buff *msg = genlmsg_new(NLMSG_DEFAULT_SIZE, GFP_KERNEL);
	bool privileged = ls_netlink_privileged(skb);
	void *header;
	int err = -EMSGSIZE;

	if (!msg)
		return -ENOMEM;
	header = genlmsg_put_reply(msg, info, &netlink_family, 0,
				   LBRSCOPE_CMD_INFO_GET);
	if (header)
		err = ls_netlink_put_caps(msg);
	if (!err)
		err = ls_netlink_put_cores(msg);
	if (!err)
		err = ls_netlink_put_owner(msg, privileged);
	if (!err && privileged)
		err = nla_put_flag(msg, LBRSCOPE_INFO_A_PRIVILEGED);
	return ls_netlink_reply(msg, header, err, info);
}

static int (*const netlink_commands[])(struct sk_buff *skb, struct genl_info *info) = {
	[LBRSCOPE_CMD_INFO_GET] = ls_netlink_info_get,
	[LBRSCOPE_CMD_SESSION_SET] = ls_netlink_session_set,
	[LBRSCOPE_CMD_SESSION_START] = ls_netlink_session_start,
	[LBRSCOPE_CMD_SESSION_STOP] = ls_netlink_session_stop,
	[LBRSCOPE_CMD_SESSION_GET] = ls_netlink_session_get,
	[LBRSCOPE_CMD_COUNTS_GET] = ls_netlink_counts_get,
	[LBRSCOPE_CMD_SESSION_FREEZE] = ls_netlink_session_freeze,
	[LBRSCOPE_CMD_SESSION_THAW] = ls_netlink_session_thaw,
	[LBRSCOPE_CMD_TASK_COUNTS_GET] = ls_netlink_task_counts_get,
	[LBRSCOPE_CMD_REGS_GET] = ls_netlink_regs_get,
};

/*
 * Carries out a request and answers a refusal itself: netlink_rcv_skb() would do so after
 * the return, when the text is gone.
 * Returns: 0; or -EINTR, which keeps netlink_rcv_skb() from answering as well, as after
 * netlink_dump_start().
 */
static int ls_netlink_command(struct sk_buff *skb, struct genl_info *info)
{
	struct extack extack = {};
	int err;

	info->extack = &extack.ack;
	err = netlink_commands[info->genlhdr->cmd](skb, info);
	if (!err)
		return 0;
	netlink_ack(skb, nlmsg_hdr(skb), err, &extack.ack);
	return -EINTR;
}

/* The kernel refuses all other commands. */
static const struct genl_ops netlink_ops[] = {
	{
		.cmd = LBRSCOPE_CMD_INFO_GET,
		.doit = ls_netlink_command,
		.policy = netlink_no_policy,
		.maxattr = LBRSCOPE_INFO_A_PAD,
	}, {
		.cmd = LBRSCOPE_CMD_SESSION_SET,
		.doit = ls_netlink_command,
		.policy = ls_netlink_set_policy,
		.maxattr = LBRSCOPE_SESSION_A_MAX,
	}, {
		.cmd = LBRSCOPE_CMD_SESSION_START,
		.doit = ls_netlink_command,
		.policy = netlink_fd_policy,
		.maxattr = LBRSCOPE_SESSION_A_FD,
	}, {
		.cmd = LBRSCOPE_CMD_SESSION_STOP,
		.doit = ls_netlink_command,
		.policy = netlink_fd_policy,
		.maxattr = LBRSCOPE_SESSION_A_FD,
	}, {
		.cmd = LBRSCOPE_CMD_SESSION_GET,
		.doit = ls_netlink_command,
		.policy = netlink_fd_policy,
		.maxattr = LBRSCOPE_SESSION_A_FD,
	}, {
		.cmd = LBRSCOPE_CMD_COUNTS_GET,
		.doit = ls_netlink_command,
		.policy = netlink_counts_policy,
		.maxattr = LBRSCOPE_SESSION_A_CPU,
	}, {
		.cmd = LBRSCOPE_CMD_SESSION_FREEZE,
		.doit = ls_netlink_command,
		.policy = netlink_fd_policy,
		.maxattr = LBRSCOPE_SESSION_A_FD,
	}, {
		.cmd = LBRSCOPE_CMD_SESSION_THAW,
		.doit = ls_netlink_command,
		.policy = netlink_fd_policy,
		.maxattr = LBRSCOPE_SESSION_A_FD,
	}, {
		.cmd = LBRSCOPE_CMD_TASK_COUNTS_GET,
		.doit = ls_netlink_command,
		.policy = netlink_task_counts_policy,
		.maxattr = LBRSCOPE_SESSION_A_CURSOR,
	}, {
		.cmd = LBRSCOPE_CMD_REGS_GET,
		.doit = ls_netlink_command,
		.policy = netlink_regs_policy,
		.maxattr = LBRSCOPE_REGS_A_CPU,
	},
};

static struct genl_family netlink_family = {
	.name = LBRSCOPE_GENL_NAME,
	.version = LBRSCOPE_GENL_VERSION,
	.module = THIS_MODULE,
	/* Whoever has to wait here does not hold up other families; see session.c. */
	.parallel_ops = true,
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
