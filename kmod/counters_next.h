/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBRSCOPE_COUNTERS_NEXT_H
#define LBRSCOPE_COUNTERS_NEXT_H
/* The next period of an event, and the next NMI: in line, for the NMI. */
#include <linux/jiffies.h>
#include <linux/kprobes.h>
#include <linux/timekeeping.h>

#include "cpu.h"
#include "events.h"
#include "pmu.h"
#include "session.h"

/*
 * An NMI that is on its way when its overflow is accounted for arrives within this:
 * within microseconds, but for a hypervisor that has the CPU meanwhile.
 */
#define COUNTERS_STRAY_TIMEOUT	msecs_to_jiffies(10)

static nokprobe_inline bool ls_counters_expects(const struct cpu_ctx *cpu)
{
	return local_read(&cpu->strays) > 0 &&
	       time_before_eq(jiffies, cpu->stray_until);
}

/*
 * So many overflows have been accounted for by somebody else than their own NMIs.
 * On Intel the first of these masks the APIC's entry, so that there is one at most.
 * The NMI takes each that comes off the number.
 */
static nokprobe_inline void ls_counters_expect(struct cpu_ctx *cpu, u32 overflows)
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
 * Lets the branch records go on that an overflow has frozen, where its own
 * acknowledgement has not: at the end of who handles it.
 */
static nokprobe_inline void ls_counters_thaw(void)
{
	if (ls_pmu_regs.ack_more)
		ls_pmu_clear(ls_pmu_regs.ack_more);
	else
		ls_lbr_thaw();
}

/* The time, where it is needed; taking it is not for nothing. */
static inline u64 ls_counters_now(const struct events *events)
{
	return events->timed ? ktime_get_mono_fast_ns() : 0;
}

/* Which part of the turns this one belongs to. */
static nokprobe_inline u32 ls_counters_part(const struct cpu_ctx *cpu)
{
	return cpu->turns / cpu->session->events->nr_sets %
	       LBRSCOPE_COUNT_PARTS;
}

/* How long it is, of an event with samples. */
static nokprobe_inline u64 ls_counters_next(const struct cpu_ctx *cpu,
					    const struct event *event,
					    struct event_state *state, u64 now)
{
	u64 period = ls_pace_next(&state->pace, &event->pace, now);

	/* A frequency is kept by the periods that really were. */
	state->pace.period = ls_budget_stretch(&cpu->budget, period);
	return state->pace.period;
}

/* What ls_counters_load() is for an event that is not counted. */
static nokprobe_inline void ls_counters_write(const struct event_slot *at, u64 left)
{
	msr_write(at->msr, -left & at->load);
}

#endif
