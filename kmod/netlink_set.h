/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBRSCOPE_NETLINK_SET_H
#define LBRSCOPE_NETLINK_SET_H

#include <linux/types.h>
#include <net/netlink.h>

#include <linux/lbrscope.h>

struct events;
struct genl_info;
struct session_config;
struct sk_buff;
struct triggers;

extern const struct nla_policy
ls_netlink_trigger_policy[LBRSCOPE_TRIGGER_A_MAX + 1];
extern const struct nla_policy
ls_netlink_set_policy[LBRSCOPE_SESSION_A_MAX + 1];

/*
 * What info asks for.  The strings in config are the request's own; *events are
 * the caller's, for kvfree(), and so are *triggers, for ls_triggers_free().  0,
 * or an error with its reason in info->extack.  Whether there are counters for the
 * events is found out by ls_session_set().
 */
int ls_netlink_parse_set(struct genl_info *info, struct session_config *config,
			 struct events **events, struct triggers **triggers);

/* The same of the triggers alone, which change the rest where they need to. */
int ls_netlink_parse_triggers(struct genl_info *info,
			      struct session_config *config,
			      struct events *events,
			      struct triggers **triggers);

/* Points the refusal's extended ack at the event that is to blame, if one is. */
void ls_netlink_blame_event(struct genl_info *info, const struct events *events);

/*
 * Has the sender CAP_PERFMON or CAP_SYS_ADMIN in the initial namespace?  If not, may
 * it ask for that: 0, or -EPERM with the reason.
 */
bool ls_netlink_privileged(struct sk_buff *skb);
int ls_netlink_check_unprivileged(struct genl_info *info,
				  const struct session_config *config,
				  const struct events *events,
				  const struct triggers *triggers);

/* What a history can be asked for here, 0: there are none. */
u32 ls_netlink_filters(void);

#endif
