/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBRSCOPE_OFFCPU_H
#define LBRSCOPE_OFFCPU_H

#include <linux/types.h>

struct cpu_ctx;
struct session;
struct task_node;
struct task_struct;

/* The request of SESSION_SET. */
struct offcpu_config {
	bool wanted;
	bool waker;
	u32 rate;	/* records a second of each CPU */
	u64 min;	/* ns */
	u64 freezes;	/* ns: a time as long as this freezes the rings; 0: none does */
};

/* Of a task. */
struct offcpu_task {
	u64 since;	/* ns: when it left its CPU; 0: it runs, or left unseen */
	u64 waker;	/* process and thread that woke it last; see offcpu.c */
	char state;	/* its state when it left */
};

/* Of a CPU. */
struct offcpu_cpu {
	u64 credit;	/* ns: the cost that the next records may have together */
	u64 filled;	/* ns: time of the last update of credit; 0: none yet */
};

/*
 * For switch.c, on the CPU that a task leaves or comes to, interrupts off.  A
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
