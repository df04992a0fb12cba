/* SPDX-License-Identifier: GPL-2.0 */
/* The attributes of requests other than SESSION_SET: their policies and their values. */
#ifndef LBRSCOPE_NETLINK_ATTRS_H
#define LBRSCOPE_NETLINK_ATTRS_H

#include <net/netlink.h>

#include <linux/lbrscope.h>

struct genl_info;

/* Each policy ends at its operation's maxattr. */
extern const struct nla_policy ls_netlink_no_policy[LBRSCOPE_INFO_A_PAD + 1];
extern const struct nla_policy ls_netlink_fd_policy[LBRSCOPE_SESSION_A_FD + 1];
extern const struct nla_policy ls_netlink_get_policy[LBRSCOPE_STATS_A_FD + 1];
extern const struct nla_policy ls_netlink_counts_policy[LBRSCOPE_SESSION_A_CPU + 1];
extern const struct nla_policy ls_netlink_task_counts_policy[LBRSCOPE_SESSION_A_CURSOR + 1];
extern const struct nla_policy ls_netlink_task_stack_policy[LBRSCOPE_SESSION_A_STACK_OFF + 1];
extern const struct nla_policy ls_netlink_regs_policy[LBRSCOPE_REGS_A_CPU + 1];

/*
 * Accepts a request in the attribute set of its reply: where attribute fd is present, it
 * becomes LBRSCOPE_SESSION_A_FD, and attribute own becomes attribute session.  An own of 0
 * is no attribute.
 * Returns: 0, or -EINVAL with the reason if the request has attributes of both sets.
 */
int ls_netlink_own_set(struct genl_info *info, int fd, int own, int session);

#endif /* LBRSCOPE_NETLINK_ATTRS_H */
