// SPDX-License-Identifier: GPL-2.0
/*
 * The measured tasks of a session: all, a list, or those of a cgroup.
 *
 * A listed task is held by its struct pid, so that a reused number does no harm.
 *
 * In a session with processes and threads as targets, each task has its own counts and
 * periods.  The counters run while the task runs, and children are targets as well.  Such
 * a session keeps state for these tasks only.
 *
 * In a session with a cgroup, counts and periods belong to the CPU.  At each switch the
 * scheduler's hook checks whether the next task is in the cgroup or below it; between two
 * such tasks the counters go on.  The session keeps state for all tasks, since any task
 * may move into the cgroup.  The saved branch records of a task are discarded when it runs
 * outside of the cgroup, since its returns are not seen there.  A move does not interrupt
 * a running task: it takes effect at the task's next switch.
 */
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "base/extack.h"
#include "compat/cgroup.h"
#include "session/charge.h"
#include "task/rights.h"
#include "task/target.h"

static int ls_target_refuse(u32 nr, struct ls_extack *extack)
{
	ls_extack_set(extack, "%u belongs to another user, or runs a program with more rights: measuring it needs CAP_PERFMON or CAP_SYS_ADMIN",
		      nr);
	return -EPERM;
}

static int ls_target_check_one(struct pid *pid, u32 nr, bool thread,
			       const struct cred *cred, struct ls_extack *extack)
{
	struct task_struct *task;
	int err = 0;

	rcu_read_lock();
	task = pid_task(pid, thread ? PIDTYPE_PID : PIDTYPE_TGID);
	if (!task) {
		ls_extack_set(extack, "there is no %s %u",
			      thread ? "thread" : "process", nr);
		err = -ESRCH;
	} else if (task->flags & PF_KTHREAD) {
		ls_extack_set(extack, "%u is a kernel thread, which has no branches of its own; sample all CPUs instead",
			      nr);
		err = -EINVAL;
	} else if (!ls_rights_reach(cred, task)) {
		err = ls_target_refuse(nr, extack);
	}
	rcu_read_unlock();
	return err;
}

static int ls_target_add(struct ls_target *target, const u32 *numbers, u32 nr,
			 bool thread, const struct cred *cred,
			 struct ls_extack *extack)
{
	u32 i;
	int err;

	for (i = 0; i < nr; i++) {
		struct pid *pid = find_get_pid(numbers[i]);

		err = ls_target_check_one(pid, numbers[i], thread, cred, extack);
		if (err) {
			put_pid(pid);
			return err;
		}
		target->list[target->nr].pid = pid;
		target->list[target->nr].thread = thread;
		target->nr++;
	}
	return 0;
}

static int ls_target_add_cgroup(struct ls_target *target, int fd,
				struct ls_extack *extack)
{
	struct cgroup *cgroup = compat_cgroup_get(fd);

	if (!IS_ERR(cgroup)) {
		target->cgroup = cgroup;
		return 0;
	}
	if (PTR_ERR(cgroup) == -EOPNOTSUPP)
		ls_extack_set(extack, "this kernel has no cgroups");
	else
		ls_extack_set(extack, "TARGET_CGROUP is not a descriptor of a cgroup directory of the v2 hierarchy");
	return PTR_ERR(cgroup);
}

int ls_target_open(struct ls_target *target, const struct ls_target_config *config,
		   const struct cred *cred, struct ls_extack *extack)
{
	const u32 nr = config->nr_pids + config->nr_tids;
	int err;

	*target = (struct ls_target){};
	if (nr) {
		target->list = kvcalloc(nr, sizeof(*target->list), CHARGE_GFP);
		if (!target->list) {
			ls_extack_set(extack, "no memory for the list of targets, here or in your cgroup (memory.max)");
			return -ENOMEM;
		}
	}
	err = ls_target_add(target, config->pids, config->nr_pids, false, cred,
			    extack);
	if (!err)
		err = ls_target_add(target, config->tids, config->nr_tids, true,
				    cred, extack);
	if (!err && config->in_cgroup)
		err = ls_target_add_cgroup(target, config->cgroup, extack);
	if (err)
		ls_target_close(target);
	return err;
}

int ls_target_check(const struct ls_target *target, const struct cred *cred,
		    struct ls_extack *extack)
{
	int err = 0;
	u32 i;

	rcu_read_lock();
	for (i = 0; i < target->nr && !err; i++) {
		struct task_struct *task = pid_task(target->list[i].pid, PIDTYPE_PID);

		if (task && !ls_rights_reach(cred, task))
			err = ls_target_refuse(pid_vnr(target->list[i].pid), extack);
	}
	rcu_read_unlock();
	return err;
}

void ls_target_close(struct ls_target *target)
{
	while (target->nr)
		put_pid(target->list[--target->nr].pid);
	kvfree(target->list);
	target->list = NULL;
	if (target->cgroup)
		compat_cgroup_put(target->cgroup);
	target->cgroup = NULL;
}
