// SPDX-License-Identifier: GPL-2.0
/*
 * What happens to a task: it becomes another program, ends, is sent a signal.
 *
 * The probes go before those of hooks.c, which forget the task's branches.
 */
#include <linux/errno.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <trace/events/signal.h>
#include <asm/ptrace.h>

#include "compat/sched.h"
#include "trigger_kinds.h"

#define TASK_PRIORITY	(TRACEPOINT_DEFAULT_PRIO + 1)

static void task_fire(const struct trigger *trigger, u64 value)
{
	const struct pt_regs *regs = task_pt_regs(current);

	if (!(current->flags & PF_KTHREAD))
		ls_trigger_fire(trigger, regs, regs->ip, value);
}

static void task_exec(void *data, struct task_struct *task, pid_t old_pid,
		      struct linux_binprm *bprm)
{
	task_fire(data, 0);
}

static void task_exit(void *data,
		      COMPAT_SCHED_EXIT_LAST(struct task_struct *task))
{
	task_fire(data, task->exit_code);
}

static void task_signal(void *data, int sig, struct kernel_siginfo *info,
			struct k_sigaction *action)
{
	const struct trigger *trigger = data;

	if (!trigger->signal || trigger->signal == sig)
		task_fire(trigger, sig);
}

struct task_probe {
	const char *name;
	void *probe;
	struct tracepoint *tp;
};

static struct task_probe task_probe(const struct trigger *trigger)
{
	/* What follows loses the types; the compiler checks them here. */
	check_trace_callback_type_sched_process_exec(task_exec);
	check_trace_callback_type_sched_process_exit(task_exit);
	check_trace_callback_type_signal_deliver(task_signal);

	if (trigger->kind == LBRSCOPE_TRIGGER_EXEC)
		return (struct task_probe){ "sched_process_exec", task_exec };
	if (trigger->kind == LBRSCOPE_TRIGGER_EXIT)
		return (struct task_probe){ "sched_process_exit", task_exit };
	return (struct task_probe){ "signal_deliver", task_signal };
}

static void task_match(struct tracepoint *tp, void *priv)
{
	struct task_probe *probe = priv;

	if (!strcmp(tp->name, probe->name))
		probe->tp = tp;
}

/* Tracepoints are not exported by name. */
static struct task_probe task_find(const struct trigger *trigger)
{
	struct task_probe probe = task_probe(trigger);

	for_each_kernel_tracepoint(task_match, &probe);
	return probe;
}

int ls_trigger_task_arm(struct trigger *trigger, const char **why)
{
	struct task_probe probe = task_find(trigger);

	if (!probe.tp) {
		*why = "this kernel has no tracepoint for it";
		return -EOPNOTSUPP;
	}
	return tracepoint_probe_register_prio(probe.tp, probe.probe, trigger,
					      TASK_PRIORITY);
}

void ls_trigger_task_disarm(struct trigger *trigger)
{
	struct task_probe probe = task_find(trigger);

	tracepoint_probe_unregister(probe.tp, probe.probe, trigger);
	tracepoint_synchronize_unregister();
}
