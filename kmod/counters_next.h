/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBRSCOPE_COUNTERS_NEXT_H
#define LBRSCOPE_COUNTERS_NEXT_H
/* The next period of an event, and the next NMI: in line, for the NMI. */
#include <linux/jiffies.h>
#include <linux/kprobes.h>

#include "cpu.h"
#include "events.h"
#include "pmu.h"

/* An NMI that is on its way when its counter stops arrives within this. */
#define COUNTERS_STRAY_TIMEOUT	msecs_to_jiffies(100)

/* An NMI whose overflow nobody will see is expected, one of them. */
static nokprobe_inline void ls_counters_expect_stray(struct cpu_ctx *cpu)
{
	cpu->stray_until = jiffies + COUNTERS_STRAY_TIMEOUT;
	cpu->stray = true;
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
