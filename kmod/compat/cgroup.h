/* SPDX-License-Identifier: GPL-2.0 */
/* cgroup ids, with and without CONFIG_CGROUPS. */
#ifndef LBRSCOPE_COMPAT_CGROUP_H
#define LBRSCOPE_COMPAT_CGROUP_H

#include <linux/cgroup.h>
#include <linux/err.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

/* cgroups of the v2 hierarchy.  A kernel without CONFIG_CGROUPS has none. */

#ifdef CONFIG_CGROUPS
/* Returns the id of the task's cgroup. */
static __always_inline u64 compat_cgroup_id(struct task_struct *task)
{
	u64 id;

	rcu_read_lock();
	id = cgroup_id(task_dfl_cgroup(task));
	rcu_read_unlock();
	return id;
}

/* Returns the cgroup of an open directory, with a reference; -EBADF: it has none. */
static inline struct cgroup *compat_cgroup_get(int fd)
{
	return cgroup_get_from_fd(fd);
}

static inline void compat_cgroup_put(struct cgroup *cgroup)
{
	cgroup_put(cgroup);
}

/* Returns whether the task is in the cgroup or below it.  Locks: RCU. */
static inline bool compat_cgroup_has(struct cgroup *cgroup,
				     struct task_struct *task)
{
	return cgroup_is_descendant(task_dfl_cgroup(task), cgroup);
}
#else
static __always_inline u64 compat_cgroup_id(struct task_struct *task)
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
