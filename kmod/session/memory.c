// SPDX-License-Identifier: GPL-2.0
/*
 * The memory of a session for each CPU: a ring for its records, memory for walks of stacks, and
 * the totals of its counts.  All of it is charged to the memory cgroup of the task that
 * configures the session.
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

static const struct cpumask *ls_memory_ring_cpus(const struct ls_session_config *config,
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
	return (u64)cpumask_weight(ls_memory_ring_cpus(config, cpus)) *
	       (2 * PAGE_SIZE + config->ring_size +
		(ls_memory_has_walkers(config) ? PAGE_ALIGN(sizeof(struct ls_unwind_walkers)) : 0));
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

static void ls_memory_free_totals(struct ls_event_totals *totals)
{
	if (totals)
		kfree(totals->parts);
	kfree(totals);
}

/* What a sampled CPU has.  On an error, ls_memory_free() frees what is there. */
static int ls_memory_alloc_ring(struct ls_session *session, const struct ls_session_config *config,
				struct ls_cpu_memory *memory, int cpu)
{
	memory->ring = ls_ring_alloc(cpu, config->ring_size,
				     config->overwrite ? &session->frozen : NULL, &session->wait);
	if (!memory->ring)
		return -ENOMEM;
	if (!ls_memory_has_walkers(config))
		return 0;
	memory->walkers = kvzalloc_node(sizeof(*memory->walkers), CHARGE_GFP, cpu_to_node(cpu));
	return memory->walkers ? 0 : -ENOMEM;
}

int ls_memory_alloc(struct ls_session *session, const struct ls_session_config *config,
		    const struct ls_events *events, const struct cpumask *cpus)
{
	const struct cpumask *ring_cpus = ls_memory_ring_cpus(config, cpus);
	int cpu;

	session->memory = kcalloc(nr_cpu_ids, sizeof(*session->memory), CHARGE_GFP);
	if (!session->memory)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		struct ls_cpu_memory *memory = &session->memory[cpu];

		memory->totals = ls_memory_new_totals(events, cpu_to_node(cpu));
		if (!memory->totals || (cpumask_test_cpu(cpu, ring_cpus) &&
					ls_memory_alloc_ring(session, config, memory, cpu))) {
			ls_memory_free(session);
			return -ENOMEM;
		}
	}
	return 0;
}

void ls_memory_free(struct ls_session *session)
{
	int cpu;

	if (!session->memory)
		return;
	for_each_possible_cpu(cpu) {
		struct ls_cpu_memory *memory = &session->memory[cpu];

		ls_memory_free_totals(memory->totals);
		ls_ring_free(memory->ring);
		kvfree(memory->walkers);
	}
	kfree(session->memory);
	session->memory = NULL;
}

void ls_memory_clear_totals(struct ls_session *session)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct ls_event_totals *totals = session->memory[cpu].totals;

		totals->cost = (struct ls_cost){};
		if (totals->parts)
			memset(totals->parts, 0, session->events->nr *
			       sizeof(*totals->parts));
		ls_counters_init(&totals->all, session->events, cpu);
	}
}
