/* SPDX-License-Identifier: GPL-2.0 */
/* The attributes of replies. */
#ifndef LBRSCOPE_NETLINK_REPLY_H
#define LBRSCOPE_NETLINK_REPLY_H

#include <linux/types.h>

struct ls_session_stats;
struct sk_buff;

/*
 * Put the attributes of a reply into msg.
 * Returns: 0, or -EMSGSIZE.
 */
int ls_netlink_reply_stats(struct sk_buff *msg, const struct ls_session_stats *stats);
int ls_netlink_reply_tasks(struct sk_buff *msg, const void *tasks, u32 size, u64 cursor);

/* privileged: of the sender, who then may know the owner of the PMU. */
int ls_netlink_reply_info(struct sk_buff *msg, bool privileged);

/* The reply to COUNTS_GET and to REGS_GET, whose attributes have the same numbers. */
int ls_netlink_reply_array(struct sk_buff *msg, u32 cpu, const void *array, size_t size);

#endif
