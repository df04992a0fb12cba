/* SPDX-License-Identifier: GPL-2.0 */
/* The memory of a session for each CPU: rings, totals, and room for walks of stacks. */
#ifndef LBRSCOPE_MEMORY_H
#define LBRSCOPE_MEMORY_H

#include <linux/types.h>

struct cpumask;
struct ls_events;
struct ls_session;
struct ls_session_config;

/*
 * Returns: the bytes of all rings and walkers of a session with this configuration; cpus: NULL
 * for all.
 */
u64 ls_memory_of_cpus(const struct ls_session_config *config, const struct cpumask *cpus);

/*
 * Allocates the rings, walkers and totals of a session.
 * Returns: 0, or -ENOMEM with nothing left behind.
 */
int ls_memory_alloc(struct ls_session *session, const struct ls_session_config *config,
		    const struct ls_events *events, const struct cpumask *cpus);
void ls_memory_free(struct ls_session *session);

/* Called at START: counts of a CPU begin with the session, even if the CPU comes later. */
void ls_memory_clear_totals(struct ls_session *session);

#endif
