// SPDX-License-Identifier: GPL-2.0
/*
 * The counts of single tasks: written in a record when the task ends, and read on request
 * while it exists.
 *
 * The counts are in the node of the task and are updated whenever it leaves a CPU.  Before
 * a request those of running tasks are updated as well.  If a task leaves its CPU during
 * the request, some of its counts may be newer than others.
 */
#include <linux/lockdep.h>
#include <linux/overflow.h>
#include <linux/pid_namespace.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

#include "base/session_lock.h"
#include "events/events.h"
#include "ring/ring.h"
#include "session/memory.h"
#include "session/session.h"
#include "task/counts.h"
#include "task/task.h"

/* A cursor has a bucket, and the id of the last task in it; the youngest comes first. */
#define CURSOR_ID_BITS	44
#define CURSOR_ID	GENMASK_ULL(CURSOR_ID_BITS - 1, 0)

static u32 ls_task_counts_size(const struct ls_session *session)
{
	const struct lbrscope_task_counts *counts;

	return struct_size(counts, counts, session->events->nr);
}

/* The session's user must not learn the name of a hidden task. */
static void ls_task_counts_identify(const struct ls_session *session, bool hidden,
				    struct task_struct *task, struct ls_task_name *name)
{
	name->tid = task_pid_nr_ns(task, session->pid_ns);
	name->pid = task_tgid_nr_ns(task, session->pid_ns);
	memset(name->comm, 0, sizeof(name->comm));
	if (!hidden)
		strscpy(name->comm, task->comm, sizeof(name->comm));
}

static void ls_task_counts_put(const struct ls_session *session, const struct ls_task_node *node,
			       const struct ls_task_name *name, u64 now,
			       struct lbrscope_task_counts *counts)
{
	u32 i, nr = session->events->nr;

	*counts = (struct lbrscope_task_counts){
		.rec = {
			.size = ls_task_counts_size(session),
			.type = LBRSCOPE_RECORD_TASK_COUNTS,
			.nr = nr,
		},
		.time = now,
		.id = node->id,
		.tid = name->tid,
		.pid = name->pid,
		.enabled = READ_ONCE(node->counts.enabled),
	};
	memcpy(counts->comm, name->comm, sizeof(counts->comm));
	for (i = 0; i < nr; i++) {
		counts->counts[i].value = READ_ONCE(node->counts.events[i].value);
		counts->counts[i].running = READ_ONCE(node->counts.events[i].running);
	}
}

void ls_task_counts_end(struct ls_session *session)
{
	struct ls_ring *ring = session->memory[smp_processor_id()].ring;
	struct ls_task_node *node = ls_task_find(&session->tasks, current);
	u32 size = ls_task_counts_size(session);
	struct ls_task_name name;
	void *record;

	lockdep_assert_irqs_disabled();
	if (!node)
		return;
	record = ls_ring_reserve(ring, size);
	if (!record) {
		atomic64_inc(&session->tasks.counts_lost);
		return;
	}
	ls_task_counts_identify(session, node->hidden, current, &name);
	ls_task_counts_put(session, node, &name, ktime_get_mono_fast_ns(), record);
	ls_ring_commit(ring);
}

void ls_task_counts_name(struct ls_session *session)
{
	struct ls_task_node *node;
	u32 i;

	lockdep_assert_held(&ls_session_lock);
	rcu_read_lock();
	for (i = 0; i < ls_task_buckets(&session->tasks); i++)
		hlist_for_each_entry_rcu(node, &session->tasks.buckets[i], link)
			ls_task_counts_identify(session, READ_ONCE(node->hidden),
						node->task, &node->name);
	rcu_read_unlock();
}

u32 ls_task_counts_page(struct ls_session *session, u64 *cursor, void *page, u32 size)
{
	u64 bucket = *cursor >> CURSOR_ID_BITS, behind = *cursor & CURSOR_ID;
	u32 each = ls_task_counts_size(session), done = 0;
	u64 now = ktime_get_mono_fast_ns();
	struct ls_task_node *node;

	lockdep_assert_held(&ls_session_lock);
	*cursor = 0;
	rcu_read_lock();
	for (; bucket < ls_task_buckets(&session->tasks); bucket++, behind = 0)
		hlist_for_each_entry_rcu(node, &session->tasks.buckets[bucket], link) {
			if (!node->name.tid || (behind && node->id >= behind))
				continue;
			if (done + each > size)
				goto out;
			ls_task_counts_put(session, node, &node->name, now, page + done);
			done += each;
			behind = node->id;
			*cursor = bucket << CURSOR_ID_BITS | behind;
		}
	*cursor = 0;
out:
	rcu_read_unlock();
	return done;
}
