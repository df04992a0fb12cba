/* SPDX-License-Identifier: GPL-2.0 */
/* The counters of one CPU: their events, their owner, the rest of each period. */
#ifndef LBRSCOPE_COUNTERS_H
#define LBRSCOPE_COUNTERS_H

#include <linux/types.h>

#include "counters/budget.h"
#include "counters/pace.h"
#include "events/events.h"

struct ls_cpu_ctx;

/*
 * The progress of an event for one owner: a CPU, or a task.  Written on the CPU where its
 * counter runs, with interrupts off and by the NMI.
 */
struct ls_event_state {
	struct ls_pace pace;	/* of its samples */
	u64 left;	/* events to its next overflow, while its counter is stopped */
	u64 value;	/* events so far, if it is counted */
	u64 running;	/* ns on a counter, if it is counted */
	u64 over, under;	/* values of the events of its struct ls_only, as of the last sample */
};

struct ls_event_owner {
	u64 enabled;	/* ns that the counters ran for this owner */
	struct ls_event_state events[];
};

struct ls_event_parts {
	u64 value[LBRSCOPE_COUNT_PARTS], running[LBRSCOPE_COUNT_PARTS];
};

/* The counts of a CPU since the session began; they stay after its end. */
struct ls_event_totals {
	/* By event, see struct lbrscope_count; NULL: nothing takes turns. */
	struct ls_event_parts *parts;
	struct ls_cost cost;
	struct ls_event_owner all;	/* of all owners together */
};

void ls_counters_init(struct ls_event_owner *owner, const struct ls_events *events,
		      u32 who);

/* Context: on the CPU, interrupts off. */
int ls_counters_claim(struct ls_cpu_ctx *cpu, const struct ls_events *events);
void ls_counters_release(struct ls_cpu_ctx *cpu);
void ls_counters_run(struct ls_cpu_ctx *cpu, struct ls_event_owner *owner);
void ls_counters_halt(struct ls_cpu_ctx *cpu);
void ls_counters_rotate(struct ls_cpu_ctx *cpu);
void ls_counters_add_up(struct ls_cpu_ctx *cpu);
void ls_counters_look(struct ls_cpu_ctx *cpu);

/* Context: on the CPU, interrupts off, or the NMI. */
bool ls_counters_taken(struct ls_cpu_ctx *cpu);

/*
 * Context: the NMI.  ls_counters_overdue() returns the counters whose overflow no NMI has
 * taken.
 */
u64 ls_counters_overdue(struct ls_cpu_ctx *cpu);
void ls_counters_reassert(struct ls_cpu_ctx *cpu);

/* Context: the NMI. */
void ls_counters_catch_up(struct ls_cpu_ctx *cpu, u32 slot);
void ls_counters_load(struct ls_cpu_ctx *cpu, u32 slot, u64 left);
u64 ls_counters_read(struct ls_cpu_ctx *cpu, u32 index);
void ls_counters_read_group(struct ls_cpu_ctx *cpu, u32 index, u64 *values);

#endif
