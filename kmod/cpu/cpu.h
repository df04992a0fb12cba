/* SPDX-License-Identifier: GPL-2.0 */
/* The state of a session on one CPU, and its start and stop. */
#ifndef LBRSCOPE_CPU_H
#define LBRSCOPE_CPU_H

#include <linux/hrtimer.h>
#include <linux/percpu-defs.h>
#include <linux/types.h>
#include <asm/local.h>

#include "counters/budget.h"
#include "counters/clock.h"
#include "counters/counters.h"
#include "counters/timer.h"
#include "lbr/lbr.h"
#include "pmu/caps.h"
#include "pmu/pmu.h"
#include "task/offcpu.h"
#include "unwind/unwind.h"

struct ls_extack;
struct ls_ring;
struct ls_session;
struct ls_task_node;
struct task_struct;

/*
 * The state of one CPU.  Written on that CPU with interrupts off, and read there, also by
 * the NMI.  Nothing here is shared between CPUs.
 */
struct ls_cpu_ctx {
	/*
	 * The session that samples on this CPU.  Set last when the registers are
	 * claimed, and cleared before they are released; the NMI reads the other
	 * fields only if it is set.
	 */
	struct ls_session *session;
	struct ls_ring *ring;
	/*
	 * The node of the task on the CPU; NULL between two tasks.  The hook
	 * sets it before the scheduler makes that task the current one.
	 */
	struct ls_task_node *cur;
	/*
	 * The task whose branches the registers hold; never dereferenced.  NULL:
	 * they belong to no task.  Set with cur, and for kernel threads as well
	 * if kernel branches are recorded.
	 */
	const struct task_struct *lbr_task;
	/*
	 * The user stack pointer that the task on the CPU began with; 0:
	 * unknown.  Set with cur, for the NMI.
	 */
	unsigned long stack;
	/*
	 * The number of samples of tasks that are not selected until the next audited one,
	 * which carries the stack; and the generator of these numbers.
	 * Context: only the NMI uses both.
	 */
	u32 unaudited;
	u64 audits;
	u64 stamp;		/* of the content of the branch registers: see switch.c */
	u64 stamps;		/* number of stamps that this CPU has used */
	/* The events on the counters and their owner; see counters.c. */
	const struct ls_event_set *set;
	struct ls_event_totals *totals;	/* of this CPU, the session's */
	struct ls_event_owner *owner;	/* the CPU's own, or that of cur */
	u64 prev[PMU_COUNTERS_MAX];	/* by slot: the value of the register when last read */
	u64 since;		/* ns: owner's times are added up until then */
	u32 overflows;		/* the number of changes of these by the NMI */
	bool running;		/* the counters and clocks run for owner */
	bool counting;		/* the counters run; else the NMI takes no overflow */
	bool taken;		/* somebody else uses the registers: no sampling */
	/*
	 * The number of NMIs that may still arrive although their overflows have
	 * been counted, until stray_until (jiffies): see ls_counters_expect().
	 */
	local_t strays;
	unsigned long stray_until;
	/*
	 * An overflow may freeze the branch records.  They are thawed either by
	 * the acknowledgement of the overflow (ack_more; 0: not needed) or, if the
	 * handler's own branches would be recorded, at the end of the handler
	 * (thaws).
	 */
	u64 ack_more;
	bool thaws;
	struct ls_timers timers;	/* of clocks; not used by the NMI */
	struct hrtimer timer;	/* ends a turn, if there are several sets */
	u32 turns;		/* their number so far */
	u64 random;		/* state of the generator of their lengths */
	u32 nr_extra;
	struct { u32 msr; u64 value; } extra[CAPS_EXTRA_MAX];	/* their old contents */
	struct ls_clock clock;	/* used by the NMI alone */
	struct ls_budget budget;	/* by the NMI and the scheduler's hooks */
	struct ls_pmu_saved pmu;
	struct ls_lbr_saved lbr;
	struct ls_lbr_stack scratch;	/* by the NMI alone */
	struct ls_unwind_walkers *walkers;	/* of the session: NULL: it takes no call chains */
	struct ls_offcpu_cpu offcpu;	/* by the scheduler's hooks alone */
};

DECLARE_PER_CPU(struct ls_cpu_ctx, ls_cpu_ctx);

int ls_cpu_start_all(struct ls_session *session, struct ls_extack *extack);
void ls_cpu_stop_all(void);

/*
 * Add up the counts of tasks that run, and read the counts of one CPU, which may be offline.
 * Both interrupt only CPUs whose counters run for the session: in one with targets, those
 * on which one of them runs.
 * Locks: ls_session_lock.
 */
void ls_cpu_add_up_all(struct ls_session *session);
void ls_cpu_count(struct ls_session *session, u32 nr, struct lbrscope_count *counts);

int ls_cpu_init(void);
void ls_cpu_exit(void);

#endif
