// SPDX-License-Identifier: GPL-2.0
/*
 * Decides which requests a user may make.  An unprivileged user, admitted by the
 * permissions of the device, may measure the user mode of own tasks: nothing of the kernel,
 * whose addresses are secret, nothing of other users, and nothing that costs time on all
 * CPUs.
 */
#include <linux/capability.h>
#include <net/genetlink.h>
#include <asm/perf_event.h>

#include "base/extack.h"
#include "events/events.h"
#include "netlink/set.h"
#include "session/session.h"

/*
 * The sender has the rights that both the socket's opener and the sending task have:
 * neither a descriptor nor a message that was passed on gives any.
 */
bool ls_netlink_privileged(struct sk_buff *skb)
{
	return netlink_capable(skb, CAP_PERFMON) ||
	       netlink_capable(skb, CAP_SYS_ADMIN);
}

static bool ls_netlink_rights_any_event_has(const struct ls_events *events, u64 config)
{
	u32 i;

	for (i = 0; i < events->nr; i++)
		if (events->list[i].config & config)
			return true;
	return false;
}

static bool ls_netlink_rights_any_clock_is_fast(const struct ls_events *events)
{
	u32 i;

	for (i = 0; i < events->nr; i++)
		if (events->list[i].clock && ls_event_samples(&events->list[i]) &&
		    events->list[i].pace.period < LBRSCOPE_CLOCK_PERIOD_USER_MIN)
			return true;
	return false;
}

int ls_netlink_check_unprivileged(struct genl_info *info,
				  const struct ls_session_config *config,
				  const struct ls_events *events,
				  const struct ls_triggers *triggers)
{
	const struct {
		bool refused;
		int attr;
		const char *why;
	} asked[] = {
		{ config->target.in_cgroup, LBRSCOPE_SESSION_A_TARGET_CGROUP,
		  "all tasks of a cgroup; name processes of your own" },
		{ !config->target.nr_pids && !config->target.nr_tids,
		  LBRSCOPE_SESSION_A_TARGET_PIDS,
		  "all tasks; name processes of your own" },
		{ ls_netlink_rights_any_event_has(events, ARCH_PERFMON_EVENTSEL_OS),
		  LBRSCOPE_SESSION_A_EVENTS,
		  "events of the kernel; ask for those of user mode" },
		{ ls_netlink_rights_any_event_has(events, ARCH_PERFMON_EVENTSEL_ANY),
		  LBRSCOPE_SESSION_A_EVENTS, "events of all threads of a core" },
		{ ls_netlink_rights_any_clock_is_fast(events),
		  LBRSCOPE_SESSION_A_EVENTS,
		  "clocks with periods below LBRSCOPE_CLOCK_PERIOD_USER_MIN" },
		{ ls_lbr_of_kernel(&config->branches),
		  LBRSCOPE_SESSION_A_BRANCH_FILTER, "branches of the kernel" },
		{ config->sample.format & LBRSCOPE_FORMAT_KERNEL_CHAIN,
		  LBRSCOPE_SESSION_A_SAMPLE, "call chains of the kernel" },
		{ config->offcpu.waker, LBRSCOPE_SESSION_A_OFFCPU,
		  "who woke a task" },
		{ triggers, LBRSCOPE_SESSION_A_TRIGGERS, "triggers" },
		{ config->ring_size > LBRSCOPE_RING_SIZE_DEFAULT,
		  LBRSCOPE_SESSION_A_RING_SIZE,
		  "rings larger than LBRSCOPE_RING_SIZE_DEFAULT" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(asked); i++) {
		if (!asked[i].refused)
			continue;
		ls_extack_set_attr(ls_extack_of(info), info->attrs[asked[i].attr],
				   "CAP_PERFMON or CAP_SYS_ADMIN is needed for %s",
				   asked[i].why);
		return -EPERM;
	}
	return 0;
}
