/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBRSCOPE_COMPAT_RIGHTS_H
#define LBRSCOPE_COMPAT_RIGHTS_H

#include <linux/sched.h>
#include <linux/sched/coredump.h>

#ifdef COMPAT_HAS_EXEC_STATE
#include <linux/sched/exec_state.h>

/*
 * May who owns a task look into it?  Not if the task runs a program that has more
 * rights than it, or that it must not read, or has asked for this.  Under RCU.
 */
static inline bool compat_task_dumpable(const struct task_struct *task)
{
	const struct task_exec_state *state = rcu_dereference(task->exec_state);

	return READ_ONCE(state->dumpable) == TASK_DUMPABLE_OWNER;
}
#else
/* It is the memory's, and not the task's, before 7.2. */
static inline bool compat_task_dumpable(const struct task_struct *task)
{
	struct mm_struct *mm = READ_ONCE(task->mm);

	return !mm || get_dumpable(mm) == SUID_DUMP_USER;
}
#endif

#endif
