/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBRSCOPE_BUDGET_H
#define LBRSCOPE_BUDGET_H

#include <linux/minmax.h>
#include <linux/types.h>
#include <asm/local.h>

struct cpu_ctx;

#define BUDGET_NONE	1000	/* a stretch that is none */

/*
 * What sampling took of a CPU since the session began, up to the end of the last
 * window: cycles of the TSC.
 */
struct cost {
	u64 nmi;	/* in the NMI, its entry and exit included */
	u64 switches;	/* in the scheduler's hook */
	u64 time;	/* the CPU was in the session */
};

/*
 * Where a CPU is in keeping to its budget.  Written on that CPU, by the scheduler's
 * hooks with interrupts off and by the NMI, which may come between any two
 * instructions of theirs: see budget.c.
 */
struct budget {
	u32 share;	/* thousandths of the CPU's time that it may take */
	u32 stretch;	/* periods are so many thousandths of what they were */
	u32 told;	/* the stretch of the last record */
	/* In cycles, as there are so many a us: see budget.c. */
	u64 window, piece, entry;	/* piece varies: ls_budget_cut() */
	u64 began;	/* TSC when it did, less what was accounted for by then */
	local_t since;	/* TSC: the window that is running began */
	local_t nmi, switches;	/* cycles of it that were spent there */
	u64 most;	/* of these, on switches */
	local_t left_out;	/* switches at which nothing was spent, and no
				 * record has told of it
				 */
};

/* On the CPU: the session begins, ends. */
void ls_budget_begin(struct cpu_ctx *cpu, u32 share);
void ls_budget_end(struct cpu_ctx *cpu);

/* How much of a piece of work counts that took longer than budget->piece, in cycles. */
u64 ls_budget_cut(struct budget *budget);

/*
 * Around the work, which began at begin (TSC) and ends now: from the scheduler with
 * interrupts off, true if a window has ended with it.  The NMI calls ls_budget_spend() by itself, and where it says that
 * a window has ended, which began at since, ls_budget_close(): true, if nobody has
 * closed it meanwhile.  since is read before now: else it might be moved on in
 * between.
 */
bool ls_budget_switch(struct cpu_ctx *cpu, u64 begin);
bool ls_budget_close(struct cpu_ctx *cpu, u64 since, u64 now);

static __always_inline bool ls_budget_spend(struct budget *budget,
					    local_t *spent, u64 cycles, u64 since,
					    u64 now)
{
	if (unlikely(cycles > budget->piece))
		cycles = ls_budget_cut(budget);
	local_add(cycles, spent);
	return unlikely(now - since > budget->window);
}

/*
 * At a switch: whether more may be done than counting needs, which without a known
 * TSC is always; and that it was not done.
 */
static inline bool ls_budget_affords(const struct budget *budget)
{
	return (u64)local_read(&budget->switches) <= budget->most;
}

void ls_budget_leave_out(struct cpu_ctx *cpu);

/* The period that keeps to the budget, where this one would be without. */
u64 ls_budget_stretched(const struct budget *budget, u64 period);

static inline u64 ls_budget_stretch(const struct budget *budget, u64 period)
{
	return likely(budget->stretch == BUDGET_NONE) ?
	       period : ls_budget_stretched(budget, period);
}

/* A number of cycles in ns. */
u64 ls_budget_ns(u64 cycles);

#endif
