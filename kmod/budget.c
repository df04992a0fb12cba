// SPDX-License-Identifier: GPL-2.0
/*
 * What sampling costs a CPU, and the bound that it keeps to.
 *
 * The time in the NMI and in the scheduler's hook is added up over windows of a
 * tenth of a second.  Where it was more than its share, periods become longer by
 * as much; where it is well below, they come back step by step.  Every change is
 * a record, and samples say for how many events they stand.  Each CPU keeps to
 * the bound by itself.
 */
#include <linux/kprobes.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/timekeeping.h>
#include <asm/tsc.h>

#include "budget.h"
#include "cpu.h"
#include "ring.h"

#define BUDGET_STRETCH_MAX	(1000 * BUDGET_NONE)
#define BUDGET_WINDOW_US	100000

/*
 * Entry and exit of an NMI, and the kernel's way to its handlers, which no
 * handler sees: about a microsecond with page table isolation.
 */
#define BUDGET_ENTRY_US		1

/*
 * What took longer was not the module: a hypervisor or the firmware had the CPU
 * meanwhile.
 */
#define BUDGET_PIECE_US		100

static nokprobe_inline u64 budget_us(u32 us)
{
	return (u64)tsc_khz * us / 1000;
}

static nokprobe_inline void budget_spend(struct cpu_ctx *cpu, u64 *sum, u64 cycles)
{
	cycles = min(cycles, budget_us(BUDGET_PIECE_US));
	*sum += cycles;
	local_add(cycles, &cpu->budget.spent);
}

u64 ls_budget_ns(u64 cycles)
{
	return tsc_khz ? mul_u64_u64_div_u64(cycles, NSEC_PER_MSEC, tsc_khz) :
			 0;
}

void ls_budget_begin(struct cpu_ctx *cpu, u32 share)
{
	cpu->budget = (struct budget){
		.share = share, .stretch = BUDGET_NONE, .since = rdtsc(),
	};
}

static void budget_write(struct cpu_ctx *cpu, u32 share)
{
	struct lbrscope_budget *record;

	record = ls_ring_reserve(cpu->ring, sizeof(*record));
	if (!record)
		return;
	*record = (struct lbrscope_budget){
		.rec.size = sizeof(*record),
		.rec.type = LBRSCOPE_RECORD_BUDGET,
		.time = ktime_get_mono_fast_ns(),
		.stretch = cpu->budget.stretch,
		.share = share,
	};
	ls_ring_commit(cpu->ring);
}
NOKPROBE_SYMBOL(budget_write);

/* The stretch for the next window, after one that took so much. */
static u32 budget_next(const struct budget *budget, u32 share)
{
	u64 stretch = budget->stretch;

	if (share > budget->share)
		stretch = div_u64(stretch * share, budget->share) +
			  BUDGET_NONE / 10;
	else if (share < budget->share / 2)
		stretch -= stretch / 4;
	return clamp_t(u64, stretch, BUDGET_NONE, BUDGET_STRETCH_MAX);
}
NOKPROBE_SYMBOL(budget_next);

static void budget_close_window(struct cpu_ctx *cpu, u64 now)
{
	struct budget *budget = &cpu->budget;
	u64 ran = now - budget->since;
	u64 spent = local_read(&budget->spent);
	u32 share = min_t(u64, div64_u64(spent * 1000, ran), 1000);
	u32 stretch = budget_next(budget, share);

	cpu->totals->cost.time += ran;
	budget->since = now;
	local_set(&budget->spent, 0);
	if (stretch == budget->stretch)
		return;
	budget->stretch = stretch;
	budget_write(cpu, share);
}
NOKPROBE_SYMBOL(budget_close_window);

bool ls_budget_nmi(struct cpu_ctx *cpu, u64 begin)
{
	u64 now = rdtsc();

	budget_spend(cpu, &cpu->totals->cost.nmi,
		     now - begin + budget_us(BUDGET_ENTRY_US));
	if (likely(now - cpu->budget.since <= budget_us(BUDGET_WINDOW_US)))
		return false;
	budget_close_window(cpu, now);
	return true;
}
NOKPROBE_SYMBOL(ls_budget_nmi);

void ls_budget_switch(struct cpu_ctx *cpu, u64 begin)
{
	budget_spend(cpu, &cpu->totals->cost.switches, rdtsc() - begin);
}

void ls_budget_end(struct cpu_ctx *cpu)
{
	cpu->totals->cost.time += rdtsc() - cpu->budget.since;
}

u64 ls_budget_stretched(const struct budget *budget, u64 period)
{
	return min_t(u64, div_u64(period * budget->stretch, BUDGET_NONE),
		     PMU_LEFT_MAX);
}
NOKPROBE_SYMBOL(ls_budget_stretched);
