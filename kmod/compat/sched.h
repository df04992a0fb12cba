/* SPDX-License-Identifier: GPL-2.0 */
/* The state of a task, and the hook at a context switch. */
#ifndef LBRSCOPE_COMPAT_SCHED_H
#define LBRSCOPE_COMPAT_SCHED_H

#include <linux/log2.h>
#include <linux/sched.h>
#include <trace/events/sched.h>

/* Returns the task's state.  A waker on another CPU may change it at any time. */
static inline unsigned int compat_task_state(const struct task_struct *task)
{
#ifdef COMPAT_HAS_TASK___STATE
	return READ_ONCE(task->__state);
#else
	return READ_ONCE(task->state);
#endif
}

/*
 * Since 5.18 the probe of sched_switch has a last argument: the state in which the
 * previous task leaves.  Before, the probe reads the state, which may have changed.
 */
#ifdef COMPAT_HAS_SWITCH_PREV_STATE
#define COMPAT_SCHED_SWITCH_LAST(next)	next, unsigned int prev_state
#define COMPAT_SCHED_SWITCH_STATE(prev)	prev_state

static inline char compat_state_char(unsigned int state)
{
	return task_index_to_char(__task_state_index(state, 0));
}
#else
#define COMPAT_SCHED_SWITCH_LAST(next)	next
#define COMPAT_SCHED_SWITCH_STATE(prev)	compat_task_state(prev)

static inline char compat_state_char(unsigned int state)
{
	return task_index_to_char((state & TASK_IDLE) == TASK_IDLE ?
				  ilog2(TASK_REPORT_IDLE) + 1 :
				  fls(state & TASK_REPORT));
}
#endif

/* Newer kernels pass another argument to the probe of sched_process_exit; it is unused. */
#ifdef COMPAT_HAS_EXIT_GROUP_DEAD
#define COMPAT_SCHED_EXIT_LAST(task)	task, bool group_dead
#else
#define COMPAT_SCHED_EXIT_LAST(task)	task
#endif

#endif
