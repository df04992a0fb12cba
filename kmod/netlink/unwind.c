// SPDX-License-Identifier: GPL-2.0
/* The commands UNWIND_TABLE and UNWIND_PROCESS.  <linux/lbrscope.h> is the contract. */
#include <linux/build_bug.h>
#include <net/genetlink.h>

#include <linux/lbrscope.h>
#include <linux/lbrscope_unwind.h>

#include "base/extack.h"
#include "netlink/command.h"
#include "netlink/unwind.h"
#include "session/unwind.h"

static struct netlink_range_validation netlink_unwind_size_range = {
	.min = 1,
	.max = LBRSCOPE_UNWIND_SIZE_MAX,
};

const struct nla_policy ls_netlink_unwind_policy[LBRSCOPE_UNWIND_A_MAX + 1] = {
	[LBRSCOPE_UNWIND_A_FD] = { .type = NLA_U32 },
	[LBRSCOPE_UNWIND_A_TABLE] = NLA_POLICY_MAX(NLA_U32, LBRSCOPE_UNWIND_TABLES_MAX - 1),
	[LBRSCOPE_UNWIND_A_SIZE] = NLA_POLICY_FULL_RANGE(NLA_U32, &netlink_unwind_size_range),
	[LBRSCOPE_UNWIND_A_OFFSET] = { .type = NLA_U32 },
	[LBRSCOPE_UNWIND_A_DATA] = { .type = NLA_BINARY, .len = LBRSCOPE_UNWIND_DATA_MAX },
	[LBRSCOPE_UNWIND_A_PID] = { .type = NLA_U32 },
	[LBRSCOPE_UNWIND_A_GENERATION] = { .type = NLA_U32 },
	[LBRSCOPE_UNWIND_A_RANGES] = {
		.type = NLA_BINARY,
		.len = LBRSCOPE_UNWIND_RANGES_MAX * sizeof(struct lbrscope_unwind_range),
	},
};

/* Checks that the attributes from one to another are there, except for an optional one. */
static int ls_netlink_unwind_need(struct genl_info *info, int first, int last)
{
	static const char * const names[] = {
		[LBRSCOPE_UNWIND_A_TABLE] = "TABLE", [LBRSCOPE_UNWIND_A_SIZE] = "SIZE",
		[LBRSCOPE_UNWIND_A_OFFSET] = "OFFSET", [LBRSCOPE_UNWIND_A_DATA] = "DATA",
		[LBRSCOPE_UNWIND_A_PID] = "PID", [LBRSCOPE_UNWIND_A_GENERATION] = "GENERATION",
	};
	int i;

	BUILD_BUG_ON((int)LBRSCOPE_UNWIND_A_FD != (int)LBRSCOPE_SESSION_A_FD);
	for (i = first; i <= last; i++)
		if (!info->attrs[i]) {
			ls_extack_set(ls_extack_of(info), "attribute %s is missing", names[i]);
			return -EINVAL;
		}
	return 0;
}

int ls_netlink_unwind_table(struct sk_buff *skb, struct genl_info *info)
{
	struct ls_netlink_command command;
	struct ls_session_part part;
	int err;

	err = ls_netlink_unwind_need(info, LBRSCOPE_UNWIND_A_TABLE, LBRSCOPE_UNWIND_A_DATA);
	if (!err)
		err = ls_netlink_begin(skb, info, &command);
	if (err)
		return err;
	part = (struct ls_session_part){
		.table = nla_get_u32(info->attrs[LBRSCOPE_UNWIND_A_TABLE]),
		.size = nla_get_u32(info->attrs[LBRSCOPE_UNWIND_A_SIZE]),
		.offset = nla_get_u32(info->attrs[LBRSCOPE_UNWIND_A_OFFSET]),
		.data = nla_data(info->attrs[LBRSCOPE_UNWIND_A_DATA]),
		.len = nla_len(info->attrs[LBRSCOPE_UNWIND_A_DATA]),
	};
	err = ls_session_unwind_take(command.session, &part, ls_extack_of(info));
	ls_netlink_end(&command);
	return err;
}

int ls_netlink_unwind_process(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr *ranges = info->attrs[LBRSCOPE_UNWIND_A_RANGES];
	const size_t each = sizeof(struct lbrscope_unwind_range);
	struct ls_netlink_command command;
	int err;

	err = ls_netlink_unwind_need(info, LBRSCOPE_UNWIND_A_PID, LBRSCOPE_UNWIND_A_GENERATION);
	if (!err && ranges && nla_len(ranges) % each) {
		ls_extack_set_attr(ls_extack_of(info), ranges, "not an array of struct lbrscope_unwind_range");
		err = -EINVAL;
	}
	if (!err)
		err = ls_netlink_begin(skb, info, &command);
	if (err)
		return err;
	err = ls_session_unwind_map(command.session,
				    nla_get_u32(info->attrs[LBRSCOPE_UNWIND_A_PID]),
				    ranges ? nla_data(ranges) : NULL,
				    ranges ? nla_len(ranges) / each : 0,
				    nla_get_u32(info->attrs[LBRSCOPE_UNWIND_A_GENERATION]),
				    ls_extack_of(info));
	ls_netlink_end(&command);
	return err;
}
