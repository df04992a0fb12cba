/* SPDX-License-Identifier: GPL-2.0 */
/* The context switch of a session with tasks. */
#ifndef LBRSCOPE_SWITCH_H
#define LBRSCOPE_SWITCH_H

#include <linux/types.h>

#include "compat/sched.h"

struct ls_cpu_ctx;
struct ls_session;
struct ls_task_node;
struct task_struct;

/*
 * The probe of the tracepoint sched_switch.
 * Context: the scheduler, interrupts off (which includes RCU).  Locks: a run queue.
 */
void ls_switch_probe(void *data, bool preempt, struct task_struct *prev,
		     COMPAT_SCHED_SWITCH_LAST(struct task_struct *next));

/* Context: on the CPU, interrupts off. */

/* Called when sampling of the running task begins and ends. */
void ls_switch_cpu_begin(struct ls_cpu_ctx *cpu);
void ls_switch_cpu_end(struct ls_cpu_ctx *cpu);

/* Tells the NMI which task is on the CPU; NULL: none. */
void ls_switch_set_cur(struct ls_cpu_ctx *cpu, struct ls_task_node *node);

/*
 * Hides a task that has gained rights beyond those of the session's user: the task and its
 * children are not measured any more, as with perf_event_exit_task() in exec.
 * Returns: whether it is hidden.
 */
bool ls_switch_hides(struct ls_session *session, struct ls_task_node *node,
		     const struct task_struct *task);

#endif
