// SPDX-License-Identifier: GPL-2.0
/*
 * The selection of processes whose samples carry the user stack.
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

/* Returns whether the task is measured. */
static bool ls_task_select_thread(struct ls_session *session, struct task_struct *task,
				  bool on)
{
	struct ls_task_table *table = &session->tasks;
	struct ls_task_node *node;
	unsigned long flags;
	bool measured;

	raw_spin_lock_irqsave(&table->lock, flags);
	node = ls_task_find(table, task);
	measured = node && !node->hidden;
	if (measured)
		WRITE_ONCE(node->selected, on);
	raw_spin_unlock_irqrestore(&table->lock, flags);
	return measured;
}

/* Returns whether any thread of the process is measured. */
static bool ls_task_select_process(struct ls_session *session, struct pid *pid, bool on)
{
	struct task_struct *process, *thread;
	bool measured = false;

	rcu_read_lock();
	process = pid_task(pid, PIDTYPE_TGID);
	if (process && ls_target_admits(&session->target, process))
		for_each_thread(process, thread)
			measured |= ls_task_select_thread(session, thread, on);
	rcu_read_unlock();
	return measured;
}

int ls_task_select(struct ls_session *session, const u32 *pids, u32 nr, bool on,
		   struct ls_extack *extack)
{
	struct pid *pid;
	bool measured;
	int err = 0;
	u32 i;

	lockdep_assert_held(&ls_session_lock);
	for (i = 0; i < nr; i++) {
		pid = find_get_pid(pids[i]);
		measured = pid && ls_task_select_process(session, pid, on);
		put_pid(pid);
		if (!measured && !err) {
			err = -ESRCH;
			ls_extack_set(extack, "the session measures no process %u",
				      pids[i]);
		}
		cond_resched();
	}
	return err;
}
