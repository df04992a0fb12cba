/* SPDX-License-Identifier: GPL-2.0 */
/* What sampling costs a CPU, and the bound on it. */
#ifndef LBRSCOPE_BUDGET_H
#define LBRSCOPE_BUDGET_H

#include <linux/minmax.h>
#include <linux/types.h>
#include <asm/local.h>

struct ls_cpu_ctx;

#define BUDGET_NONE	1000	/* the stretch that leaves periods unchanged */

/*
 * The cost of sampling on a CPU from the start of the session to the end of the last
 * window, in cycles of the TSC.
 */
struct ls_cost {
	u64 nmi;	/* in the NMI and in timers' interrupts, with entry and exit */
	u64 switches;	/* in the scheduler's hook */
	u64 time;	/* the time of the CPU in the session */
};

/*
 * The budget of a CPU.  Written on that CPU, by the scheduler's hooks and by timers with
 * interrupts off, and by the NMI, which may interrupt them anywhere: see budget.c.
 */
struct ls_budget {
	u32 share;	/* thousandths of the CPU's time that sampling may take */
	u32 stretch;	/* the factor of periods, in thousandths */
	u32 told;	/* the stretch in the last record */
	/* In cycles of the TSC, from the constants of budget.c. */
	u64 window, piece, entry;	/* piece varies: ls_budget_cut() */
	u64 began;	/* TSC at the beginning, less the time of earlier runs */
	local_t since;	/* TSC at the beginning of this window */
	local_t nmi, switches;	/* cycles of this window that were spent there */
	u64 most;	/* cycles that switches may spend of a window */
	local_t left_out;	/* switches without full work that no record has
				 * stated yet
				 */
};

/* Context: on the CPU, interrupts off, at the beginning and the end of the session there. */
void ls_budget_begin(struct ls_cpu_ctx *cpu, u32 share);
void ls_budget_end(struct ls_cpu_ctx *cpu);

/* Returns: how many cycles count, of a piece of work that took longer than budget->piece. */
u64 ls_budget_cut(struct ls_budget *budget);

/*
 * Charge work that began at begin (TSC) and ends now.  The scheduler's hooks call
 * ls_budget_switch(), and timers ls_budget_interrupt(), with interrupts off; both return
 * true if they have closed a window.  The
 * NMI calls ls_budget_spend(), which returns true if the window that began at since is
 * over, and then ls_budget_close(), which returns true if the window was not closed
 * meanwhile.  The caller reads since before now, because an NMI may change it in between.
 */
bool ls_budget_switch(struct ls_cpu_ctx *cpu, u64 begin);
bool ls_budget_interrupt(struct ls_cpu_ctx *cpu, u64 begin);
bool ls_budget_close(struct ls_cpu_ctx *cpu, u64 since, u64 now);

static __always_inline bool ls_budget_spend(struct ls_budget *budget,
					    local_t *spent, u64 cycles, u64 since,
					    u64 now)
{
	if (unlikely(cycles > budget->piece))
		cycles = ls_budget_cut(budget);
	local_add(cycles, spent);
	return unlikely(now - since > budget->window);
}

/*
 * At a switch: whether the budget affords more than counting needs.  Always true without a
 * known TSC.  ls_budget_leave_out() notes that the rest was not done.
 */
static inline bool ls_budget_affords(const struct ls_budget *budget)
{
	return (u64)local_read(&budget->switches) <= budget->most;
}

void ls_budget_leave_out(struct ls_cpu_ctx *cpu);

/* Returns: the period that keeps to the budget; period: the one without a budget. */
u64 ls_budget_stretched(const struct ls_budget *budget, u64 period);

static inline u64 ls_budget_stretch(const struct ls_budget *budget, u64 period)
{
	return likely(budget->stretch == BUDGET_NONE) ?
	       period : ls_budget_stretched(budget, period);
}

/* Converts cycles of the TSC to ns. */
u64 ls_budget_ns(u64 cycles);

#endif
