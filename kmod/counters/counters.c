// SPDX-License-Identifier: GPL-2.0
/*
 * The counters of one CPU: the events on them, their owner, and their progress.
 *
 * Each counter is loaded with the number of events to its next overflow.  An event that
 * only counts has the largest number; its overflow adds up the count.  The overflow of an
 * event with samples is a sample as well.
 *
 * The counters run for an owner: the CPU itself, or, in a session with listed tasks, the
 * task on the CPU.  The CPU's own counts are the sum over all owners.
 *
 * Clocks run with the counters and need none: they count the owner's time.  A session
 * without other events and without branch records does not touch the PMU.
 */
#include <linux/bitops.h>
#include <linux/jiffies.h>
#include <linux/kprobes.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/smp.h>

#include "counters/counters.h"
#include "counters/extra.h"
#include "counters/next.h"
#include "counters/timer.h"
#include "cpu/cpu.h"
#include "lbr/lbr.h"
#include "pmu/msr.h"
#include "pmu/pmu.h"
#include "ring/ring.h"
#include "session/session.h"

/*
 * The number of times that a halt checks whether the NMI of an overflow has arrived, with
 * a PAUSE each: 10 us at most (140 cycles each since Skylake).
 */
#define COUNTERS_SETTLE		200

void ls_counters_init(struct ls_event_owner *owner, const struct ls_events *events,
		      u32 who)
{
	u32 i;

	owner->enabled = 0;
	for (i = 0; i < events->nr; i++) {
		const struct ls_event *event = &events->list[i];
		struct ls_event_state *state = &owner->events[i];

		*state = (struct ls_event_state){ .left = PMU_LEFT_MAX };
		if (!ls_event_samples(event))
			continue;
		ls_pace_init(&state->pace, &event->pace, who);
		/*
		 * A task may end before its first period does.  Of all such tasks as many
		 * samples are due as of one task that runs for as long.
		 */
		state->left = event->clock ? ls_pace_phase(&state->pace) :
					     state->pace.period;
	}
}

/*
 * Errata forbid some distances to an overflow (limits.h).  Returns the nearest distance
 * that is allowed; the sample states the period that it really had.
 */
static u64 ls_counters_allowed(struct ls_cpu_ctx *cpu, const struct ls_event_slot *at, u64 left)
{
	const struct ls_event *event = at->of;
	u64 allowed = max_t(u64, left & -(u64)event->grain, event->least);

	if (ls_event_samples(event))
		cpu->owner->events[at->event].pace.period += allowed - left;
	return allowed;
}
NOKPROBE_SYMBOL(ls_counters_allowed);

void ls_counters_load(struct ls_cpu_ctx *cpu, u32 slot, u64 left)
{
	const struct ls_event_slot *at = &cpu->set->slots[slot];

	if (unlikely(at->of->grain))
		left = ls_counters_allowed(cpu, at, left);
	if (at->of->counted)
		cpu->prev[slot] = -left & ls_pmu_mask(at->counter);
	ls_counters_write(at, left);
}
NOKPROBE_SYMBOL(ls_counters_load);

/* Adds up the events since the counter was last read. */
static nokprobe_inline void ls_counters_account(struct ls_cpu_ctx *cpu, u32 slot, u64 value)
{
	const struct ls_event_slot *at = &cpu->set->slots[slot];
	struct ls_event_state *total = &cpu->totals->all.events[at->event];
	u64 delta = (value - cpu->prev[slot]) & ls_pmu_mask(at->counter);

	cpu->prev[slot] = value;
	total->value += delta;
	if (cpu->totals->parts)
		cpu->totals->parts[at->event].value[ls_counters_part(cpu)] += delta;
	if (cpu->owner != &cpu->totals->all)
		cpu->owner->events[at->event].value += delta;
}

/* Selects the events of a set.  Context: the counters are stopped. */
static void ls_counters_select(struct ls_cpu_ctx *cpu, const struct ls_events *events,
			       u32 nr)
{
	const struct ls_event_set *set = &events->sets[nr];
	u32 i;

	ls_pmu_reset();
	for (i = 0; i < set->nr; i++) {
		const struct ls_event *event = &events->list[set->slots[i].event];

		ls_extra_write(event);
		ls_pmu_select(&cpu->pmu, set->slots[i].counter, event->config);
	}
	if (events->counters >> PMU_FIXED)
		ls_pmu_select_fixed(&cpu->pmu, set->fixed_ctrl);
	cpu->set = set;
}

/* Whether somebody else uses registers that this session needs. */
static bool ls_counters_contended(const struct ls_cpu_ctx *cpu)
{
	return ls_pmu_taken(&cpu->pmu, cpu->set->counters) ||
	       (ls_lbr_wanted(&cpu->session->config.branches) && ls_lbr_lost());
}
NOKPROBE_SYMBOL(ls_counters_contended);

/*
 * Checks whether somebody has programmed the counters without a reservation, or excludes
 * the branch records.  The CPU stops sampling then: two writers of a register would only
 * fight.  The number of samples that this costs is unknown; it counts as one loss, so that
 * it shows.  The counters that are still the module's are stopped, and an overflow of
 * theirs that no NMI has taken yet is acknowledged.
 * Returns: whether the CPU has stopped sampling.
 */
bool ls_counters_taken(struct ls_cpu_ctx *cpu)
{
	u64 over;

	if (!cpu->taken && ls_counters_contended(cpu)) {
		cpu->taken = true;
		over = ls_pmu_overflows(ls_pmu_leave(&cpu->pmu,
						     cpu->set->counters));
		if (over) {
			ls_counters_expect(cpu, hweight64(over));
			ls_pmu_acknowledge(over);
		}
		ls_ring_lose(cpu->ring, LBRSCOPE_LOST_PMU_TAKEN);
	}
	return cpu->taken;
}
NOKPROBE_SYMBOL(ls_counters_taken);

/* The counters go on for the owner, from now on. */
static void ls_counters_resume(struct ls_cpu_ctx *cpu, u64 now)
{
	struct ls_event_owner *owner = cpu->owner;
	const struct ls_event_set *set = cpu->set;
	u32 i;

	cpu->since = now;
	if (cpu->taken || !cpu->session->pmu)
		return;
	for (i = 0; i < set->nr; i++) {
		struct ls_event_state *state = &owner->events[set->slots[i].event];

		ls_counters_load(cpu, i, state->left);
		ls_pace_run(&state->pace, now);
	}
	barrier();
	cpu->counting = true;
	barrier();
	ls_pmu_run(set->counters);
}

void ls_counters_run(struct ls_cpu_ctx *cpu, struct ls_event_owner *owner)
{
	u64 now = ls_counters_now(cpu->session->events);

	cpu->owner = owner;
	WRITE_ONCE(cpu->running, true);
	if (cpu->timers.nr)
		ls_timer_start(cpu, now);
	ls_counters_resume(cpu, now);
}

/*
 * The event in this slot has overflowed, and its counter has counted value events since.
 * Each whole period of these is a sample that fell due and counts as lost.  The caller
 * takes the sample of the overflow itself.
 */
static void ls_counters_miss(struct ls_cpu_ctx *cpu, u32 slot, u64 value)
{
	const struct ls_event_slot *at = &cpu->set->slots[slot];
	u64 period = cpu->owner->events[at->event].pace.period;

	if (ls_event_samples(at->of) && unlikely(value >= period))
		ls_ring_lose_many(cpu->ring, LBRSCOPE_LOST_PMI_MISSED,
				  div64_u64(value, period));
}
NOKPROBE_SYMBOL(ls_counters_miss);

/*
 * Writes the global control again if somebody else has changed it: perf's handler sets
 * all its bits while Intel PT is in use, and bpf_get_branch_snapshot() writes it as well.
 * If one of the counters stood still meanwhile, the number of samples that it has missed is
 * unknown; it counts as one loss.
 * Context: not while the counters are being stopped or started.
 */
void ls_counters_reassert(struct ls_cpu_ctx *cpu)
{
	if (ls_pmu_reassert(cpu->set->counters))
		ls_ring_lose(cpu->ring, LBRSCOPE_LOST_PMI_MISSED);
}
NOKPROBE_SYMBOL(ls_counters_reassert);

/*
 * Finds counters that have overflowed without a PMI: it was dropped on its way, or perf's
 * handler has acknowledged the overflow (see own.c).  The counter's value tells how many
 * samples fell due since; they count as lost, but for the last one, which the caller takes.
 * Returns: the counters, as bits.
 */
u64 ls_counters_overdue(struct ls_cpu_ctx *cpu)
{
	u64 over = ls_pmu_signs(cpu->set->counters), rest;

	for (rest = over; rest; rest &= rest - 1) {
		u32 counter = __ffs64(rest);

		ls_counters_miss(cpu, ls_event_slot(cpu->set, counter) - cpu->set->slots,
				 ls_pmu_value(counter));
	}
	return over;
}
NOKPROBE_SYMBOL(ls_counters_overdue);

/*
 * Saves the number of events to the next overflow of a stopped counter.  If it has
 * overflowed and its NMI has not arrived, its sample counts as lost, since it belongs to a
 * moment that has passed.
 * Returns: the counter's bit in that case, else 0.
 */
static u64 ls_counters_rest(struct ls_cpu_ctx *cpu, u32 slot, u64 now)
{
	const struct ls_event_slot *at = &cpu->set->slots[slot];
	const struct ls_event *event = at->of;
	struct ls_event_state *state = &cpu->owner->events[at->event];
	u64 value = msr_read(at->msr);

	if (event->counted)
		ls_counters_account(cpu, slot, value);
	ls_pace_rest(&state->pace, now);
	if (likely(!ls_pmu_wrapped(at->counter, value))) {
		state->left = ls_pmu_mask(at->counter) + 1 - value;
		return 0;
	}
	ls_counters_miss(cpu, slot, value);
	ls_pace_run(&state->pace, now);
	state->left = PMU_LEFT_MAX;
	if (ls_event_samples(event)) {
		state->left = ls_counters_next(cpu, event, state, now);
		ls_ring_lose(cpu->ring, LBRSCOPE_LOST_STOPPED);
	}
	return BIT_ULL(at->counter);
}

/*
 * The overflows of a halt have been counted; their NMI is on its way.  It nearly always
 * arrives before this ends, so that none has to be expected later.
 */
static void ls_counters_settle(struct ls_cpu_ctx *cpu, u64 over)
{
	u32 tries = COUNTERS_SETTLE;

	ls_counters_expect(cpu, hweight64(over));
	while (local_read(&cpu->strays) > 0 && tries--)
		cpu_relax();
	ls_pmu_acknowledge(over);
	if (cpu->thaws)
		ls_counters_thaw();
}

static void ls_counters_add_time_to(struct ls_event_owner *owner,
				    const struct ls_event_set *set, u64 ran)
{
	u32 i;

	owner->enabled += ran;
	for (i = 0; i < set->nr; i++)
		owner->events[set->slots[i].event].running += ran;
}

/* The time is the count of a clock. */
static void ls_counters_add_clocks_to(struct ls_event_owner *owner,
				      const struct ls_events *events, u64 ran)
{
	u32 i;

	for (i = 0; i < events->nr_clocks; i++) {
		owner->events[events->clocks[i]].value += ran;
		owner->events[events->clocks[i]].running += ran;
	}
}

/* set: what was on the counters. */
static void ls_counters_add_time(struct ls_cpu_ctx *cpu, const struct ls_event_set *set, u64 now)
{
	const struct ls_events *events = cpu->session->events;
	struct ls_event_parts *parts = cpu->totals->parts;
	u64 ran = now - cpu->since;
	u32 i;

	ls_counters_add_time_to(&cpu->totals->all, set, ran);
	ls_counters_add_clocks_to(&cpu->totals->all, events, ran);
	if (cpu->owner != &cpu->totals->all) {
		ls_counters_add_time_to(cpu->owner, set, ran);
		ls_counters_add_clocks_to(cpu->owner, events, ran);
	}
	for (i = 0; parts && i < set->nr; i++)
		parts[set->slots[i].event].running[ls_counters_part(cpu)] += ran;
}

/*
 * Stops the counters.  An NMI that arrives before they are stopped takes its overflow as
 * usual.  A later one finds counting false and an overflow that is not acknowledged, which
 * proves that it belongs to the module (ls_nmi_halted()).  Overflows that no NMI has taken
 * are counted here.
 */
static u64 ls_counters_stop(struct ls_cpu_ctx *cpu)
{
	u64 over = 0, now;
	u32 i;

	ls_pmu_halt(cpu->set->counters);
	barrier();
	cpu->counting = false;
	barrier();
	now = ls_counters_now(cpu->session->events);
	for (i = 0; i < cpu->set->nr; i++)
		over |= ls_counters_rest(cpu, i, now);
	if (cpu->session->events->timed)
		ls_counters_add_time(cpu, cpu->set, now);
	if (unlikely(over))
		ls_counters_settle(cpu, over);
	/* More NMIs than overflows: one of them belonged to an earlier overflow. */
	if (unlikely(local_read(&cpu->strays) < 0))
		local_set(&cpu->strays, 0);
	return now;
}

/*
 * Stops the counters and adds up, for ls_counters_resume() or for good.  Returns the
 * time in ns, if events->timed.  Counters that somebody else has taken, or of a session
 * without the PMU, stand still already: then the time is that of the clocks.
 */
static u64 ls_counters_pause(struct ls_cpu_ctx *cpu)
{
	static const struct ls_event_set none;
	u64 now;

	if (likely(cpu->counting))
		return ls_counters_stop(cpu);
	now = ls_counters_now(cpu->session->events);
	if (cpu->session->events->timed)
		ls_counters_add_time(cpu, &none, now);
	return now;
}

void ls_counters_halt(struct ls_cpu_ctx *cpu)
{
	u64 now = ls_counters_pause(cpu);

	if (cpu->timers.nr)
		ls_timer_stop(cpu, now);
	/* Pairs with ls_cpu_counts(): all is added up. */
	smp_store_release(&cpu->running, false);
}

/*
 * Adds up the values of the counters, which go on counting.  A counter whose PMI was
 * dropped begins its next period, and the global control is written anew.
 */
void ls_counters_add_up(struct ls_cpu_ctx *cpu)
{
	if (cpu->running)
		ls_counters_resume(cpu, ls_counters_pause(cpu));
}

/*
 * Does the same at the end of a window, from the scheduler's hook.  A CPU whose PMIs are
 * dropped, or whose counters somebody else has taken, may have no NMI that would notice.
 */
void ls_counters_look(struct ls_cpu_ctx *cpu)
{
	u64 now;

	if (!cpu->counting)
		return;
	ls_counters_reassert(cpu);
	now = ls_counters_pause(cpu);
	ls_counters_taken(cpu);
	ls_counters_resume(cpu, now);
}

/* Ends the turn of a set of events and begins that of the next one. */
void ls_counters_rotate(struct ls_cpu_ctx *cpu)
{
	const struct ls_events *events = cpu->session->events;
	u32 next = cpu->set - events->sets + 1;
	u64 now;

	if (!cpu->counting)
		return;
	now = ls_counters_pause(cpu);
	cpu->turns++;
	ls_counters_select(cpu, events, next < events->nr_sets ? next : 0);
	ls_counters_resume(cpu, now);
}

/* Adds up what the counter in this slot has counted.  Context: the NMI. */
void ls_counters_catch_up(struct ls_cpu_ctx *cpu, u32 slot)
{
	ls_counters_account(cpu, slot,
			    ls_pmu_value(cpu->set->slots[slot].counter));
}
NOKPROBE_SYMBOL(ls_counters_catch_up);

/* Returns the count of an event that is on a counter.  Context: the NMI. */
u64 ls_counters_read(struct ls_cpu_ctx *cpu, u32 index)
{
	const struct ls_event_set *set = cpu->set;
	u32 i;

	for (i = 0; i < set->nr; i++)
		if (set->slots[i].event == index)
			ls_counters_account(cpu, i, ls_pmu_value(set->slots[i].counter));
	/* ls_counts_snapshot() then reads the counts again. */
	cpu->overflows++;
	return cpu->owner->events[index].value;
}
NOKPROBE_SYMBOL(ls_counters_read);

/* Reads the counts of the event's group, in the order of the events.  Context: the NMI. */
void ls_counters_read_group(struct ls_cpu_ctx *cpu, u32 index, u64 *values)
{
	const struct ls_events *events = cpu->session->events;
	const struct ls_event_set *set = cpu->set;
	u64 group = events->list[index].members;
	u32 i;

	for (i = 0; i < set->nr; i++) {
		u32 event = set->slots[i].event;

		if (!(group & BIT_ULL(event)))
			continue;
		ls_counters_account(cpu, i, ls_pmu_value(set->slots[i].counter));
		values[hweight64(group & (BIT_ULL(event) - 1))] =
			cpu->owner->events[event].value;
	}
	cpu->overflows++;
}
NOKPROBE_SYMBOL(ls_counters_read_group);

/* Returns: 0; -EINVAL: the CPU refuses the EXTRA of an event. */
int ls_counters_claim(struct ls_cpu_ctx *cpu, const struct ls_events *events)
{
	int err = ls_extra_claim(cpu, events);

	if (err)
		return err;
	cpu->turns = 0;
	ls_pmu_start(&cpu->pmu, events->counters);
	ls_counters_select(cpu, events, 0);
	return 0;
}

/* Context: the counters are stopped. */
void ls_counters_release(struct ls_cpu_ctx *cpu)
{
	ls_pmu_stop(&cpu->pmu);
	ls_extra_release(cpu);
}
