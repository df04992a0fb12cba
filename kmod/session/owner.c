// SPDX-License-Identifier: GPL-2.0
/*
 * The owner of the PMU.  Any user may send INFO_GET.  It reads a copy here, so that it waits
 * for no command of a session.
 */
#include <linux/cred.h>
#include <linux/lockdep.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "base/session_lock.h"
#include "session/owner.h"
#include "task/rights.h"

/*
 * Locks: owner_lock.  Written by ls_session_owner_set() only, whose caller holds
 * ls_session_lock.
 */
static DEFINE_SPINLOCK(owner_lock);
static struct pid *owner_pid;		/* a reference; NULL: no session runs */
static char owner_comm[TASK_COMM_LEN];
static bool owner_yields;

void ls_session_owner_set(struct pid *pid, bool yields)
{
	struct pid *before = owner_pid;

	lockdep_assert_held(&ls_session_lock);
	spin_lock(&owner_lock);
	owner_pid = get_pid(pid);
	owner_yields = yields;
	if (pid)
		get_task_comm(owner_comm, current);
	spin_unlock(&owner_lock);
	put_pid(before);
}

/*
 * Whether the current task may know the owner of the PMU: if it may read the owner, as in a
 * procfs that is mounted with hidepid.
 */
static bool ls_session_owner_visible(struct pid *pid, bool privileged)
{
	struct task_struct *task;
	bool visible;

	if (privileged)
		return true;
	rcu_read_lock();
	task = pid_task(pid, PIDTYPE_TGID);
	visible = task && pid_vnr(pid) && ls_rights_reach(current_cred(), task);
	rcu_read_unlock();
	return visible;
}

bool ls_session_owner(bool privileged, struct ls_session_owner *owner)
{
	char comm[TASK_COMM_LEN];
	struct pid *pid;

	*owner = (struct ls_session_owner){};
	spin_lock(&owner_lock);
	pid = get_pid(owner_pid);
	memcpy(comm, owner_comm, sizeof(comm));
	owner->yields = owner_yields;
	spin_unlock(&owner_lock);
	if (!pid)
		return false;
	if (ls_session_owner_visible(pid, privileged)) {
		owner->pid = pid_vnr(pid);
		memcpy(owner->comm, comm, sizeof(comm));
	}
	put_pid(pid);
	return true;
}
