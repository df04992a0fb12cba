// SPDX-License-Identifier: GPL-2.0
/*
 * The overflow interrupt.
 *
 * Everything here runs in NMI context: memory of this CPU only, no lock, no
 * allocation, no printk, no traced accessor.  It reads the status, takes the
 * sample, writes one record and starts the next period; whatever can be found
 * out later, in user space, is not found out here.
 */
#include <linux/bitops.h>
#include <linux/jiffies.h>
#include <linux/kprobes.h>
#include <asm/nmi.h>
#include <asm/ptrace.h>
#include <asm/tsc.h>

#include "budget.h"
#include "clock.h"
#include "counters_next.h"
#include "cpu.h"
#include "nmi.h"
#include "sample_write.h"
#include "session.h"
#include "trigger.h"

/*
 * No counter of ours has overflowed.  A PMI that was on its way when its counter
 * was stopped finds nothing to do.  It is ours all the same, and would otherwise
 * be reported as unknown, which may panic; but one such PMI only, and only for
 * so long.
 *
 * Whether this NMI was a PMI nobody can tell.  If it was, its delivery has masked
 * the APIC's entry like any other's, and nobody else opens it for us.
 */
static int nmi_stray(struct cpu_ctx *cpu)
{
	bool stray = cpu->halting ||
		     (cpu->stray && time_before(jiffies, cpu->stray_until));

	cpu->halting = false;
	cpu->stray = false;
	if (cpu->session)
		ls_pmu_unmask(NULL);
	else if (stray)
		ls_pmu_unmask(&cpu->pmu);
	return stray ? NMI_HANDLED : NMI_DONE;
}
NOKPROBE_SYMBOL(nmi_stray);

/* What is not plain: see nmi_overflow(). */
static noinline void nmi_overflow_any(struct cpu_ctx *cpu,
				      const struct pt_regs *regs,
				      const struct event_slot *at, u64 begin)
{
	const struct event *event = at->of;
	u64 now = ls_clock_ns(&cpu->clock, begin);
	u64 left = PMU_LEFT_MAX;
	u32 slot = at - cpu->set->slots;

	if (ls_event_samples(event)) {
		ls_sample(cpu, regs, at, now);
		left = ls_counters_next(cpu, event, &cpu->owner->events[at->event], now);
	}
	if (unlikely(event->freezes))
		ls_trigger_freeze(cpu);
	if (event->counted)
		ls_counters_catch_up(cpu, slot);
	ls_counters_load(cpu, slot, left);
	/* Whoever reads the counts meanwhile begins again. */
	cpu->overflows++;
}
NOKPROBE_SYMBOL(nmi_overflow_any);

/*
 * Samples the event in this slot, whose counter has overflowed, and counts on.  Most
 * events have nothing but a period and branches, and most samples are of user mode:
 * that case is the straight line, with the same code.
 */
static nokprobe_inline void nmi_overflow(struct cpu_ctx *cpu,
					 const struct pt_regs *regs,
					 const struct event_slot *at, u64 begin)
{
	const struct event *event = at->of;

	if (likely(cpu->owner->events[at->event].pace.period == event->plain &&
		   user_mode((struct pt_regs *)regs) &&
		   cpu->budget.stretch == BUDGET_NONE &&
		   ls_sample_plain(cpu, regs, at, begin)))
		ls_counters_write(at, event->plain);
	else
		nmi_overflow_any(cpu, regs, at, begin);
}

/* Of all events that have overflowed. */
static nokprobe_inline void nmi_overflows(struct cpu_ctx *cpu,
					  const struct pt_regs *regs, u64 over,
					  u64 begin)
{
	const struct event_slot *at;

	do {
		at = cpu->set->slots + cpu->set->slot_of[__ffs64(over)];
		/* The compiler would look for it again after each memory access. */
		OPTIMIZER_HIDE_VAR(at);
		nmi_overflow(cpu, regs, at, begin);
		over &= over - 1;
	} while (unlikely(over));
}

/* A window of the budget is over: what is looked at now and then. */
static noinline void nmi_close_window(struct cpu_ctx *cpu, u64 since, u64 now)
{
	if (ls_budget_close(cpu, since, now) && ls_counters_taken(cpu))
		cpu->counting = false;
}
NOKPROBE_SYMBOL(nmi_close_window);

static nokprobe_inline void nmi_spend(struct cpu_ctx *cpu, u64 begin)
{
	struct budget *budget = &cpu->budget;
	u64 since = local_read(&budget->since);
	u64 now = rdtsc();

	if (ls_budget_spend(budget, &budget->nmi, now - begin + budget->entry, since,
			    now))
		nmi_close_window(cpu, since, now);
}

/*
 * Returns the number of our overflows, see default_do_nmi().
 *
 * Intel's local APIC masks the entry each time that it delivers a PMI (SDM vol. 3
 * "Local Vector Table").  When to open it again is as in intel_pmu_handle_irq() of
 * arch/x86/events/intel/core.c.  On old CPUs first of all: what overflows from then
 * on is an NMI that waits for the end of this one.  Since Haswell, and Tremont of
 * the small cores, when the next periods run, for otherwise there are spurious ones
 * (late_ack).  The small cores of hybrid CPUs, and their successors, want it after
 * the acknowledgement of the overflow and before the counters go on (mid_ack): here
 * they never stand still, so that this is the same place.
 *
 * On AMD an overflow may be seen before its NMI comes, by another one's handler: see
 * amd_pmu_adjust_nmi_window() of arch/x86/events/amd/core.c.
 */
static int nmi_handler(unsigned int type, struct pt_regs *regs)
{
	struct cpu_ctx *cpu = this_cpu_ptr(&ls_cpu_ctx);
	u64 begin = rdtsc(), over;

	/* Without a session nothing counts. */
	if (unlikely(!cpu->counting))
		return nmi_stray(cpu);
	if (unlikely(ls_pmu_regs.unmask == PMU_UNMASK_EARLY))
		ls_pmu_unmask(NULL);
	over = ls_pmu_overflows(cpu->set->counters);
	if (unlikely(!over))
		return nmi_stray(cpu);
	nmi_overflows(cpu, regs, over, begin);
	ls_pmu_acknowledge(over);
	if (likely(ls_pmu_regs.unmask == PMU_UNMASK_LATE))
		ls_pmu_unmask(NULL);
	else if (ls_pmu_regs.unmask == PMU_UNMASK_NEVER)
		ls_counters_expect_stray(cpu);
	nmi_spend(cpu, begin);
	if (unlikely(cpu->thaws))
		ls_lbr_thaw();
	return hweight64(over);
}
NOKPROBE_SYMBOL(nmi_handler);

/*
 * First in the list: perf's handler comes after us, finds the status clear,
 * and could otherwise acknowledge our overflow for an event of its own (PT).
 */
int ls_nmi_init(void)
{
	return register_nmi_handler(NMI_LOCAL, nmi_handler, NMI_FLAG_FIRST,
				    "lbrscope");
}

void ls_nmi_exit(void)
{
	unregister_nmi_handler(NMI_LOCAL, "lbrscope");
}
