// SPDX-License-Identifier: GPL-2.0
/*
 * Which tasks an unprivileged user may measure: those that __ptrace_may_access() lets
 * the user read by uid and gid (PTRACE_MODE_READ_REALCREDS, as for perf events), without
 * a capability over the other task.  The kernel does not export its own check; Linux
 * security modules are therefore not asked.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/rcupdate.h>
#include <linux/sched/task.h>
#include <linux/uidgid.h>

#include "compat/rights.h"
#include "task/rights.h"

static bool ls_rights_same_user(const struct cred *cred, const struct cred *other)
{
	return uid_eq(cred->uid, other->uid) &&
	       uid_eq(cred->uid, other->euid) &&
	       uid_eq(cred->uid, other->suid) &&
	       gid_eq(cred->gid, other->gid) &&
	       gid_eq(cred->gid, other->egid) &&
	       gid_eq(cred->gid, other->sgid);
}

bool ls_rights_over(const struct cred *cred, const struct task_struct *task)
{
	const struct cred *other;
	bool may;

	rcu_read_lock();
	other = __task_cred(task);
	may = ls_rights_same_user(cred, other) && cred->user_ns == other->user_ns &&
	      cap_issubset(other->cap_permitted, cred->cap_permitted);
	/*
	 * Pairs with the barrier of commit_creds(), which clears dumpable before it
	 * grants rights; as in __ptrace_may_access().
	 */
	smp_rmb();
	may = may && compat_task_dumpable(task);
	rcu_read_unlock();
	return may;
}

bool ls_rights_reach(const struct cred *cred, struct task_struct *task)
{
	bool may;

	if (!cred)
		return true;
	task_lock(task);
	may = ls_rights_over(cred, task);
	task_unlock(task);
	return may;
}
