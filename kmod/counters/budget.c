// SPDX-License-Identifier: GPL-2.0
/*
 * Measures the cost of sampling on a CPU and keeps it within a bound.
 *
 * The time in the NMI and in the scheduler's hook is added up over windows of a tenth of a
 * second.  If the NMI took more than its share, periods are stretched by the same factor.
 * If it took less than half, they shrink step by step.  The module cannot change the number
 * of switches: the hook works in full until its share of the window is spent, and after
 * that does only what counting needs, which has a reserve.  NMI and hook each have half of
 * the budget, and what the other one leaves.
 *
 * A record at the end of the window states what was changed or left out, and a sample
 * states its number of events.  Each CPU keeps to the bound by itself.
 *
 * The first NMI or switch after the end of a window closes it.  An NMI may interrupt a
 * switch that is about to do that: the code that changes `since` closes the window.
 */
#include <linux/kprobes.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/timekeeping.h>
#include <asm/tsc.h>

#include "counters/budget.h"
#include "cpu/cpu.h"
#include "ring/ring.h"

#define BUDGET_STRETCH_MAX	(1000 * BUDGET_NONE)
#define BUDGET_WINDOW_US	100000

/*
 * Entry and exit of an NMI, and the kernel's way to its handlers, which no handler can
 * measure: about 1 us with page table isolation on 6.1, 1.5 us on 7.x.  2 us cover all.
 */
#define BUDGET_ENTRY_US		2

/* The scheduler needs 1/5 us to call its hook and to return from it. */
#define BUDGET_HOOKS_A_US	5

/*
 * A piece of work that took longer was interrupted by a hypervisor or the firmware, if it
 * happens once.  If it happens again and again, the module is that slow on this CPU.
 */
#define BUDGET_PIECE_US		100

static nokprobe_inline u64 ls_budget_us(u32 us)
{
	return (u64)tsc_khz * us / 1000;
}

/*
 * Returns value * by / divisor, or the largest number if that has more than 64 bits: x86's
 * division faults then (mul_u64_u64_div_u64()).  A TSC that was set back is enough for it.
 */
static u64 ls_budget_scale(u64 value, u64 by, u64 divisor)
{
	if (mul_u64_u64_shr(value, by, 64) >= divisor)
		return U64_MAX;
	return mul_u64_u64_div_u64(value, by, divisor);
}
NOKPROBE_SYMBOL(ls_budget_scale);

u64 ls_budget_ns(u64 cycles)
{
	return tsc_khz ? ls_budget_scale(cycles, NSEC_PER_MSEC, tsc_khz) : 0;
}

/*
 * Returns: the time that one of NMI and hook may take of share (thousandths) of time, when
 * the other one has taken other: half of it at least.
 */
static u64 ls_budget_left(u32 share, u64 time, u64 other)
{
	u64 all = div_u64(time * share, 1000);

	return all - min(other, all / 2);
}
NOKPROBE_SYMBOL(ls_budget_left);

void ls_budget_begin(struct ls_cpu_ctx *cpu, u32 share)
{
	u64 now = rdtsc();

	cpu->budget = (struct ls_budget){
		.share = share,
		.window = ls_budget_us(BUDGET_WINDOW_US),
		.piece = ls_budget_us(BUDGET_PIECE_US),
		.entry = ls_budget_us(BUDGET_ENTRY_US),
		.stretch = BUDGET_NONE,
		.told = BUDGET_NONE,
		.began = now - cpu->totals->cost.time,
		.most = ls_budget_left(share, ls_budget_us(BUDGET_WINDOW_US), 0),
	};
	local_set(&cpu->budget.since, now);
}

/* Returns: false if the ring has no room; the record of the next window includes this one. */
static bool ls_budget_write(struct ls_cpu_ctx *cpu, u32 share, u32 left_out)
{
	struct lbrscope_budget *record;

	record = ls_ring_reserve(cpu->ring, sizeof(*record));
	if (!record)
		return false;
	*record = (struct lbrscope_budget){
		.rec.size = sizeof(*record),
		.rec.type = LBRSCOPE_RECORD_BUDGET,
		.time = ktime_get_mono_fast_ns(),
		.stretch = cpu->budget.stretch,
		.share = share,
		.left_out = left_out,
	};
	ls_ring_commit(cpu->ring);
	return true;
}
NOKPROBE_SYMBOL(ls_budget_write);

static void ls_budget_tell(struct ls_cpu_ctx *cpu, u64 spent, u64 ran)
{
	struct ls_budget *budget = &cpu->budget;
	u32 share = min_t(u64, div64_u64(spent * 1000, ran), 1000);
	u32 left_out = local_read(&budget->left_out);

	if ((budget->stretch == budget->told && !left_out) ||
	    !ls_budget_write(cpu, share, left_out))
		return;
	budget->told = budget->stretch;
	local_sub(left_out, &budget->left_out);
}
NOKPROBE_SYMBOL(ls_budget_tell);

/* Returns: the stretch for the next window, after a window that spent `spent` of `most`. */
static u32 ls_budget_next(u64 stretch, u64 spent, u64 most)
{
	if (spent > most)
		stretch = min_t(u64, ls_budget_scale(stretch, spent, most),
				BUDGET_STRETCH_MAX) + BUDGET_NONE / 10;
	else if (spent < most / 2)
		stretch -= stretch / 4;
	return clamp_t(u64, stretch, BUDGET_NONE, BUDGET_STRETCH_MAX);
}
NOKPROBE_SYMBOL(ls_budget_next);

/* Scales the time that was spent in `ran` cycles to the length of a window. */
static u64 ls_budget_a_window(u64 spent, u64 ran)
{
	return ls_budget_scale(spent, ls_budget_us(BUDGET_WINDOW_US), ran);
}
NOKPROBE_SYMBOL(ls_budget_a_window);

/*
 * Returns: how much of the next window switches may take.  If this window took too much,
 * the next one has as much less, since counting goes on when the share is spent.
 */
static u64 ls_budget_most(const struct ls_budget *budget, u64 nmi, u64 switches)
{
	u64 left = ls_budget_left(budget->share, ls_budget_us(BUDGET_WINDOW_US), nmi);
	u64 most = budget->most + left;

	return most > switches ? min(most - switches, left) : 0;
}
NOKPROBE_SYMBOL(ls_budget_most);

static nokprobe_inline void ls_budget_account(struct ls_cpu_ctx *cpu, u64 nmi,
					      u64 switches, u64 now)
{
	struct ls_cost *cost = &cpu->totals->cost;

	cost->nmi += nmi;
	cost->switches += switches;
	if (now > cpu->budget.began)
		cost->time = now - cpu->budget.began;
}

/*
 * Each long piece of work doubles what the next one may count for; the end of each window
 * halves it.  So a CPU that a hypervisor takes away once costs the budget little, and
 * handlers that always take long are counted in full after a few.  With a fixed bound, NMIs
 * of a millisecond would count as a tenth of the CPU's time and could take all of it
 * (tests/unit/kmod/budget_test.c).
 */
u64 ls_budget_cut(struct ls_budget *budget)
{
	u64 piece = budget->piece;

	budget->piece = min(2 * piece, budget->window);
	return piece;
}
NOKPROBE_SYMBOL(ls_budget_cut);

bool ls_budget_close(struct ls_cpu_ctx *cpu, u64 since, u64 now)
{
	struct ls_budget *budget = &cpu->budget;
	u64 ran = now - since, nmi, switches;

	if ((u64)local_cmpxchg(&budget->since, since, now) != since)
		return false;
	nmi = local_xchg(&budget->nmi, 0);
	switches = local_xchg(&budget->switches, 0);
	ls_budget_account(cpu, nmi, switches, now);
	budget->piece = max(budget->piece / 2, ls_budget_us(BUDGET_PIECE_US));
	budget->most = ls_budget_most(budget, ls_budget_a_window(nmi, ran),
				      ls_budget_a_window(switches, ran));
	budget->stretch = ls_budget_next(budget->stretch, nmi,
					 ls_budget_left(budget->share, ran, switches));
	ls_budget_tell(cpu, nmi + switches, ran);
	return true;
}
NOKPROBE_SYMBOL(ls_budget_close);

bool ls_budget_switch(struct ls_cpu_ctx *cpu, u64 begin)
{
	struct ls_budget *budget = &cpu->budget;
	u64 since = local_read(&budget->since);
	u64 now = rdtsc();

	return ls_budget_spend(budget, &budget->switches,
			       now - begin + ls_budget_us(1) / BUDGET_HOOKS_A_US,
			       since, now) &&
	       ls_budget_close(cpu, since, now);
}

/* An interrupt's way into the kernel and back is as long as the NMI's, or shorter. */
bool ls_budget_interrupt(struct ls_cpu_ctx *cpu, u64 begin)
{
	struct ls_budget *budget = &cpu->budget;
	u64 since = local_read(&budget->since);
	u64 now = rdtsc();

	return ls_budget_spend(budget, &budget->nmi, now - begin + budget->entry, since,
			       now) &&
	       ls_budget_close(cpu, since, now);
}

void ls_budget_leave_out(struct ls_cpu_ctx *cpu)
{
	local_inc(&cpu->budget.left_out);
}

void ls_budget_end(struct ls_cpu_ctx *cpu)
{
	ls_budget_account(cpu, local_read(&cpu->budget.nmi),
			  local_read(&cpu->budget.switches), rdtsc());
}

u64 ls_budget_stretched(const struct ls_budget *budget, u64 period)
{
	return min_t(u64, div_u64(period * budget->stretch, BUDGET_NONE),
		     PMU_LEFT_MAX);
}
NOKPROBE_SYMBOL(ls_budget_stretched);
