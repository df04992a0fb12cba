/* SPDX-License-Identifier: GPL-2.0 */
/* The memory of a session for each CPU: a ring, totals, and room for walks of stacks. */
#ifndef LBRSCOPE_MEMORY_H
#define LBRSCOPE_MEMORY_H

#include <linux/types.h>

struct cpumask;
struct ls_event_totals;
struct ls_events;
struct ls_ring;
struct ls_session;
struct ls_session_config;
struct ls_unwind_walkers;

/* The memory of one CPU.  The pointers are constant while the session is set. */
struct ls_cpu_memory {
	struct ls_event_totals *totals;
	struct ls_ring *ring;			/* NULL: the session excludes the CPU */
	struct ls_unwind_walkers *walkers;	/* as ring; NULL: no call chains, too */
};

/*
 * Returns: the bytes of all rings and walkers of a session with this configuration; cpus: NULL
 * for all.
 */
u64 ls_memory_of_cpus(const struct ls_session_config *config, const struct cpumask *cpus);

/*
 * Allocates session->memory.
 * Returns: 0, or -ENOMEM with nothing left behind.
 */
int ls_memory_alloc(struct ls_session *session, const struct ls_session_config *config,
		    const struct ls_events *events, const struct cpumask *cpus);
void ls_memory_free(struct ls_session *session);

/* Called at START: counts of a CPU begin with the session, even if the CPU comes later. */
void ls_memory_clear_totals(struct ls_session *session);

#endif
