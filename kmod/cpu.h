/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBRSCOPE_CPU_H
#define LBRSCOPE_CPU_H

#include <linux/percpu-defs.h>
#include <linux/types.h>

#include "lbr.h"
#include "pace.h"
#include "pmu.h"

struct netlink_ext_ack;
struct ring;
struct session;
struct task_node;
struct task_struct;

/*
 * What one CPU is doing.  Written on that CPU with interrupts off, read there,
 * by the NMI too: nothing here is shared between CPUs.
 */
struct cpu_ctx {
	/*
	 * The session that samples here.  Set last when the registers are
	 * claimed, cleared once they are released; the NMI looks at nothing
	 * else before it has seen this.
	 */
	struct session *session;
	struct ring *ring;
	/*
	 * Of the task whose period the counter holds; NULL between two tasks.
	 * The scheduler sets it before it makes that task the current one.
	 */
	struct task_node *cur;
	/*
	 * The task whose branches the registers hold, never followed; NULL
	 * while they are between two, or nobody's.  Set with cur, but also for
	 * kernel threads, where these are recorded.
	 */
	const struct task_struct *lbr_task;
	u64 stamp;		/* what the branch registers hold: see hooks.c */
	u64 stamps;		/* stamps given out here */
	/*
	 * Of the period that the counter holds: the CPU's own, or that of the
	 * task of cur.
	 */
	struct pace *pace;
	struct pace own_pace;
	bool counting;		/* the counter runs */
	bool stray;		/* a PMI is expected whose overflow has been
				 * accounted for already
				 */
	unsigned long stray_until;	/* jiffies: do not expect it any longer */
	struct pmu_saved pmu;
	struct lbr_saved lbr;
	struct lbr_stack scratch;	/* the NMI's alone */
};

DECLARE_PER_CPU(struct cpu_ctx, ls_cpu_ctx);

int ls_cpu_start_all(struct session *session, struct netlink_ext_ack *extack);
void ls_cpu_stop_all(void);

/* The counter alone, for hooks.c: on the CPU, interrupts off. */
void ls_cpu_resume(struct cpu_ctx *cpu, struct pace *pace, u64 left);
u64 ls_cpu_pause(struct cpu_ctx *cpu);

int ls_cpu_init(void);
void ls_cpu_exit(void);

#endif
