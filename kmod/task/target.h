/* SPDX-License-Identifier: GPL-2.0 */
/* Which tasks are measured: all, a list, or those in a cgroup. */
#ifndef LBRSCOPE_TARGET_H
#define LBRSCOPE_TARGET_H

#include <linux/types.h>

#include <linux/lbrscope.h>

#include "compat/cgroup.h"

struct cgroup;
struct cred;
struct ls_extack;
struct pid;
struct task_struct;

/* The request of LBRSCOPE_CMD_SESSION_SET.  The arrays belong to the caller. */
struct ls_target_config {
	const u32 *pids, *tids;	/* in the caller's pid namespace */
	u32 nr_pids, nr_tids;	/* together at most LBRSCOPE_TARGETS_MAX */
	bool in_cgroup;
	int cgroup;		/* descriptor of the calling process */
};

/*
 * The measured tasks: some processes and threads with their later children; or the tasks
 * of a cgroup; or all tasks, if everything is 0.  Constant while a session runs.
 */
struct ls_target {
	u32 nr;
	struct ls_target_task {
		struct pid *pid;
		bool thread;	/* only this thread, not its process */
	} *list;		/* charged to the memory cgroup of who asks for them */
	struct cgroup *cgroup;
};

/*
 * Takes references to the requested targets.
 * cred: an unprivileged user, who must be able to read each task; NULL: privileged.
 * Context: the caller's process, whose pids and descriptors these are.
 * Returns: 0, -ESRCH, -EINVAL, -EPERM or -ENOMEM, with the reason in extack.
 */
int ls_target_open(struct ls_target *target, const struct ls_target_config *config,
		   const struct cred *cred, struct ls_extack *extack);

/* Returns: 0 if an owner of cred may read all targets that still exist, else -EPERM. */
int ls_target_check(const struct ls_target *target, const struct cred *cred,
		    struct ls_extack *extack);

void ls_target_close(struct ls_target *target);

/* Whether the counters belong to tasks, each with counts of its own. */
static inline bool ls_target_by_task(const struct ls_target *target)
{
	return target->nr;
}

/* Whether the counters stand still while other tasks run. */
static inline bool ls_target_given(const struct ls_target *target)
{
	return target->nr || target->cgroup;
}

/*
 * Whether the task is in the measured cgroup, or none is requested.  The descendants of
 * listed tasks are known by their nodes (task.c).
 * Locks: RCU.
 */
static inline bool ls_target_admits(const struct ls_target *target,
				    struct task_struct *task)
{
	return !target->cgroup || compat_cgroup_has(target->cgroup, task);
}

#endif
