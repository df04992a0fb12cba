// SPDX-License-Identifier: GPL-2.0
/*
 * The statistics and the counts of a session: sums over the rings and totals of all CPUs,
 * and the counts of one CPU or of tasks.
 */
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/netlink.h>

#include "base/extack.h"
#include "base/session_lock.h"
#include "counters/counters.h"
#include "cpu/cpu.h"
#include "ring/ring.h"
#include "session/memory.h"
#include "session/session.h"
#include "task/counts.h"
#include "trigger/trigger.h"

static void ls_session_stats_add_cost(struct ls_cost *sum, const struct ls_cost *cost)
{
	sum->nmi += READ_ONCE(cost->nmi);
	sum->switches += READ_ONCE(cost->switches);
	sum->time += READ_ONCE(cost->time);
}

static void ls_session_stats_add_ring(struct ls_session_stats *stats,
				      const struct ls_ring *ring)
{
	const struct lbrscope_ring *shared = ring->shared;
	int i;

	stats->produced += READ_ONCE(shared->produced);
	stats->delivered += READ_ONCE(shared->delivered);
	stats->unwanted += READ_ONCE(shared->unwanted);
	stats->branches_off += READ_ONCE(shared->branches_off);
	for (i = 0; i < LBRSCOPE_LOST_NR; i++)
		stats->lost[i] += READ_ONCE(shared->lost[i]);
	for (i = 0; i < LBRSCOPE_OFFCPU_NR; i++) {
		stats->offcpu[i] += READ_ONCE(shared->offcpu[i].nr);
		stats->offcpu_ns[i] += READ_ONCE(shared->offcpu[i].ns);
	}
}

void ls_session_stats_get(struct ls_session *session, struct ls_session_stats *stats)
{
	int cpu;

	lockdep_assert_held(&session->lock);
	*stats = (struct ls_session_stats){};
	if (!ls_session_is_set(session))
		return;
	stats->running = READ_ONCE(session->state) == SESSION_RUNNING;
	stats->frozen = READ_ONCE(session->frozen);
	/* A session that another one preempts may go on: see ls_session_resume(). */
	stats->ended = stats->running ? LBRSCOPE_ENDED_NOT : READ_ONCE(session->ended);
	stats->untracked = atomic64_read(&session->tasks.untracked);
	stats->hidden = atomic64_read(&session->tasks.hidden);
	stats->tasks_lost = atomic64_read(&session->tasks.counts_lost);
	stats->missed = ls_triggers_missed(session->triggers);
	stats->offcpu_wanted = session->config.offcpu.wanted;
	stats->offcpu_open = READ_ONCE(session->tasks.open);
	for_each_possible_cpu(cpu) {
		const struct ls_cpu_memory *memory = &session->memory[cpu];

		if (memory->ring)
			ls_session_stats_add_ring(stats, memory->ring);
		ls_session_stats_add_cost(&stats->cost, &memory->totals->cost);
	}
}

int ls_session_stats_count(struct ls_session *session, u32 cpu,
			   struct lbrscope_count *counts,
			   struct ls_extack *extack)
{
	int nr;

	lockdep_assert_held(&session->lock);
	if (mutex_lock_killable(&ls_session_lock))
		return -EINTR;
	if (session->state == SESSION_NEW) {
		ls_extack_set(extack, "the session is not configured");
		nr = -ENODATA;
	} else if (cpu >= nr_cpu_ids || !cpu_possible(cpu)) {
		ls_extack_set(extack, "there is no such CPU");
		nr = -ENXIO;
	} else {
		ls_cpu_count(session, cpu, counts);
		nr = session->events->nr;
	}
	mutex_unlock(&ls_session_lock);
	return nr;
}

int ls_session_stats_count_tasks(struct ls_session *session, u64 *cursor, void *page, u32 size,
				 struct ls_extack *extack)
{
	int done = -ENODATA;

	lockdep_assert_held(&session->lock);
	if (mutex_lock_killable(&ls_session_lock))
		return -EINTR;
	if (session->state < SESSION_RUNNING) {
		ls_extack_set(extack, "the session was not started");
	} else if (!session->config.task_counts) {
		ls_extack_set(extack, "the session was configured without TASK_COUNTS");
		done = -EINVAL;
	} else if (!session->tasks.buckets) {
		ls_extack_set(extack, "a START failed, and discarded the counts of the run before");
	} else {
		if (session->state == SESSION_RUNNING && !*cursor) {
			ls_cpu_add_up_all(session);
			ls_task_counts_name(session);
		}
		done = ls_task_counts_page(session, cursor, page, size);
	}
	mutex_unlock(&ls_session_lock);
	return done;
}
