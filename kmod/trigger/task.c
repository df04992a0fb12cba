// SPDX-License-Identifier: GPL-2.0
/*
 * Triggers on events of a task: exec, exit, and delivery of a signal.
 *
 * These probes run before those of hooks.c, which discard the task's branches.
 */
#include <linux/errno.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <trace/events/signal.h>
#include <asm/ptrace.h>

#include "compat/sched.h"
#include "trigger/kinds.h"

#define TASK_PRIORITY	(TRACEPOINT_DEFAULT_PRIO + 1)

static void ls_trigger_task_fire(const struct ls_trigger *trigger, u64 value)
{
	const struct pt_regs *regs = task_pt_regs(current);

	if (!(current->flags & PF_KTHREAD))
		ls_trigger_fire(trigger, regs, regs->ip, value);
}

static void ls_trigger_task_exec(void *data, struct task_struct *task, pid_t old_pid,
				 struct linux_binprm *bprm)
{
	ls_trigger_task_fire(data, 0);
}

static void ls_trigger_task_exit(void *data,
				 COMPAT_SCHED_EXIT_LAST(struct task_struct *task))
{
	ls_trigger_task_fire(data, task->exit_code);
}

static void ls_trigger_task_signal(void *data, int sig, struct kernel_siginfo *info,
				   struct k_sigaction *action)
{
	const struct ls_trigger *trigger = data;

	if (!trigger->signal || trigger->signal == sig)
		ls_trigger_task_fire(trigger, sig);
}

struct ls_task_probe {
	const char *name;
	void *probe;
	struct tracepoint *tp;
};

static struct ls_task_probe ls_trigger_task_probe(const struct ls_trigger *trigger)
{
	/* The probes are passed on as void *: the compiler checks their types here. */
	check_trace_callback_type_sched_process_exec(ls_trigger_task_exec);
	check_trace_callback_type_sched_process_exit(ls_trigger_task_exit);
	check_trace_callback_type_signal_deliver(ls_trigger_task_signal);

	if (trigger->kind == LBRSCOPE_TRIGGER_EXEC)
		return (struct ls_task_probe){ "sched_process_exec", ls_trigger_task_exec };
	if (trigger->kind == LBRSCOPE_TRIGGER_EXIT)
		return (struct ls_task_probe){ "sched_process_exit", ls_trigger_task_exit };
	return (struct ls_task_probe){ "signal_deliver", ls_trigger_task_signal };
}

static void ls_trigger_task_match(struct tracepoint *tp, void *priv)
{
	struct ls_task_probe *probe = priv;

	if (!strcmp(tp->name, probe->name))
		probe->tp = tp;
}

/* Finds the tracepoint by its name: the symbols of these are not exported. */
static struct ls_task_probe ls_trigger_task_find(const struct ls_trigger *trigger)
{
	struct ls_task_probe probe = ls_trigger_task_probe(trigger);

	for_each_kernel_tracepoint(ls_trigger_task_match, &probe);
	return probe;
}

int ls_trigger_task_arm(struct ls_trigger *trigger, const char **why)
{
	struct ls_task_probe probe = ls_trigger_task_find(trigger);

	if (!probe.tp) {
		*why = "this kernel has no tracepoint for this event";
		return -EOPNOTSUPP;
	}
	return tracepoint_probe_register_prio(probe.tp, probe.probe, trigger,
					      TASK_PRIORITY);
}

void ls_trigger_task_disarm(struct ls_trigger *trigger)
{
	struct ls_task_probe probe = ls_trigger_task_find(trigger);

	tracepoint_probe_unregister(probe.tp, probe.probe, trigger);
	tracepoint_synchronize_unregister();
}
