/* SPDX-License-Identifier: GPL-2.0 */
/* The commands UNWIND_TABLE and UNWIND_PROCESS. */
#ifndef LBRSCOPE_NETLINK_UNWIND_H
#define LBRSCOPE_NETLINK_UNWIND_H

#include <net/netlink.h>

#include <linux/lbrscope.h>

struct genl_info;
struct sk_buff;

/* UNWIND_TABLE takes the attributes up to LBRSCOPE_UNWIND_A_DATA. */
extern const struct nla_policy ls_netlink_unwind_policy[LBRSCOPE_UNWIND_A_MAX + 1];

int ls_netlink_unwind_table(struct sk_buff *skb, struct genl_info *info);
int ls_netlink_unwind_process(struct sk_buff *skb, struct genl_info *info);

#endif
