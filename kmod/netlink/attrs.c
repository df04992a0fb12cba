// SPDX-License-Identifier: GPL-2.0
/* The attributes of requests other than SESSION_SET.  <linux/lbrscope.h> is the contract. */
#include <net/genetlink.h>

#include <linux/lbrscope.h>

#include "base/extack.h"
#include "netlink/attrs.h"

/* The policy of a command without attributes: without a policy any would be accepted. */
const struct nla_policy ls_netlink_no_policy[LBRSCOPE_INFO_A_PAD + 1] = {
	[LBRSCOPE_INFO_A_PAD] = { .type = NLA_REJECT },
};

const struct nla_policy ls_netlink_fd_policy[LBRSCOPE_SESSION_A_FD + 1] = {
	[LBRSCOPE_SESSION_A_FD] = { .type = NLA_U32 },
};

const struct nla_policy ls_netlink_get_policy[LBRSCOPE_STATS_A_FD + 1] = {
	[LBRSCOPE_SESSION_A_FD] = { .type = NLA_U32 },
	[LBRSCOPE_STATS_A_FD] = { .type = NLA_U32 },
};

/* LBRSCOPE_COUNTS_A_CPU has the number of LBRSCOPE_SESSION_A_FD. */
const struct nla_policy ls_netlink_counts_policy[LBRSCOPE_SESSION_A_CPU + 1] = {
	[LBRSCOPE_SESSION_A_FD] = { .type = NLA_U32 },
	[LBRSCOPE_SESSION_A_CPU] = { .type = NLA_U32 },
	[LBRSCOPE_COUNTS_A_FD] = { .type = NLA_U32 },
};

const struct nla_policy ls_netlink_task_counts_policy[LBRSCOPE_SESSION_A_CURSOR + 1] = {
	[LBRSCOPE_SESSION_A_FD] = { .type = NLA_U32 },
	[LBRSCOPE_SESSION_A_CURSOR] = { .type = NLA_U64 },
	[LBRSCOPE_COUNTS_A_FD] = { .type = NLA_U32 },
	[LBRSCOPE_COUNTS_A_CURSOR] = { .type = NLA_U64 },
};

const struct nla_policy ls_netlink_task_stack_policy[LBRSCOPE_SESSION_A_STACK_OFF + 1] = {
	[LBRSCOPE_SESSION_A_FD] = { .type = NLA_U32 },
	[LBRSCOPE_SESSION_A_TARGET_PIDS] = {
		.type = NLA_BINARY, .len = LBRSCOPE_TARGETS_MAX * sizeof(u32),
	},
	[LBRSCOPE_SESSION_A_STACK_OFF] = { .type = NLA_FLAG },
};

const struct nla_policy ls_netlink_regs_policy[LBRSCOPE_REGS_A_CPU + 1] = {
	[LBRSCOPE_REGS_A_CPU] = { .type = NLA_U32 },
};

int ls_netlink_own_set(struct genl_info *info, int fd, int own, int session)
{
	/* COUNTS_A_CPU has the number of SESSION_A_FD: fd decides which of them it is. */
	const bool shared = own == LBRSCOPE_SESSION_A_FD;
	struct nlattr **attrs = info->attrs, *stray;

	if (!attrs[fd])
		stray = shared ? NULL : attrs[own];
	else if (attrs[session] || shared)
		stray = attrs[session];
	else
		stray = attrs[LBRSCOPE_SESSION_A_FD];
	if (stray) {
		ls_extack_set_attr(ls_extack_of(info), stray, "the attribute is not of the set that FD is of");
		return -EINVAL;
	}
	if (attrs[fd]) {
		attrs[session] = attrs[own];
		attrs[LBRSCOPE_SESSION_A_FD] = attrs[fd];
	}
	return 0;
}
