// SPDX-License-Identifier: GPL-2.0
/*
 * The statistics of a session: sums over the rings and totals of all CPUs.
 */
#include <linux/atomic.h>
#include <linux/cpumask.h>

#include "counters.h"
#include "ring.h"
#include "session.h"
#include "trigger.h"

static void ls_session_stats_add_cost(struct cost *sum, const struct cost *cost)
{
	sum->nmi += READ_ONCE(cost->nmi);
	sum->switches += READ_ONCE(cost->switches);
	sum->time += READ_ONCE(cost->time);
}

static void ls_session_stats_add_ring(struct session_stats *stats,
				      const struct ring *ring)
{
	const struct lbrscope_ring *shared = ring->shared;
	int i;

	stats->produced += READ_ONCE(shared->produced);
	stats->delivered += READ_ONCE(shared->delivered);
	for (i = 0; i < LBRSCOPE_LOST_NR; i++)
		stats->lost[i] += READ_ONCE(shared->lost[i]);
	for (i = 0; i < LBRSCOPE_OFFCPU_NR; i++) {
		stats->offcpu[i] += READ_ONCE(shared->offcpu[i].nr);
		stats->offcpu_ns[i] += READ_ONCE(shared->offcpu[i].ns);
	}
}

void ls_session_stats_get(struct session *session, struct session_stats *stats)
{
	int cpu;

	*stats = (struct session_stats){};
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
		if (session->rings[cpu])
			ls_session_stats_add_ring(stats, session->rings[cpu]);
		ls_session_stats_add_cost(&stats->cost, &session->totals[cpu]->cost);
	}
}
