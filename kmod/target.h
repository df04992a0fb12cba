/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBRSCOPE_TARGET_H
#define LBRSCOPE_TARGET_H

#include <linux/types.h>

#include <linux/lbrscope.h>

#include "compat/cgroup.h"

struct cgroup;
struct cred;
struct netlink_ext_ack;
struct pid;
struct task_struct;

/* What LBRSCOPE_CMD_SESSION_SET asks for; of the caller, and not kept. */
struct target_config {
	const u32 *pids, *tids;	/* in the caller's pid namespace */
	u32 nr_pids, nr_tids;	/* LBRSCOPE_TARGETS_MAX together, at most */
	bool in_cgroup;
	int cgroup;		/* a descriptor of the caller's */
};

/*
 * Who is measured: some processes and threads with what they fork from then on;
 * or who is in a cgroup; or, where it is all 0, everybody.  Constant while a
 * session runs.
 */
struct target {
	u32 nr;
	struct {
		struct pid *pid;
		bool thread;	/* that one, not its process */
	} list[LBRSCOPE_TARGETS_MAX];
	struct cgroup *cgroup;
};

/*
 * cred: of a user without privilege, who must reach each task, otherwise NULL.
 * -ESRCH, -EINVAL, -EPERM, with the reason.
 */
int ls_target_open(struct target *target, const struct target_config *config,
		   const struct cred *cred, struct netlink_ext_ack *extack);

/* Does who has cred reach all that are still there?  0, or -EPERM. */
int ls_target_check(const struct target *target, const struct cred *cred,
		    struct netlink_ext_ack *extack);

void ls_target_close(struct target *target);

/* Do the counters belong to tasks, each of which has its own counts? */
static inline bool ls_target_by_task(const struct target *target)
{
	return target->nr;
}

/* Do the counters stand still while others run? */
static inline bool ls_target_given(const struct target *target)
{
	return target->nr || target->cgroup;
}

/*
 * May it be measured, as far as its cgroup is concerned?  Which tasks descend
 * from those of a list is told by their nodes, see task.c.  Under RCU.
 */
static inline bool ls_target_admits(const struct target *target,
				    struct task_struct *task)
{
	return !target->cgroup || compat_cgroup_has(target->cgroup, task);
}

#endif
