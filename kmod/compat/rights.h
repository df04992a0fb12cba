/* SPDX-License-Identifier: GPL-2.0 */
/* Whether a task may be read by its owner. */
#ifndef LBRSCOPE_COMPAT_RIGHTS_H
#define LBRSCOPE_COMPAT_RIGHTS_H

#include <linux/sched.h>
#include <linux/sched/coredump.h>

#ifdef COMPAT_HAS_EXEC_STATE
#include <linux/sched/exec_state.h>

/*
 * Whether a task's owner may read it: not if its program has more rights than the
 * owner, is not readable for the owner, or has asked for this (PR_SET_DUMPABLE).
 * Locks: RCU.
 */
static inline bool compat_task_dumpable(const struct task_struct *task)
{
	const struct task_exec_state *state = rcu_dereference(task->exec_state);

	return READ_ONCE(state->dumpable) == TASK_DUMPABLE_OWNER;
}
#else
/* Before 7.2 the property belongs to the task's memory. */
static inline bool compat_task_dumpable(const struct task_struct *task)
{
	struct mm_struct *mm = READ_ONCE(task->mm);

	return !mm || get_dumpable(mm) == SUID_DUMP_USER;
}
#endif

#endif
