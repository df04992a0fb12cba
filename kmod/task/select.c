// SPDX-License-Identifier: GPL-2.0
/*
 * What user space decides about processes: whether their samples carry the user stack, and
 * what they have mapped.
 *
 * It is a mark in the node of each thread, which the NMI reads.  A thread that is being
 * cloned meanwhile is marked as well: it is in the list of its process before its node
 * is in the table, and it inherits the mark of its parent when the node is inserted,
 * under the lock of the table.  The parent is marked under this lock, too, and before the
 * threads behind it in the list are looked up.  So either the child has inherited the new
 * mark, or its node is found here.
 *
 * Which samples have registers and stack.  With LBRSCOPE_STACKS_SELECTED those of
 * processes that TASK_STACK has selected, and one random one in STACK_AUDIT of the others.
 * With LBRSCOPE_STACKS_NEW each program is selected at first, so that no stack is missed
 * until the reader has judged some and ends the selection.  While more than half of a ring
 * waits for its reader, its samples have no stack: one stack takes the place of a hundred
 * samples, and where the reader does not keep up, samples are worth more.  All others are
 * taken as without the request, and may be plain; to find that out takes a few
 * instructions (tests/guest/stacks.test prints the cost of both).  The selection is a mark
 * in the node of each thread, which the NMI reads through cur, so that it is in force for
 * running threads, on all CPUs, when the command has returned.  Children inherit it with
 * their node; exec ends it, since the program is another one.  Nodes are the session's
 * own, so that a selection needs no memory and ends with the session.  Between two tasks,
 * when cur is not the current task, a sample has no stack.  An audit is a countdown of
 * each CPU, with random steps, evenly from 1 to twice the rate less one; it takes no
 * notice of what it samples.  Each session with a stack follows tasks, also on CPUs
 * without a call-stack mode: for their marks and for the beginnings of their stacks.
 */
#include <linux/lockdep.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>

#include "base/extack.h"
#include "base/session_lock.h"
#include "session/session.h"
#include "task/select.h"
#include "task/target.h"
#include "task/task.h"

/* What becomes of the threads of a process. */
struct ls_task_change {
	bool maps;			/* they get ranges; else on */
	bool on;
	struct ls_unwind_ranges *ranges;
};

/* Returns whether the task is measured. */
static bool ls_task_change_thread(struct ls_session *session, struct task_struct *task,
				  const struct ls_task_change *change)
{
	struct ls_task_table *table = &session->tasks;
	struct ls_unwind_ranges *old = NULL;
	struct ls_task_node *node;
	unsigned long flags;
	bool measured;

	raw_spin_lock_irqsave(&table->lock, flags);
	node = ls_task_find(table, task);
	measured = node && !node->hidden;
	if (measured && change->maps)
		old = ls_task_exchange_ranges(table, node, change->ranges);
	else if (measured)
		WRITE_ONCE(node->selected, change->on);
	raw_spin_unlock_irqrestore(&table->lock, flags);
	ls_unwind_ranges_put(old);
	return measured;
}

/* Returns whether any thread of the process is measured. */
static bool ls_task_change_process(struct ls_session *session, struct pid *pid,
				   const struct ls_task_change *change)
{
	struct task_struct *process, *thread;
	bool measured = false;

	rcu_read_lock();
	process = pid_task(pid, PIDTYPE_TGID);
	if (process && ls_target_admits(&session->target, process))
		for_each_thread(process, thread)
			measured |= ls_task_change_thread(session, thread, change);
	rcu_read_unlock();
	return measured;
}

static int ls_task_change(struct ls_session *session, u32 nr_pid,
			  const struct ls_task_change *change, struct ls_extack *extack)
{
	struct pid *pid = find_get_pid(nr_pid);
	bool measured = pid && ls_task_change_process(session, pid, change);

	put_pid(pid);
	if (measured)
		return 0;
	ls_extack_set(extack, "the session measures no process %u", nr_pid);
	return -ESRCH;
}

int ls_task_select(struct ls_session *session, const u32 *pids, u32 nr, bool on,
		   struct ls_extack *extack)
{
	const struct ls_task_change change = { .on = on };
	int err = 0;
	u32 i;

	lockdep_assert_held(&ls_session_lock);
	for (i = 0; i < nr; i++) {
		err = ls_task_change(session, pids[i], &change, err ? NULL : extack) ? -ESRCH : err;
		cond_resched();
	}
	return err;
}

int ls_task_map(struct ls_session *session, u32 pid, struct ls_unwind_ranges *ranges,
		struct ls_extack *extack)
{
	const struct ls_task_change change = { .maps = true, .ranges = ranges };

	lockdep_assert_held(&ls_session_lock);
	return ls_task_change(session, pid, &change, extack);
}
