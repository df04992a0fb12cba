/* SPDX-License-Identifier: GPL-2.0 */
/* The task that a sample belongs to. */
#ifndef LBRSCOPE_SAMPLE_TASK_H
#define LBRSCOPE_SAMPLE_TASK_H

#include <linux/kprobes.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>

#include "cpu/cpu.h"
#include "session/session.h"

/* Returns a struct lbrscope_task of the task as a word, in init's pid namespace. */
static nokprobe_inline u64 ls_sample_task(const struct task_struct *task)
{
	/* Compilers of older kernels do not see that this is one load. */
	if (offsetof(struct task_struct, tgid) ==
	    offsetof(struct task_struct, pid) + sizeof(u32))
		return *(const u64 *)&task->pid;
	/* CONFIG_RANDSTRUCT may separate the two. */
	return (u64)task->tgid << 32 | (u32)task->pid;
}

static nokprobe_inline u64 ls_sample_task_seen(struct task_struct *task,
					       struct pid_namespace *ns)
{
	if (ns == &init_pid_ns)
		return ls_sample_task(task);
	return (u64)task_tgid_nr_ns(task, ns) << 32 | (u32)task_pid_nr_ns(task, ns);
}

/*
 * Whether the counters run for the next task already, while the one before it, which need
 * not be a target, is still the current one.
 */
static nokprobe_inline bool ls_sample_is_early(const struct ls_cpu_ctx *cpu)
{
	return cpu->cur && cpu->cur->task != current &&
	       ls_target_given(&cpu->session->target);
}

#endif
