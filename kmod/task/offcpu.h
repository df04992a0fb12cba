/* SPDX-License-Identifier: GPL-2.0 */
/* Times off the CPU: how long, where, and why. */
#ifndef LBRSCOPE_OFFCPU_H
#define LBRSCOPE_OFFCPU_H

#include <linux/types.h>

struct ls_cpu_ctx;
struct ls_session;
struct ls_task_node;
struct task_struct;

/* The part of the SESSION_SET request. */
struct ls_offcpu_config {
	bool wanted;
	bool waker;
	bool callers;	/* user stacks are unwound */
	u32 rate;	/* records a second of each CPU */
	u64 min;	/* ns */
	u64 freezes;	/* ns: a time this long freezes the rings; 0: no time does */
};

/* The state of a task. */
struct ls_offcpu_task {
	u64 since;	/* ns: when it left its CPU; 0: it runs, or left unseen */
	u64 waker;	/* process and thread that woke it last; see offcpu.c */
	char state;	/* its state when it left */
	bool kept;	/* with callers: the rate and the budget allowed a record then */
	bool walked;	/* the node's chain is that of this leave */
};

/* The state of a CPU. */
struct ls_offcpu_cpu {
	u64 credit;	/* ns: the cost that the next records may have together */
	u64 filled;	/* ns: time of the last update of credit; 0: none yet */
};

/*
 * ls_offcpu_leave() runs when a task leaves its CPU, ls_offcpu_return() when it comes to
 * one; affords: the budget has room for a record.  ls_offcpu_forget() discards the time of
 * a task that came or went on a CPU that is not sampled.
 * Context: switch.c, on that CPU, interrupts off.
 */
void ls_offcpu_leave(struct ls_cpu_ctx *cpu, struct ls_task_node *node, u64 now, char state);
void ls_offcpu_return(struct ls_cpu_ctx *cpu, struct ls_task_node *node,
		      struct task_struct *task, u64 now, bool affords);
void ls_offcpu_forget(struct ls_task_node *node);

/* Notes the waker of the task.  Context: the waker, on any CPU. */
void ls_offcpu_waking(const struct ls_session *session, struct ls_task_node *node);

#endif
