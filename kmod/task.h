/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBRSCOPE_TASK_H
#define LBRSCOPE_TASK_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "counters.h"
#include "lbr.h"
#include "offcpu.h"

struct cpu_ctx;
struct pid;
struct task_struct;

/* As in records; all 0 until it is asked for. */
struct task_name {
	u32 tid, pid;
	char comm[LBRSCOPE_COMM_LEN];
};

/*
 * What a session keeps of a task.  Looked up under RCU; written only on the
 * CPU where the task runs, interrupts off, or before it can be looked up; but name
 * by who holds the session's state.
 */
struct task_node {
	struct hlist_node link;
	struct rcu_head rcu;
	struct task_struct *task;	/* the key; followed while the hooks are
					 * there, under RCU, for the name
					 */
	u64 id;			/* from 1, in the order of coming */
	bool enabled;		/* sampled; false until its exec, if asked so */
	bool hidden;		/* it has got rights that the session's user
				 * does not reach: never looked at again
				 */
	bool selected;		/* its samples carry its stack; written under the
				 * table's lock, or by the task in exec; read
				 * without
				 */
	unsigned long stack;	/* the user stack pointer that it began with,
				 * 0: not known
				 */
	u64 stamp;		/* of the save of lbr: see switch.c */
	struct lbr_stack lbr;	/* its branch state, while it is off */
	struct offcpu_task offcpu;
	struct task_name name;
	struct event_owner counts;	/* where the counters belong to tasks */
};

struct task_table {
	struct hlist_head *buckets;	/* ls_task_buckets() of them, NULL: none */
	u32 bits;			/* constant while there are buckets */
	raw_spinlock_t lock;		/* writers of the buckets, and of selections */
	u64 ids;			/* given out, under lock */
	atomic64_t untracked;		/* tasks without a node: no memory */
	atomic64_t hidden;		/* tasks that were left, or not begun with */
	atomic64_t counts_lost;		/* no room for what they have counted */
	u64 open;	/* tasks that were off the CPU when sessions ended */
};

static inline u32 ls_task_buckets(const struct task_table *table)
{
	return 1U << table->bits;
}

struct session;

/* Does the session need to know of tasks at all? */
bool ls_task_needed(const struct session *session);

int ls_task_alloc_table(struct task_table *table);
void ls_task_free_table(struct task_table *table);

/* How many are off the CPU; when nothing writes any more. */
u64 ls_task_count_off(const struct task_table *table);

/* Once the hooks are there.  -ESRCH: the targets are gone. */
int ls_task_add_existing(struct session *session);

/* NULL: no memory. */
struct task_node *ls_task_new(const struct session *session,
			      struct task_struct *task, gfp_t gfp);
struct task_node *ls_task_find(struct task_table *table,
			       const struct task_struct *task);

/* parent: the task whose selection the node inherits; NULL: none. */
void ls_task_insert(struct task_table *table, struct task_node *node,
		    const struct task_struct *parent);
void ls_task_remove(struct task_table *table, const struct task_struct *task);

#endif
