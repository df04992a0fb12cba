// SPDX-License-Identifier: GPL-2.0
/* Reads the counts of a CPU's events: the totals, and the values of the running counters. */
#include <linux/bitops.h>
#include <linux/compiler.h>
#include <linux/string.h>

#include "counters/counters.h"
#include "counters/counts.h"
#include "counters/next.h"
#include "cpu/cpu.h"
#include "pmu/pmu.h"
#include "session/session.h"

static void ls_counts_add_running(const struct ls_cpu_ctx *cpu,
				  struct lbrscope_count *counts)
{
	const struct ls_events *events = cpu->session->events;
	const struct ls_event_set *set = cpu->set;
	u64 ran = ls_counters_now(events) - cpu->since;
	u32 i;

	for (i = 0; i < events->nr; i++)
		counts[i].enabled += ran;
	for (i = 0; i < events->nr_clocks; i++) {
		counts[events->clocks[i]].value += ran;
		counts[events->clocks[i]].running += ran;
	}
	for (i = 0; cpu->counting && i < set->nr; i++) {
		const struct ls_event_slot *at = &set->slots[i];
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

/* Other CPUs may read this: the CPU adds to the totals with interrupts off or in the NMI. */
static struct lbrscope_count ls_counts_total(const struct ls_events *events,
					     const struct ls_event_totals *totals, u32 i)
{
	struct lbrscope_count count = { .enabled = READ_ONCE(totals->all.enabled) };
	u32 p;

	if (!events->list[i].counted)
		return count;
	count.value = READ_ONCE(totals->all.events[i].value);
	count.running = READ_ONCE(totals->all.events[i].running);
	for (p = 0; totals->parts && p < LBRSCOPE_COUNT_PARTS; p++) {
		count.parts[p].value = READ_ONCE(totals->parts[i].value[p]);
		count.parts[p].running = READ_ONCE(totals->parts[i].running[p]);
	}
	return count;
}

void ls_counts_totals(const struct ls_events *events,
		      const struct ls_event_totals *totals,
		      struct lbrscope_count *counts)
{
	u32 i;

	for (i = 0; i < events->nr; i++)
		counts[i] = ls_counts_total(events, totals, i);
}

bool ls_counts_stand(const struct ls_events *events, const struct ls_event_totals *totals,
		     const struct lbrscope_count *counts)
{
	struct lbrscope_count count;
	u32 i;

	for (i = 0; i < events->nr; i++) {
		count = ls_counts_total(events, totals, i);
		if (memcmp(&count, &counts[i], sizeof(count)))
			return false;
	}
	return true;
}

/*
 * The counters go on meanwhile.  If an NMI arrives between the reading of a register and
 * that of its last value, all is read again.
 */
void ls_counts_snapshot(const struct ls_cpu_ctx *cpu,
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
