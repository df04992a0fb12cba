/* SPDX-License-Identifier: GPL-2.0 */
/* Parses and checks SESSION_SET. */
#ifndef LBRSCOPE_NETLINK_SET_H
#define LBRSCOPE_NETLINK_SET_H

#include <linux/types.h>
#include <net/netlink.h>

#include <linux/lbrscope.h>

struct ls_events;
struct genl_info;
struct ls_extack;
struct ls_session_config;
struct sk_buff;
struct ls_triggers;

extern const struct nla_policy
ls_netlink_event_policy[LBRSCOPE_EVENT_A_MAX + 1];
extern const struct nla_policy
ls_netlink_trigger_policy[LBRSCOPE_TRIGGER_A_MAX + 1];
extern const struct nla_policy
ls_netlink_set_policy[LBRSCOPE_SESSION_A_MAX + 1];

/*
 * Parses a SESSION_SET.  Strings in config belong to the request.  The caller frees *events
 * by kvfree() and *triggers by ls_triggers_free().  ls_session_set() then checks the events
 * against the counters.
 * Returns: 0, or an error with its reason in the extended ack.
 */
int ls_netlink_parse_set(struct genl_info *info, struct ls_session_config *config,
			 struct ls_events **events, struct ls_triggers **triggers);

/*
 * Parses the events; *events is freed by kvfree().  OFFCPU and TRIGGERS alone need no
 * event.
 */
int ls_netlink_parse_events(struct genl_info *info, const struct ls_session_config *config,
			    struct ls_events **events);

/* Parses the triggers, which may change config and events. */
int ls_netlink_parse_triggers(struct genl_info *info,
			      struct ls_session_config *config,
			      struct ls_events *events,
			      struct ls_triggers **triggers);

/* Parses an optional array of u32, which belongs to the request. */
int ls_netlink_parse_numbers(struct nlattr *attr, const u32 **numbers, u32 *nr,
			     struct ls_extack *extack);

/* Points the extended ack of a refusal at the event that caused it, if any. */
void ls_netlink_events_blame(struct genl_info *info, const struct ls_events *events);

/*
 * ls_netlink_privileged() returns whether the sender has CAP_PERFMON or CAP_SYS_ADMIN in
 * the initial user namespace.  ls_netlink_check_unprivileged() returns 0 if a sender
 * without privilege may ask for this session, else -EPERM with the reason.
 */
bool ls_netlink_privileged(struct sk_buff *skb);
int ls_netlink_check_unprivileged(struct genl_info *info,
				  const struct ls_session_config *config,
				  const struct ls_events *events,
				  const struct ls_triggers *triggers);

/* Returns: the filters that a history may have; 0: this CPU has no histories. */
u32 ls_netlink_filters(void);

#endif
