// SPDX-License-Identifier: GPL-2.0
/*
 * The per-task state of a session: branch records, the rest of the period, whether the task
 * is sampled.  switch.c and hooks.c use it.
 *
 * Nodes are allocated where that is possible (start, fork), looked up under RCU in the
 * scheduler, and freed after a grace period.
 */
#include <linux/err.h>
#include <linux/hash.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/rculist.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "session/charge.h"
#include "session/session.h"
#include "task/rights.h"
#include "task/table.h"
#include "task/task.h"

static struct hlist_head *ls_task_bucket(struct ls_task_table *table,
					 const struct task_struct *task)
{
	return &table->buckets[hash_ptr((void *)task, table->bits)];
}

/* Locks: RCU, or the lock of the table. */
struct ls_task_node *ls_task_find(struct ls_task_table *table,
				   const struct task_struct *task)
{
	struct ls_task_node *node;

	hlist_for_each_entry_rcu(node, ls_task_bucket(table, task), link,
				 lockdep_is_held(&table->lock))
		if (node->task == task)
			return node;
	return NULL;
}

static struct ls_unwind_ranges *ls_task_ranges(struct ls_task_table *table,
					       const struct ls_task_node *node)
{
	return rcu_dereference_protected(node->ranges, lockdep_is_held(&table->lock));
}

struct ls_unwind_ranges *ls_task_exchange_ranges(struct ls_task_table *table,
						 struct ls_task_node *node,
						 struct ls_unwind_ranges *ranges)
{
	struct ls_unwind_ranges *old = ls_task_ranges(table, node);

	if (ranges)
		refcount_inc(&ranges->refs);
	rcu_assign_pointer(node->ranges, ranges);
	return old;
}

void ls_task_forget_ranges(struct ls_task_table *table, struct ls_task_node *node)
{
	struct ls_unwind_ranges *old;
	unsigned long flags;

	raw_spin_lock_irqsave(&table->lock, flags);
	old = ls_task_exchange_ranges(table, node, NULL);
	raw_spin_unlock_irqrestore(&table->lock, flags);
	ls_unwind_ranges_put(old);
}

/* Frees a node that is in the table no more.  Its readers under RCU go on. */
static void ls_task_free(struct ls_task_node *node)
{
	ls_unwind_ranges_put(rcu_access_pointer(node->ranges));
	kfree_rcu(node, rcu);
}

void ls_task_insert(struct ls_task_table *table, struct ls_task_node *node,
		    const struct task_struct *parent)
{
	const struct ls_task_node *from;
	struct ls_task_node *old;
	unsigned long flags;

	raw_spin_lock_irqsave(&table->lock, flags);
	/* ls_task_select() says why this is done under the lock. */
	from = parent ? ls_task_find(table, parent) : NULL;
	if (from) {
		node->selected = from->selected;
		ls_task_exchange_ranges(table, node, ls_task_ranges(table, from));
	}
	old = ls_task_find(table, node->task);
	/* The youngest node comes first in its bucket.  A replacement keeps id and place. */
	node->id = old ? old->id : ++table->ids;
	if (old)
		hlist_replace_rcu(&old->link, &node->link);
	else
		hlist_add_head_rcu(&node->link, ls_task_bucket(table, node->task));
	raw_spin_unlock_irqrestore(&table->lock, flags);
	if (old)
		ls_task_free(old);
}

void ls_task_remove(struct ls_task_table *table,
			const struct task_struct *task)
{
	struct ls_task_node *node;
	unsigned long flags;

	raw_spin_lock_irqsave(&table->lock, flags);
	node = ls_task_find(table, task);
	if (node)
		hlist_del_rcu(&node->link);
	raw_spin_unlock_irqrestore(&table->lock, flags);
	if (node)
		ls_task_free(node);
}

struct ls_task_node *ls_task_new(const struct ls_session *session,
				       struct task_struct *task, gfp_t gfp)
{
	const struct ls_events *events = session->events;
	struct ls_task_node *node;
	u32 nr = ls_target_by_task(&session->target) ? events->nr : 0;
	size_t size = struct_size(node, counts.events, nr);
	size_t chain = session->config.offcpu.callers ? sizeof(*node->chain) : 0;
	size_t image = session->config.branches.call_stack ? ls_lbr_image_size() : 0;

	/*
	 * In a fork the parent's memory cgroup pays.  It has just paid for the child, more
	 * than a node takes, which bounds the number of nodes.  All tasks of such a session
	 * belong to its user.  In a privileged session nobody is charged.
	 */
	if (session->cred)
		gfp |= __GFP_ACCOUNT;
	node = kzalloc(size + chain + image, gfp);
	if (!node)
		return NULL;
	if (chain)
		node->chain = (void *)node + size;
	if (image)
		ls_lbr_set_image(&node->lbr, (void *)node + size + chain);
	node->task = task;
	node->enabled = !session->config.on_exec;
	node->selected = session->config.sample.selects_new;
	if (nr)
		ls_counters_init(&node->counts, events, task->pid);
	return node;
}

/*
 * Returns: the stack pointer that the first thread of a process began with at exec.  0:
 * another thread, whose beginning is not known.
 */
static unsigned long ls_task_stack(struct task_struct *task)
{
	unsigned long stack = 0;

	if (!thread_group_leader(task))
		return 0;
	task_lock(task);
	if (task->mm)
		stack = task->mm->start_stack;
	task_unlock(task);
	return stack;
}

static void ls_task_add(struct ls_session *session, struct task_struct *task)
{
	struct ls_task_node *node;

	if (task->flags & PF_KTHREAD)
		return;
	/* The fork probe knows where the stack begins. */
	if (ls_task_find(&session->tasks, task))
		return;
	if (!ls_rights_reach(session->cred, task)) {
		atomic64_inc(&session->tasks.hidden);
		return;
	}
	/* GFP_ATOMIC would exceed the limit of the sender's memory cgroup. */
	node = ls_task_new(session, task, GFP_NOWAIT | __GFP_NOWARN);
	if (!node) {
		atomic64_inc(&session->tasks.untracked);
		return;
	}
	node->stack = ls_task_stack(task);
	ls_task_insert(&session->tasks, node, NULL);
	/*
	 * A task that is past its exit probe would leave the node behind.  The
	 * flag is set before the probe runs, so either we see it here, or the
	 * probe finds the node.
	 */
	smp_mb();
	if (READ_ONCE(task->flags) & PF_EXITING)
		ls_task_remove(&session->tasks, task);
}

/* Adds the listed tasks that still exist. */
static int ls_task_add_listed(struct ls_session *session)
{
	const struct ls_target *target = &session->target;
	struct task_struct *task, *thread;
	int err = -ESRCH;
	u32 i;

	for (i = 0; i < target->nr; i++) {
		task = pid_task(target->list[i].pid, target->list[i].thread ?
				PIDTYPE_PID : PIDTYPE_TGID);
		if (!task)
			continue;
		err = 0;
		if (target->list[i].thread)
			ls_task_add(session, task);
		else
			for_each_thread(task, thread)
				ls_task_add(session, thread);
	}
	return err;
}

/*
 * The fork probe is registered already: a task that this walk misses was created by a
 * task that it has met, and the probe has added it.  For a cgroup all tasks get nodes,
 * since any task may move there.
 */
int ls_task_add_existing(struct ls_session *session)
{
	struct task_struct *process, *thread;
	int err = 0;

	rcu_read_lock();
	if (ls_target_by_task(&session->target))
		err = ls_task_add_listed(session);
	else
		for_each_process_thread(process, thread)
			ls_task_add(session, thread);
	rcu_read_unlock();
	return err;
}

u64 ls_task_count_off(const struct ls_task_table *table)
{
	const struct ls_task_node *node;
	u64 nr = 0;
	u32 i;

	for (i = 0; i < ls_task_buckets(table); i++)
		hlist_for_each_entry(node, &table->buckets[i], link)
			nr += node->offcpu.since != 0;
	return nr;
}

void ls_task_free_table(struct ls_task_table *table)
{
	struct ls_task_node *node;
	struct hlist_node *next;
	u32 i;

	for (i = 0; table->buckets && i < ls_task_buckets(table); i++)
		hlist_for_each_entry_safe(node, next, &table->buckets[i], link) {
			ls_unwind_ranges_put(rcu_access_pointer(node->ranges));
			kfree(node);
		}
	kvfree(table->buckets);
	table->buckets = NULL;
}

/* Whether the session needs to know of tasks. */
bool ls_task_needed(const struct ls_session *session)
{
	return ls_target_given(&session->target) ||
	       ls_lbr_wanted(&session->config.branches) ||
	       session->config.offcpu.wanted ||
	       ls_sample_wants_base(&session->config.sample);
}

/*
 * Allocates the buckets, before any CPU samples.  ls_task_free_table() frees them.
 * Returns: 0 or -ENOMEM.
 */
int ls_task_alloc_table(struct ls_task_table *table)
{
	table->bits = ls_task_table_bits((u64)totalram_pages() << PAGE_SHIFT);
	raw_spin_lock_init(&table->lock);
	table->ids = 0;
	table->buckets = kvcalloc(ls_task_buckets(table), sizeof(*table->buckets),
				  CHARGE_GFP);
	return table->buckets ? 0 : -ENOMEM;
}
