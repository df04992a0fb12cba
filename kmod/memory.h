/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBRSCOPE_MEMORY_H
#define LBRSCOPE_MEMORY_H

#include <linux/types.h>

struct cpumask;
struct events;
struct session;
struct session_config;

/* Bytes of all rings that a session with this configuration gets; cpus: NULL for all. */
u64 ls_memory_of_rings(const struct session_config *config, const struct cpumask *cpus);

/* Rings and totals.  0 or -ENOMEM, with nothing left behind. */
int ls_memory_alloc(struct session *session, const struct session_config *config,
		    const struct events *events, const struct cpumask *cpus);
void ls_memory_free(struct session *session);

/* Counts begin with the session, and not with a CPU that comes later. */
void ls_memory_clear_totals(struct session *session);

#endif
