// SPDX-License-Identifier: GPL-2.0
/*
 * The generic netlink family: translates attributes to calls of session.c, and results
 * to attributes.  <linux/lbrscope.h> is the contract.
 */
#include <linux/cred.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <net/genetlink.h>

#include <linux/lbrscope.h>
#include <linux/lbrscope_ring.h>

#include "base/extack.h"
#include "compat/netlink.h"
#include "netlink/attrs.h"
#include "netlink/command.h"
#include "netlink/netlink.h"
#include "netlink/regs.h"
#include "netlink/reply.h"
#include "netlink/set.h"
#include "netlink/unwind.h"
#include "session/session.h"
#include "trigger/trigger.h"

static struct genl_family netlink_family;

/* cred: the unprivileged sender's, or NULL. */
static int ls_netlink_set_locked(struct genl_info *info, struct ls_session *session,
				 const struct cred *cred)
{
	struct ls_session_config config;
	struct ls_triggers *triggers;
	struct ls_events *events;
	int err;

	err = ls_session_set_check_new(session, ls_extack_of(info));
	if (!err)
		err = ls_netlink_parse_set(info, &config, &events, &triggers);
	if (err)
		return err;
	if (cred)
		err = ls_netlink_check_unprivileged(info, &config, events,
						    triggers);
	if (!err)
		err = ls_session_set(session, &config, events, triggers, cred,
				     ls_extack_of(info));
	if (err) {
		ls_netlink_events_blame(info, events);
		kvfree(events);
		ls_triggers_free(triggers);
	}
	return err;
}

static int ls_netlink_session_set(struct sk_buff *skb, struct genl_info *info)
{
	struct ls_netlink_command command;
	int err = ls_netlink_begin(skb, info, &command);

	if (err)
		return err;
	err = ls_netlink_set_locked(info, command.session,
				    command.person ? command.file->f_cred : NULL);
	ls_netlink_end(&command);
	return err;
}

static int ls_netlink_act(struct sk_buff *skb, struct genl_info *info,
			  int (*act)(struct ls_session *session,
				     struct ls_extack *extack))
{
	struct ls_netlink_command command;
	int err = ls_netlink_begin(skb, info, &command);

	if (err)
		return err;
	err = act(command.session, ls_extack_of(info));
	ls_netlink_end(&command);
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

static int ls_netlink_task_stack(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr *attr = info->attrs[LBRSCOPE_SESSION_A_TARGET_PIDS];
	struct ls_netlink_command command;
	const u32 *pids;
	u32 nr;
	int err = ls_netlink_begin(skb, info, &command);

	if (err)
		return err;
	err = -EINVAL;
	if (!attr)
		ls_extack_set(ls_extack_of(info), "attribute TARGET_PIDS is missing");
	else
		err = ls_netlink_parse_numbers(attr, &pids, &nr, ls_extack_of(info));
	if (!err)
		err = ls_session_select(command.session, pids, nr,
					!info->attrs[LBRSCOPE_SESSION_A_STACK_OFF],
					ls_extack_of(info));
	ls_netlink_end(&command);
	return err;
}

/* Sends msg, or frees it if filling it failed. */
static int ls_netlink_send(struct sk_buff *msg, void *header, int err,
			   struct genl_info *info)
{
	if (err) {
		nlmsg_free(msg);
		return err;
	}
	genlmsg_end(msg, header);
	return genlmsg_reply(msg, info);
}

static int ls_netlink_session_get(struct sk_buff *skb, struct genl_info *info)
{
	struct ls_netlink_command command;
	struct ls_session_stats stats;
	struct sk_buff *msg;
	void *header;
	int err;

	err = ls_netlink_own_set(info, LBRSCOPE_STATS_A_FD, 0, LBRSCOPE_SESSION_A_FD);
	if (!err)
		err = ls_netlink_begin(skb, info, &command);
	if (err)
		return err;
	ls_session_stats_get(command.session, &stats);
	ls_netlink_end(&command);

	msg = genlmsg_new(NLMSG_DEFAULT_SIZE, GFP_KERNEL);
	if (!msg)
		return -ENOMEM;
	header = genlmsg_put_reply(msg, info, &netlink_family, 0,
				   LBRSCOPE_CMD_SESSION_GET);
	return ls_netlink_send(msg, header, header ?
			       ls_netlink_reply_stats(msg, &stats) : -EMSGSIZE, info);
}

static int ls_netlink_send_array(struct genl_info *info, u32 cpu,
				 const void *array, size_t size)
{
	struct sk_buff *msg = genlmsg_new(nla_total_size(sizeof(u32)) +
					  nla_total_size(size), GFP_KERNEL);
	void *header;

	if (!msg)
		return -ENOMEM;
	header = genlmsg_put_reply(msg, info, &netlink_family, 0,
				   info->genlhdr->cmd);
	return ls_netlink_send(msg, header, header ?
			       ls_netlink_reply_array(msg, cpu, array, size) :
			       -EMSGSIZE, info);
}

static int ls_netlink_counts_get(struct sk_buff *skb, struct genl_info *info)
{
	struct ls_netlink_command command;
	struct lbrscope_count *counts;
	struct nlattr *attr;
	int nr;

	nr = ls_netlink_own_set(info, LBRSCOPE_COUNTS_A_FD, LBRSCOPE_COUNTS_A_CPU,
				LBRSCOPE_SESSION_A_CPU);
	if (!nr)
		nr = ls_netlink_begin(skb, info, &command);
	if (nr)
		return nr;
	attr = info->attrs[LBRSCOPE_SESSION_A_CPU];
	nr = -EINVAL;
	counts = kcalloc(LBRSCOPE_EVENTS_MAX, sizeof(*counts), GFP_KERNEL);
	if (!counts)
		nr = -ENOMEM;
	else if (!attr)
		ls_extack_set(ls_extack_of(info), "attribute CPU is missing");
	else
		nr = ls_session_stats_count(command.session, nla_get_u32(attr), counts,
					    ls_extack_of(info));
	ls_netlink_end(&command);
	if (nr >= 0)
		nr = ls_netlink_send_array(info, nla_get_u32(attr), counts,
					   nr * sizeof(*counts));
	kfree(counts);
	return nr;
}

/* The bytes of task counts in a reply. */
#define NETLINK_TASKS_PAGE	(16U << 10)

static int ls_netlink_send_tasks(struct genl_info *info, const void *tasks, u32 size,
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
	return ls_netlink_send(msg, header, header ?
			       ls_netlink_reply_tasks(msg, tasks, size, cursor) : -EMSGSIZE,
			       info);
}

static int ls_netlink_task_counts_get(struct sk_buff *skb, struct genl_info *info)
{
	struct ls_netlink_command command;
	struct nlattr *attr;
	void *tasks;
	u64 cursor;
	int ret;

	ret = ls_netlink_own_set(info, LBRSCOPE_COUNTS_A_FD, LBRSCOPE_COUNTS_A_CURSOR,
				 LBRSCOPE_SESSION_A_CURSOR);
	if (!ret)
		ret = ls_netlink_begin(skb, info, &command);
	if (ret)
		return ret;
	attr = info->attrs[LBRSCOPE_SESSION_A_CURSOR];
	cursor = attr ? nla_get_u64(attr) : 0;
	ret = -ENOMEM;
	tasks = kzalloc(NETLINK_TASKS_PAGE, GFP_KERNEL);
	if (tasks)
		ret = ls_session_stats_count_tasks(command.session, &cursor, tasks,
						   NETLINK_TASKS_PAGE, ls_extack_of(info));
	ls_netlink_end(&command);
	if (ret >= 0)
		ret = ls_netlink_send_tasks(info, tasks, ret, cursor);
	kfree(tasks);
	return ret;
}

static int ls_netlink_regs_get(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr *attr = info->attrs[LBRSCOPE_REGS_A_CPU];
	struct lbrscope_reg *regs;
	int ret;

	if (!ls_netlink_privileged(skb)) {
		ls_extack_set(ls_extack_of(info), "reading registers needs CAP_PERFMON or CAP_SYS_ADMIN");
		return -EPERM;
	}
	if (!attr) {
		ls_extack_set(ls_extack_of(info), "attribute CPU is missing");
		return -EINVAL;
	}
	regs = kcalloc(LBRSCOPE_REGS_MAX, sizeof(*regs), GFP_KERNEL);
	if (!regs)
		return -ENOMEM;
	ret = ls_regs_get(nla_get_u32(attr), regs, ls_extack_of(info));
	if (ret >= 0)
		ret = ls_netlink_send_array(info, nla_get_u32(attr), regs,
					    ret * sizeof(*regs));
	kfree(regs);
	return ret;
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
		err = ls_netlink_reply_info(msg, privileged);
	return ls_netlink_send(msg, header, err, info);
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
	[LBRSCOPE_CMD_TASK_STACK] = ls_netlink_task_stack,
	[LBRSCOPE_CMD_UNWIND_TABLE] = ls_netlink_unwind_table,
	[LBRSCOPE_CMD_UNWIND_PROCESS] = ls_netlink_unwind_process,
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
	struct ls_extack extack = {};
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
		.policy = ls_netlink_no_policy,
		.maxattr = LBRSCOPE_INFO_A_PAD,
	}, {
		.cmd = LBRSCOPE_CMD_SESSION_SET,
		.doit = ls_netlink_command,
		.policy = ls_netlink_set_policy,
		.maxattr = LBRSCOPE_SESSION_A_MAX,
	}, {
		.cmd = LBRSCOPE_CMD_SESSION_START,
		.doit = ls_netlink_command,
		.policy = ls_netlink_fd_policy,
		.maxattr = LBRSCOPE_SESSION_A_FD,
	}, {
		.cmd = LBRSCOPE_CMD_SESSION_STOP,
		.doit = ls_netlink_command,
		.policy = ls_netlink_fd_policy,
		.maxattr = LBRSCOPE_SESSION_A_FD,
	}, {
		.cmd = LBRSCOPE_CMD_SESSION_GET,
		.doit = ls_netlink_command,
		.policy = ls_netlink_get_policy,
		.maxattr = LBRSCOPE_STATS_A_FD,
	}, {
		.cmd = LBRSCOPE_CMD_COUNTS_GET,
		.doit = ls_netlink_command,
		.policy = ls_netlink_counts_policy,
		.maxattr = LBRSCOPE_SESSION_A_CPU,
	}, {
		.cmd = LBRSCOPE_CMD_SESSION_FREEZE,
		.doit = ls_netlink_command,
		.policy = ls_netlink_fd_policy,
		.maxattr = LBRSCOPE_SESSION_A_FD,
	}, {
		.cmd = LBRSCOPE_CMD_SESSION_THAW,
		.doit = ls_netlink_command,
		.policy = ls_netlink_fd_policy,
		.maxattr = LBRSCOPE_SESSION_A_FD,
	}, {
		.cmd = LBRSCOPE_CMD_TASK_COUNTS_GET,
		.doit = ls_netlink_command,
		.policy = ls_netlink_task_counts_policy,
		.maxattr = LBRSCOPE_SESSION_A_CURSOR,
	}, {
		.cmd = LBRSCOPE_CMD_TASK_STACK,
		.doit = ls_netlink_command,
		.policy = ls_netlink_task_stack_policy,
		.maxattr = LBRSCOPE_SESSION_A_STACK_OFF,
	}, {
		.cmd = LBRSCOPE_CMD_UNWIND_TABLE,
		.doit = ls_netlink_command,
		.policy = ls_netlink_unwind_policy,
		.maxattr = LBRSCOPE_UNWIND_A_DATA,
	}, {
		.cmd = LBRSCOPE_CMD_UNWIND_PROCESS,
		.doit = ls_netlink_command,
		.policy = ls_netlink_unwind_policy,
		.maxattr = LBRSCOPE_UNWIND_A_MAX,
	}, {
		.cmd = LBRSCOPE_CMD_REGS_GET,
		.doit = ls_netlink_command,
		.policy = ls_netlink_regs_policy,
		.maxattr = LBRSCOPE_REGS_A_CPU,
	},
};

static struct genl_family netlink_family = {
	.name = LBRSCOPE_GENL_NAME,
	.version = LBRSCOPE_GENL_VERSION,
	.module = THIS_MODULE,
	/* A command that waits here holds up few others; see person.c. */
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
