/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBRSCOPE_CPU_H
#define LBRSCOPE_CPU_H

#include <linux/hrtimer.h>
#include <linux/percpu-defs.h>
#include <linux/types.h>
#include <asm/local.h>

#include "budget.h"
#include "caps.h"
#include "clock.h"
#include "counters.h"
#include "lbr.h"
#include "offcpu.h"
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
	 * Of the task that is on the CPU; NULL between two tasks.  The
	 * scheduler sets it before it makes that task the current one.
	 */
	struct task_node *cur;
	/*
	 * The task whose branches the registers hold, never followed; NULL
	 * while they are between two, or nobody's.  Set with cur, but also for
	 * kernel threads, where these are recorded.
	 */
	const struct task_struct *lbr_task;
	/*
	 * The user stack pointer that the task on the CPU began with, 0: not
	 * known.  Set with cur, for the NMI.
	 */
	unsigned long stack;
	/*
	 * Samples of tasks that are not selected, up to the next one that carries the
	 * stack for an audit; and the generator of these numbers.  The NMI's alone.
	 */
	u32 unaudited;
	u64 audits;
	u64 stamp;		/* what the branch registers hold: see switch.c */
	u64 stamps;		/* stamps given out here */
	/* What is on the counters, and for whom; see counters.c. */
	const struct event_set *set;
	struct event_totals *totals;	/* of this CPU, the session's */
	struct event_owner *owner;	/* the CPU's own, or that of cur */
	u64 prev[PMU_COUNTERS_MAX];	/* by slot: the register when last read */
	u64 since;		/* ns: owner's time is added up to then */
	u32 overflows;		/* times that the NMI changed any of these */
	bool counting;		/* the counters run; else the NMI keeps off */
	bool taken;		/* somebody else has the counters */
	/*
	 * NMIs that may still come although their overflows have been accounted
	 * for, until stray_until (jiffies): see ls_counters_expect().
	 */
	local_t strays;
	unsigned long stray_until;
	/*
	 * The branch records stand still when an overflow has frozen them.  What
	 * lets them go on is acknowledged with the overflow (ack_more, 0: nothing);
	 * or, where the handler's own branches would be recorded, at the end of
	 * the handler (thaws).
	 */
	u64 ack_more;
	bool thaws;
	struct hrtimer timer;	/* ends a turn, where there are several sets */
	u32 turns;		/* so far */
	u64 random;		/* of their lengths */
	u32 nr_extra;
	struct { u32 msr; u64 value; } extra[CAPS_EXTRA_MAX];	/* as found */
	struct clock clock;	/* the NMI's alone */
	struct budget budget;	/* by the NMI, and by the scheduler */
	struct pmu_saved pmu;
	struct lbr_saved lbr;
	struct lbr_stack scratch;	/* the NMI's alone */
	struct offcpu_cpu offcpu;	/* the scheduler's hooks' alone */
};

DECLARE_PER_CPU(struct cpu_ctx, ls_cpu_ctx);

int ls_cpu_start_all(struct session *session, struct netlink_ext_ack *extack);
void ls_cpu_stop_all(void);
void ls_cpu_wait_all(const struct session *session);
void ls_cpu_add_up_all(const struct session *session);

/* With the session's state held as it is. */
void ls_cpu_count(const struct session *session, u32 nr,
		  struct lbrscope_count *counts);

int ls_cpu_init(void);
void ls_cpu_exit(void);

#endif
