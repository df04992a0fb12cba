/* SPDX-License-Identifier: GPL-2.0 */
/* The next period of an event, and the next NMI: inline, for the NMI. */
#ifndef LBRSCOPE_COUNTERS_NEXT_H
#define LBRSCOPE_COUNTERS_NEXT_H

#include <linux/jiffies.h>
#include <linux/kprobes.h>
#include <linux/timekeeping.h>

#include "cpu/cpu.h"
#include "events/events.h"
#include "pmu/pmu.h"
#include "session/session.h"

/*
 * The longest time that an NMI takes to arrive after its overflow has been counted.  It is
 * microseconds, unless a hypervisor has the CPU meanwhile.
 */
#define COUNTERS_STRAY_TIMEOUT	msecs_to_jiffies(10)

static nokprobe_inline bool ls_counters_expects(const struct ls_cpu_ctx *cpu)
{
	return local_read(&cpu->strays) > 0 &&
	       time_before_eq(jiffies, cpu->stray_until);
}

/*
 * Notes that this many overflows have been counted without their own NMIs, which may still
 * arrive.  On Intel the first of these masks the APIC's entry, so that there is one at most.
 * The NMI handler decrements the number for each that arrives.
 */
static nokprobe_inline void ls_counters_expect(struct ls_cpu_ctx *cpu, u32 overflows)
{
	if (!time_before_eq(jiffies, cpu->stray_until))
		local_set(&cpu->strays, 0);
	cpu->stray_until = jiffies + COUNTERS_STRAY_TIMEOUT;
	barrier();
	if (ls_pmu_regs.unmask == PMU_UNMASK_NEVER)
		local_add(overflows, &cpu->strays);
	else if (overflows)
		local_inc(&cpu->strays);
}

/*
 * Thaws branch records that an overflow has frozen, if its acknowledgement has not thawed
 * them.  Called at the end of the handling.
 */
static nokprobe_inline void ls_counters_thaw(void)
{
	if (ls_pmu_regs.ack_more)
		ls_pmu_clear(ls_pmu_regs.ack_more);
	else
		ls_lbr_thaw();
}

/* Returns the time in ns, or 0 if no event needs it. */
static inline u64 ls_counters_now(const struct ls_events *events)
{
	return events->timed ? ktime_get_mono_fast_ns() : 0;
}

/* Returns the part (of LBRSCOPE_COUNT_PARTS) that this turn belongs to. */
static nokprobe_inline u32 ls_counters_part(const struct ls_cpu_ctx *cpu)
{
	return cpu->turns / cpu->session->events->nr_sets %
	       LBRSCOPE_COUNT_PARTS;
}

/* Returns the state of the event in this slot, of the counters' owner. */
static __always_inline struct ls_event_state *ls_counters_state(const struct ls_cpu_ctx *cpu,
								const struct ls_event_slot *at)
{
	return (void *)cpu->owner + at->state;
}

/* Returns the next period of an event with samples. */
static nokprobe_inline u64 ls_counters_next(const struct ls_cpu_ctx *cpu,
					    const struct ls_event *event,
					    struct ls_event_state *state, u64 now)
{
	u64 period = ls_pace_next(&state->pace, &event->pace, now);

	/* A frequency is kept by the real lengths of the periods. */
	state->pace.period = ls_budget_stretch(&cpu->budget, period);
	return state->pace.period;
}

/* ls_counters_load() for an event that is not counted. */
static nokprobe_inline void ls_counters_write(const struct ls_event_slot *at, u64 left)
{
	msr_write(at->msr, -left & at->load);
}

#endif
