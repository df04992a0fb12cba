// SPDX-License-Identifier: GPL-2.0
/* Reads the counts of a CPU's events: the totals, and the values of the running counters. */
#include <linux/bitops.h>
#include <linux/compiler.h>

#include "counters.h"
#include "counters_next.h"
#include "counts.h"
#include "cpu.h"
#include "pmu.h"
#include "session.h"

static void ls_counts_add_running(const struct cpu_ctx *cpu,
				  struct lbrscope_count *counts)
{
	const struct events *events = cpu->session->events;
	const struct event_set *set = cpu->set;
	u64 ran = ls_counters_now(events) - cpu->since;
	u32 i;

	for (i = 0; i < events->nr; i++)
		counts[i].enabled += ran;
	for (i = 0; i < events->nr_clocks; i++) {
		counts[events->clocks[i]].value += ran;
		counts[events->clocks[i]].running += ran;
	}
	for (i = 0; cpu->counting && i < set->nr; i++) {
		const struct event_slot *at = &set->slots[i];
		struct lbrscope_count *count = &counts[at->event];
		u64 delta = (ls_pmu_value(at->counter) - cpu->prev[i]) &
			    ls_pmu_mask(at->counter);

		if (!events->list[at->event].counted)
			continue;
		count->running += ran;
		count->value += delta;
		if (!cpu->totals->parts)
			continue;
		count->parts[ls_counters_part(cpu)].running += ran;
		count->parts[ls_counters_part(cpu)].value += delta;
	}
}

void ls_counts_totals(const struct events *events,
		      const struct event_totals *totals,
		      struct lbrscope_count *counts)
{
	const struct event_parts *parts = totals->parts;
	u32 i, p;

	for (i = 0; i < events->nr; i++) {
		counts[i] = (struct lbrscope_count){
			.enabled = totals->all.enabled,
		};
		if (!events->list[i].counted)
			continue;
		counts[i].value = totals->all.events[i].value;
		counts[i].running = totals->all.events[i].running;
		for (p = 0; parts && p < LBRSCOPE_COUNT_PARTS; p++) {
			counts[i].parts[p].value = parts[i].value[p];
			counts[i].parts[p].running = parts[i].running[p];
		}
	}
}

/*
 * The counters go on meanwhile.  If an NMI arrives between the reading of a register and
 * that of its last value, all is read again.
 */
void ls_counts_snapshot(const struct cpu_ctx *cpu,
			struct lbrscope_count *counts)
{
	u32 overflows;

	do {
		overflows = READ_ONCE(cpu->overflows);
		barrier();
		ls_counts_totals(cpu->session->events, cpu->totals, counts);
		if (cpu->running)
			ls_counts_add_running(cpu, counts);
		barrier();
	} while (overflows != READ_ONCE(cpu->overflows));
}
