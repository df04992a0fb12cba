/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBRSCOPE_OFFCPU_H
#define LBRSCOPE_OFFCPU_H

#include <linux/types.h>

struct cpu_ctx;
struct session;
struct task_node;
struct task_struct;

/* What SESSION_SET asked for. */
struct offcpu_config {
	bool wanted;
	bool waker;
	u32 rate;	/* records a second of each CPU */
	u64 min;	/* ns */
	u64 freezes;	/* ns: a time of so long freezes the rings; 0: none */
};

/* Of a task. */
struct offcpu_task {
	u64 since;	/* ns: when it left its CPU; 0: it runs, or left unseen */
	u64 waker;	/* process and thread that woke it last; see offcpu.c */
	char state;	/* that it left in */
};

/* Of a CPU. */
struct offcpu_cpu {
	u64 credit;	/* ns: what the records to come may cost together */
	u64 filled;	/* ns: when that was reckoned last; 0: never */
};

/*
 * For hooks.c, on the CPU that a task leaves or comes to, interrupts off.  A
 * task that came or went where nobody looked has its time forgotten; affords: the
 * budget has room for a record.
 */
void ls_offcpu_leave(struct task_node *node, u64 now, char state);
void ls_offcpu_return(struct cpu_ctx *cpu, struct task_node *node,
		      struct task_struct *task, u64 now, bool affords);
void ls_offcpu_forget(struct task_node *node);

/* In whatever wakes the task, on any CPU. */
void ls_offcpu_waking(const struct session *session, struct task_node *node);

#endif
