// SPDX-License-Identifier: GPL-2.0
/*
 * The memory of a session for each CPU: a ring for its records, memory for walks of stacks, and
 * the totals of its counts.  All of it is charged to the memory cgroup of the task that configures the
 * session.
 *
 * Rings are for all CPUs that may ever come online, so that one that comes later is
 * covered.  A session that is limited to some CPUs has rings for these only, except with
 * TASK_COUNTS: the record of a task's counts goes to the ring of the CPU where the task
 * ends, sampled or not.
 */
#include <linux/cpumask.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/topology.h>

#include "counters/counters.h"
#include "events/events.h"
#include "ring/ring.h"
#include "session/charge.h"
#include "session/memory.h"
#include "session/session.h"
#include "unwind/unwind.h"

static const struct cpumask *ls_memory_cpus(const struct ls_session_config *config,
					    const struct cpumask *cpus)
{
	return cpus && !config->task_counts ? cpus : cpu_possible_mask;
}

static bool ls_memory_has_walkers(const struct ls_session_config *config)
{
	return config->sample.chains || config->offcpu.callers;
}

u64 ls_memory_of_cpus(const struct ls_session_config *config, const struct cpumask *cpus)
{
	return (u64)cpumask_weight(ls_memory_cpus(config, cpus)) *
	       (2 * PAGE_SIZE + config->ring_size +
		(ls_memory_has_walkers(config) ? PAGE_ALIGN(sizeof(struct ls_unwind_walkers)) : 0));
}

static void ls_memory_free_walkers(struct ls_session *session)
{
	int cpu;

	for_each_possible_cpu(cpu)
		kvfree(session->walkers[cpu]);
	kfree(session->walkers);
	session->walkers = NULL;
}

static int ls_memory_alloc_walkers(struct ls_session *session, const struct cpumask *cpus)
{
	int cpu;

	session->walkers = kcalloc(nr_cpu_ids, sizeof(*session->walkers), CHARGE_GFP);
	if (!session->walkers)
		return -ENOMEM;
	for_each_cpu(cpu, cpus) {
		session->walkers[cpu] = kvzalloc_node(sizeof(struct ls_unwind_walkers), CHARGE_GFP,
						      cpu_to_node(cpu));
		if (!session->walkers[cpu]) {
			ls_memory_free_walkers(session);
			return -ENOMEM;
		}
	}
	return 0;
}

static void ls_memory_free_rings(struct ls_session *session)
{
	int cpu;

	for_each_possible_cpu(cpu)
		ls_ring_free(session->rings[cpu]);
	kfree(session->rings);
	session->rings = NULL;
}

static int ls_memory_alloc_rings(struct ls_session *session,
				 const struct ls_session_config *config,
				 const struct cpumask *cpus)
{
	const bool *frozen = config->overwrite ? &session->frozen : NULL;
	int cpu;

	session->rings = kcalloc(nr_cpu_ids, sizeof(*session->rings),
				 CHARGE_GFP);
	if (!session->rings)
		return -ENOMEM;
	for_each_cpu(cpu, ls_memory_cpus(config, cpus)) {
		session->rings[cpu] = ls_ring_alloc(cpu, config->ring_size,
						    frozen, &session->wait);
		if (!session->rings[cpu]) {
			ls_memory_free_rings(session);
			return -ENOMEM;
		}
	}
	return 0;
}

static void ls_memory_free_totals(struct ls_session *session)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		if (session->totals[cpu])
			kfree(session->totals[cpu]->parts);
		kfree(session->totals[cpu]);
	}
	kfree(session->totals);
	session->totals = NULL;
}

static struct ls_event_totals *ls_memory_new_totals(const struct ls_events *events, int node)
{
	struct ls_event_totals *totals;

	totals = kzalloc_node(struct_size(totals, all.events, events->nr),
			      CHARGE_GFP, node);
	if (!totals || events->nr_sets < 2)
		return totals;
	totals->parts = kcalloc_node(events->nr, sizeof(*totals->parts),
				     CHARGE_GFP, node);
	if (totals->parts)
		return totals;
	kfree(totals);
	return NULL;
}

static int ls_memory_alloc_totals(struct ls_session *session, const struct ls_events *events)
{
	int cpu;

	session->totals = kcalloc(nr_cpu_ids, sizeof(*session->totals),
				  CHARGE_GFP);
	if (!session->totals)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		session->totals[cpu] = ls_memory_new_totals(events, cpu_to_node(cpu));
		if (!session->totals[cpu]) {
			ls_memory_free_totals(session);
			return -ENOMEM;
		}
	}
	return 0;
}

int ls_memory_alloc(struct ls_session *session, const struct ls_session_config *config,
		    const struct ls_events *events, const struct cpumask *cpus)
{
	int err = ls_memory_alloc_totals(session, events);

	if (err)
		return err;
	err = ls_memory_alloc_rings(session, config, cpus);
	if (err)
		goto err_rings;
	if (ls_memory_has_walkers(config))
		err = ls_memory_alloc_walkers(session, ls_memory_cpus(config, cpus));
	if (!err)
		return 0;
	ls_memory_free_rings(session);
err_rings:
	ls_memory_free_totals(session);
	return err;
}

void ls_memory_free(struct ls_session *session)
{
	if (session->walkers)
		ls_memory_free_walkers(session);
	if (session->rings)
		ls_memory_free_rings(session);
	if (session->totals)
		ls_memory_free_totals(session);
}

void ls_memory_clear_totals(struct ls_session *session)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct ls_event_totals *totals = session->totals[cpu];

		totals->cost = (struct ls_cost){};
		if (totals->parts)
			memset(totals->parts, 0, session->events->nr *
			       sizeof(*totals->parts));
		ls_counters_init(&totals->all, session->events, cpu);
	}
}
