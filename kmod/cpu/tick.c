// SPDX-License-Identifier: GPL-2.0
/*
 * The interrupt of a clock event: its timer expires, and the interrupted code is sampled.
 *
 * Context: hard interrupt, interrupts off.  The PMI's NMI may interrupt between any two
 * instructions, and writes samples to the same ring.  The shared state allows this, since the
 * scheduler's hooks and the triggers write records as well: space in the ring is reserved by a
 * local_cmpxchg() and published by the outermost writer (ring.c); losses and the budget are
 * counted by single instructions.  All other state has one writer: the state of a clock event
 * and its timer belong to code with interrupts off, that of an event on a counter to the NMI
 * while the counter runs; the branches are read into memory of this file.  struct ls_clock
 * belongs to the NMI, so the time is read from the kernel.
 *
 * A timer cannot expire while interrupts are off, and code that runs then is not seen.  A
 * sample is taken where they are switched on.  The periods that have ended until then count as
 * lost, so that samples and losses add up to the periods.
 */
#include <linux/hrtimer.h>
#include <linux/percpu.h>
#include <linux/timekeeping.h>
#include <asm/irq_regs.h>
#include <asm/ptrace.h>
#include <asm/tsc.h>

#include "compat/hrtimer.h"
#include "counters/budget.h"
#include "counters/counters.h"
#include "counters/timer.h"
#include "cpu/cpu.h"
#include "cpu/tick.h"
#include "events/events.h"
#include "lbr/lbr.h"
#include "ring/ring.h"
#include "sample/sample.h"
#include "session/session.h"
#include "trigger/trigger.h"
#include "unwind/unwind.h"

/* Locks: used on its CPU, by the interrupt. */
static DEFINE_PER_CPU(struct ls_lbr_stack, tick_branches);

/*
 * Whether the event asks for the privilege level of the interrupted code.  regs: NULL if the
 * timer expired outside of an interrupt, when a CPU takes over timers.
 */
static bool ls_tick_concerns(const struct ls_event *event, const struct pt_regs *regs)
{
	if (regs && user_mode((struct pt_regs *)regs))
		return ls_event_of_user(event);
	return ls_event_of_kernel(event);
}

static void ls_tick_take(struct ls_cpu_ctx *cpu, const struct ls_event *event, u32 index,
			 const struct pt_regs *regs, u64 now)
{
	if (regs)
		ls_sample_clock(cpu, this_cpu_ptr(&tick_branches), event, index, regs, now);
	else
		ls_ring_lose(cpu->ring, LBRSCOPE_LOST_PMI_MISSED);
	if (event->freezes)
		ls_trigger_freeze(cpu);
}

static enum hrtimer_restart ls_tick_expire(struct hrtimer *hrtimer)
{
	struct ls_timer_slot *slot = container_of(hrtimer, struct ls_timer_slot, hrtimer);
	struct ls_cpu_ctx *cpu = this_cpu_ptr(&ls_cpu_ctx);
	const struct ls_event *event = &cpu->session->events->list[slot->event];
	const struct pt_regs *regs = get_irq_regs();
	bool concerned = ls_tick_concerns(event, regs);
	u64 begin = rdtsc(), missed;

	if (concerned)
		ls_tick_take(cpu, event, slot->event, regs, ktime_get_mono_fast_ns());
	missed = ls_timer_forward(cpu, slot);
	if (concerned && missed)
		ls_ring_lose_many(cpu->ring, LBRSCOPE_LOST_PMI_MISSED, missed);
	if (ls_budget_interrupt(cpu, begin))
		ls_counters_look(cpu);
	return HRTIMER_RESTART;
}

void ls_tick_begin(struct ls_cpu_ctx *cpu)
{
	const struct ls_events *events = cpu->session->events;
	u32 i;

	cpu->timers.nr = 0;
	for (i = 0; i < events->nr; i++) {
		struct ls_timer_slot *slot = &cpu->timers.slots[cpu->timers.nr];

		if (!events->list[i].clock || !ls_event_samples(&events->list[i]))
			continue;
		slot->event = i;
		compat_hrtimer_setup(&slot->hrtimer, ls_tick_expire, CLOCK_MONOTONIC,
				     HRTIMER_MODE_ABS_PINNED_HARD);
		cpu->timers.nr++;
	}
}
