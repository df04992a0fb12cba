/* SPDX-License-Identifier: GPL-2.0 */
/* The state that a session keeps for each task. */
#ifndef LBRSCOPE_TASK_H
#define LBRSCOPE_TASK_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "counters/counters.h"
#include "lbr/lbr.h"
#include "task/offcpu.h"
#include "unwind/unwind.h"

struct ls_cpu_ctx;
struct pid;
struct task_struct;

/* The name of a task, as in records; all 0 until a reader asks for it. */
struct ls_task_name {
	u32 tid, pid;
	char comm[LBRSCOPE_COMM_LEN];
};

/*
 * The state of a task in a session.  Looked up under RCU.
 * Locks: written only on the CPU where the task runs, interrupts off, or before it can be
 * looked up.  name is written by the holder of ls_session_lock.
 */
struct ls_task_node {
	struct hlist_node link;
	struct rcu_head rcu;
	struct task_struct *task;	/* the key; followed only while the hooks are
					 * registered: under RCU, for the name, and
					 * by the NMI if the task comes to the CPU next
					 */
	u64 id;			/* from 1, in the order of insertion */
	bool enabled;		/* sampled; with on_exec false until its exec */
	bool hidden;		/* it has gained rights beyond those of the
				 * session's user: never measured again
				 */
	bool selected;		/* its samples carry its stack; written under the
				 * table's lock, or by the task in exec; read
				 * without
				 */
	unsigned long stack;	/* the user stack pointer that it began with,
				 * 0: not known
				 */
	u64 stamp;		/* of the save of lbr: see switch.c */
	struct ls_lbr_stack lbr;	/* its branch records while it is off the CPU */
	struct ls_offcpu_task offcpu;
	struct ls_unwind_ranges __rcu *ranges;	/* what its process has mapped; NULL: not known;
						 * written as selected
						 */
	struct ls_unwind_chain *chain;	/* its callers when it left the CPU; NULL: the session
					 * has none
					 */
	struct ls_task_name name;
	struct ls_event_owner counts;	/* if the counters belong to tasks */
};

struct ls_task_table {
	struct hlist_head *buckets;	/* ls_task_buckets() lists; NULL: not allocated */
	u32 bits;			/* constant while there are buckets */
	raw_spinlock_t lock;		/* writers of the buckets, and of selections */
	u64 ids;			/* the last id; under lock */
	atomic64_t untracked;		/* tasks without a node: no memory */
	atomic64_t hidden;		/* tasks that were hidden, or never measured */
	struct ls_unwind_tables unwinding;	/* what ranges point to; under session->lock,
						 * until the end of the session
						 */
	atomic64_t counts_lost;		/* tasks whose counts found no room in a ring */
	u64 open;	/* tasks that were off the CPU when sessions ended */
};

static inline u32 ls_task_buckets(const struct ls_task_table *table)
{
	return 1U << table->bits;
}

struct ls_session;

/* Whether the session needs to know of tasks. */
bool ls_task_needed(const struct ls_session *session);

int ls_task_alloc_table(struct ls_task_table *table);
void ls_task_free_table(struct ls_task_table *table);

/* Returns: the number of tasks that are off the CPU.  Context: nothing writes any more. */
u64 ls_task_count_off(const struct ls_task_table *table);

/*
 * Adds the tasks that exist.  Context: the hooks are registered.  -ESRCH: the targets are
 * gone.
 */
int ls_task_add_existing(struct ls_session *session);

/* Allocates a node.  NULL: no memory. */
struct ls_task_node *ls_task_new(const struct ls_session *session,
				 struct task_struct *task, gfp_t gfp);
struct ls_task_node *ls_task_find(struct ls_task_table *table,
				  const struct task_struct *task);

/* parent: the task whose selection the node inherits; NULL: none. */
void ls_task_insert(struct ls_task_table *table, struct ls_task_node *node,
		    const struct task_struct *parent);
void ls_task_remove(struct ls_task_table *table, const struct task_struct *task);

/*
 * Exchanges what the node's process has mapped, of which it takes a reference; NULL: nothing is
 * known.
 * Locks: that of the table.  Returns: the ranges until now, for ls_unwind_ranges_put() without the
 * lock.
 */
struct ls_unwind_ranges *ls_task_exchange_ranges(struct ls_task_table *table,
						 struct ls_task_node *node,
						 struct ls_unwind_ranges *ranges);
void ls_task_forget_ranges(struct ls_task_table *table, struct ls_task_node *node);

#endif
