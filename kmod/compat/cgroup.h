/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBRSCOPE_COMPAT_CGROUP_H
#define LBRSCOPE_COMPAT_CGROUP_H

#include <linux/cgroup.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

/* The id of the current task's cgroup in the v2 hierarchy. */
static __always_inline u64 compat_cgroup_id(void)
{
	u64 id = 0;

#ifdef CONFIG_CGROUPS
	rcu_read_lock();
	id = cgroup_id(task_dfl_cgroup(current));
	rcu_read_unlock();
#endif
	return id;
}

#endif
