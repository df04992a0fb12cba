/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBRSCOPE_COMPAT_SCHED_H
#define LBRSCOPE_COMPAT_SCHED_H

#include <linux/log2.h>
#include <linux/sched.h>
#include <trace/events/sched.h>

/* As it is, which a waker on another CPU may be changing. */
static inline unsigned int compat_task_state(const struct task_struct *task)
{
#ifdef COMPAT_HAS_TASK___STATE
	return READ_ONCE(task->__state);
#else
	return READ_ONCE(task->state);
#endif
}

/*
 * Since 5.18 a probe of a switch is told, behind who comes, in which state the
 * task wanted to leave; before, it has to look, and may be too late.
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

/* The probe of this tracepoint is given more behind the task, and does not use it. */
#ifdef COMPAT_HAS_EXIT_GROUP_DEAD
#define COMPAT_SCHED_EXIT_LAST(task)	task, bool group_dead
#else
#define COMPAT_SCHED_EXIT_LAST(task)	task
#endif

#endif
