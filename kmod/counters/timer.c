// SPDX-License-Identifier: GPL-2.0
/*
 * The timers of clock events (LBRSCOPE_SOURCE_CLOCK) with samples.  A clock needs no
 * counter: its count is the time in ns that the counters' owner ran (counters.c), which is
 * a CPU, or a task of a session with targets.  So cpu-clock and task-clock of the tool are
 * the same event here.  A timer of the CPU (an hrtimer, pinned, in the hard interrupt)
 * expires at the end of each period, and tick.c takes a sample of what it interrupted, by
 * the same code as a PMI.
 *
 * A timer runs while the owner does.  Otherwise the owner's state keeps the rest of its
 * period.  Four such events in a session have samples at most.
 *
 * A session that has nothing but clocks, without branch records, leaves the PMU alone: no
 * reservation, no register, no claim on NMIs.  It runs beside perf's counters and the NMI
 * watchdog, on CPUs without a PMU, and where PerfMon version 6 excludes hardware events.
 * Nothing but clocks is possible there, and LBRSCOPE_INFO_A_NO_PMU says why.  The same holds
 * for CPUs whose counters the module does not use (ls_caps_too_old()).
 *
 * Each CPU or task begins at a random point of its first period.  So tasks that run for
 * less than a period have their share of the samples, and the CPUs' timers do not expire
 * at the same instant.
 *
 * A timer does not expire while interrupts are off.  The sample then shows where they are
 * switched on, and further periods that ended by then are lost (PMI_MISSED).  A period
 * that has ended when its timer is stopped is lost as well (STOPPED), and so is one that
 * ends less than 2 us after the timer's interrupt (PMI_MISSED).  So "produced" is the
 * number of periods that have ended.  An event of user mode has samples of user mode only: a
 * period that ends in the kernel is neither delivered nor lost.  The count is the whole
 * time in any case.
 *
 * The budget holds for the timer's interrupt as for the NMI.  A period is 10 us at least,
 * and 100 us for users without privilege: together with the budget, this bounds what they
 * take.
 *
 * The timer's interrupt may itself be interrupted by a PMI, since a session may have both.
 * They share the ring and the counts, whose writers are prepared for that (the scheduler's
 * hooks are interrupted by PMIs, too), and nothing else; tick.c has the list.
 *
 * Context: interrupts off.  Timers are pinned to their CPU, and expire in its hard interrupt,
 * so that no callback runs during these functions, except the one that calls ls_timer_forward().
 */
#include <linux/hrtimer.h>
#include <linux/lockdep.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/timekeeping.h>

#include "counters/counters.h"
#include "counters/next.h"
#include "counters/timer.h"
#include "cpu/cpu.h"
#include "events/events.h"
#include "ring/ring.h"
#include "session/session.h"

/*
 * A period that ended before its timer's interrupt is over would be due at once, and again:
 * hrtimer_interrupt() warns after three rounds and then waits.
 */
#define TIMER_LEAST_NS	2000

static struct ls_event_state *ls_timer_state(const struct ls_cpu_ctx *cpu,
					     const struct ls_timer_slot *slot)
{
	return &cpu->owner->events[slot->event];
}

/*
 * Begins the next period of a timer whose period ended late ns ago.  Returns how many
 * periods have ended since then, or end within TIMER_LEAST_NS; *left: ns to the end of the
 * next one.  Random periods may be shorter than the one that is over: at most a few are
 * drawn, since all have CAPS_PERIOD_MIN and half of their base at least.
 */
static u64 ls_timer_next(const struct ls_cpu_ctx *cpu, const struct ls_timer_slot *slot, u64 late,
			 u64 *left)
{
	const struct ls_event *event = &cpu->session->events->list[slot->event];
	struct ls_event_state *state = ls_timer_state(cpu, slot);
	u64 missed = div64_u64_rem(late, state->pace.period, &late);
	u64 end = ls_counters_next(cpu, event, state, 0);

	while (end < late + TIMER_LEAST_NS) {
		end += ls_counters_next(cpu, event, state, 0);
		missed++;
	}
	*left = end - late;
	return missed;
}

u64 ls_timer_forward(struct ls_cpu_ctx *cpu, struct ls_timer_slot *slot)
{
	u64 due = ktime_to_ns(hrtimer_get_expires(&slot->hrtimer));
	/* The timer's reading of the clock and this one may differ by some ns. */
	u64 now = max_t(u64, ktime_get_mono_fast_ns(), due), left;
	u64 missed = ls_timer_next(cpu, slot, now - due, &left);

	hrtimer_set_expires(&slot->hrtimer, ns_to_ktime(now + left));
	return missed;
}

void ls_timer_start(struct ls_cpu_ctx *cpu, u64 now)
{
	u32 i;

	lockdep_assert_irqs_disabled();
	for (i = 0; i < cpu->timers.nr; i++) {
		struct ls_timer_slot *slot = &cpu->timers.slots[i];

		hrtimer_start(&slot->hrtimer,
			      ns_to_ktime(now + ls_timer_state(cpu, slot)->left),
			      HRTIMER_MODE_ABS_PINNED_HARD);
	}
}

/* The period has ended, and perhaps others, while interrupts were off: kernel time. */
static void ls_timer_lose(struct ls_cpu_ctx *cpu, const struct ls_timer_slot *slot, u64 late)
{
	const struct ls_event *event = &cpu->session->events->list[slot->event];
	u64 missed = ls_timer_next(cpu, slot, late, &ls_timer_state(cpu, slot)->left);

	if (!ls_event_of_kernel(event))
		return;
	ls_ring_lose(cpu->ring, LBRSCOPE_LOST_STOPPED);
	if (missed)
		ls_ring_lose_many(cpu->ring, LBRSCOPE_LOST_PMI_MISSED, missed);
}

void ls_timer_stop(struct ls_cpu_ctx *cpu, u64 now)
{
	u32 i;

	lockdep_assert_irqs_disabled();
	for (i = 0; i < cpu->timers.nr; i++) {
		struct ls_timer_slot *slot = &cpu->timers.slots[i];
		u64 due;

		hrtimer_cancel(&slot->hrtimer);
		due = ktime_to_ns(hrtimer_get_expires(&slot->hrtimer));
		if (now < due)
			ls_timer_state(cpu, slot)->left = due - now;
		else
			ls_timer_lose(cpu, slot, now - due);
	}
}
