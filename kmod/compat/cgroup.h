/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBRSCOPE_COMPAT_CGROUP_H
#define LBRSCOPE_COMPAT_CGROUP_H

#include <linux/cgroup.h>
#include <linux/err.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

/* cgroups of the v2 hierarchy; in a kernel without, there are none. */

#ifdef CONFIG_CGROUPS
/* The id of the current task's. */
static __always_inline u64 compat_cgroup_id(void)
{
	u64 id;

	rcu_read_lock();
	id = cgroup_id(task_dfl_cgroup(current));
	rcu_read_unlock();
	return id;
}

/* That of an open directory, to be given back; -EBADF: it is of none. */
static inline struct cgroup *compat_cgroup_get(int fd)
{
	return cgroup_get_from_fd(fd);
}

static inline void compat_cgroup_put(struct cgroup *cgroup)
{
	cgroup_put(cgroup);
}

/* Is the task in it, or in one below it?  Under RCU. */
static inline bool compat_cgroup_has(struct cgroup *cgroup,
				     struct task_struct *task)
{
	return cgroup_is_descendant(task_dfl_cgroup(task), cgroup);
}
#else
static __always_inline u64 compat_cgroup_id(void)
{
	return 0;
}

static inline struct cgroup *compat_cgroup_get(int fd)
{
	return ERR_PTR(-EOPNOTSUPP);
}

static inline void compat_cgroup_put(struct cgroup *cgroup)
{
}

static inline bool compat_cgroup_has(struct cgroup *cgroup,
				     struct task_struct *task)
{
	return false;
}
#endif

#endif
