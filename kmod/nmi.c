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
 * The NMI of an overflow that has been accounted for already finds nothing to do.  It
 * is ours all the same, and would otherwise be reported as unknown, which may panic.
 * Only those are claimed that are known to be on their way (ls_counters_expect()): any
 * other NMI that finds no overflow is somebody else's.
 *
 * Whether this NMI was a PMI nobody can tell.  If it was, its delivery has masked
 * the APIC's entry like any other's, and nobody else opens it for us.
 */
static int ls_nmi_stray(struct cpu_ctx *cpu)
{
	bool stray = ls_counters_expects(cpu);

	if (stray)
		local_dec(&cpu->strays);
	if (cpu->session)
		ls_pmu_unmask(NULL);
	else if (stray)
		ls_pmu_unmask(&cpu->pmu);
	return stray ? NMI_HANDLED : NMI_DONE;
}
NOKPROBE_SYMBOL(ls_nmi_stray);

/*
 * The counters stand still, or are not ours any more.  While they are being stopped
 * an overflow that is not acknowledged proves that this NMI is its own.  Who stops
 * them accounts for it, and may expect this NMI already.
 */
static noinline int ls_nmi_halted(struct cpu_ctx *cpu)
{
	if (!cpu->session || cpu->taken ||
	    !ls_pmu_overflows(cpu->set->counters))
		return ls_nmi_stray(cpu);
	ls_counters_expect(cpu, 0);
	local_dec(&cpu->strays);
	ls_pmu_unmask(NULL);
	return NMI_HANDLED;
}
NOKPROBE_SYMBOL(ls_nmi_halted);

/* The first of these counters. */
static nokprobe_inline const struct event_slot *ls_nmi_slot(const struct cpu_ctx *cpu,
							    u64 counters)
{
	return cpu->set->slots + cpu->set->slot_of[__ffs64(counters)];
}

/* What is not plain: see ls_nmi_overflow(). */
static noinline void ls_nmi_overflow_any(struct cpu_ctx *cpu,
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
NOKPROBE_SYMBOL(ls_nmi_overflow_any);

/*
 * Samples the event in this slot, whose counter has overflowed, and counts on.  Most
 * events have nothing but a period and branches, and most samples are of user mode:
 * that case is the straight line, with the same code.
 */
static nokprobe_inline void ls_nmi_overflow(struct cpu_ctx *cpu,
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
		ls_nmi_overflow_any(cpu, regs, at, begin);
}

/*
 * Takes the overflows of these counters.  They are acknowledged first: an overflow
 * that comes while this runs sets the status anew, and is not acknowledged with them.
 */
static nokprobe_inline void ls_nmi_take(struct cpu_ctx *cpu, const struct pt_regs *regs,
					u64 over, u64 begin)
{
	const struct event_slot *at;

	ls_pmu_clear(over | cpu->ack_more);
	do {
		at = ls_nmi_slot(cpu, over);
		/* The compiler would look for it again after each memory access. */
		OPTIMIZER_HIDE_VAR(at);
		ls_nmi_overflow(cpu, regs, at, begin);
		over &= over - 1;
	} while (unlikely(over));
}

/* The same of what is found later in the handler; returns how many. */
static noinline u32 ls_nmi_take_late(struct cpu_ctx *cpu, const struct pt_regs *regs,
				     u64 over)
{
	u64 begin = rdtsc(), rest = over;

	ls_pmu_clear(over | cpu->ack_more);
	for (; rest; rest &= rest - 1)
		ls_nmi_overflow_any(cpu, regs, ls_nmi_slot(cpu, rest), begin);
	return hweight64(over);
}
NOKPROBE_SYMBOL(ls_nmi_take_late);

/*
 * A window of the budget is over: what is looked at now and then.  Returns how many
 * overflows were found that no status and no PMI tells of.
 */
static noinline u32 ls_nmi_close_window(struct cpu_ctx *cpu, const struct pt_regs *regs,
					u64 since, u64 now)
{
	u64 over;

	if (!ls_budget_close(cpu, since, now))
		return 0;
	if (ls_counters_taken(cpu)) {
		cpu->counting = false;
		return 0;
	}
	/* In the kernel it may be stopping the counters that was interrupted. */
	if (user_mode((struct pt_regs *)regs))
		ls_counters_reassert(cpu);
	over = ls_counters_overdue(cpu);
	return over ? ls_nmi_take_late(cpu, regs, over) : 0;
}
NOKPROBE_SYMBOL(ls_nmi_close_window);

static nokprobe_inline u32 ls_nmi_spend(struct cpu_ctx *cpu, const struct pt_regs *regs,
					u64 begin)
{
	struct budget *budget = &cpu->budget;
	u64 since = local_read(&budget->since);
	u64 now = rdtsc();

	if (ls_budget_spend(budget, &budget->nmi, now - begin + budget->entry, since,
			    now))
		return ls_nmi_close_window(cpu, regs, since, now);
	return 0;
}

/*
 * Opens the APIC's entry when the next periods run.  An overflow since the status was
 * read may have found it masked.  Its PMI then waits, or is dropped, as KVM does in
 * kvm_apic_local_deliver(); no manual says which.  So the status is read once more
 * behind the opening: what overflows later than that has an NMI of its own, which
 * waits for the end of this one.  Events of user mode do not count in here, and need
 * no second look.  Returns how many overflows it has taken.
 */
static nokprobe_inline u32 ls_nmi_unmask_late(struct cpu_ctx *cpu,
					      const struct pt_regs *regs)
{
	u64 over;

	ls_pmu_unmask(NULL);
	if (!cpu->set->of_kernel)
		return 0;
	over = ls_pmu_overflows(cpu->set->counters);
	return unlikely(over) ? ls_nmi_take_late(cpu, regs, over) : 0;
}

/*
 * Returns the number of our overflows.  Where that is more than one, the NMI of the
 * second may be waiting; it comes at the same instruction as this one, and
 * default_do_nmi() in arch/x86/kernel/nmi.c lets it pass.
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
 * On AMD the entry stays open, and an overflow may be seen before its NMI comes, by
 * another one's handler: see amd_pmu_adjust_nmi_window() of
 * arch/x86/events/amd/core.c.  So each overflow but one leaves an NMI to be expected.
 */
static int ls_nmi_handler(unsigned int type, struct pt_regs *regs)
{
	struct cpu_ctx *cpu = this_cpu_ptr(&ls_cpu_ctx);
	u64 begin = rdtsc(), over;
	u32 handled;

	/* Without a session nothing counts. */
	if (unlikely(!cpu->counting))
		return ls_nmi_halted(cpu);
	if (unlikely(ls_pmu_regs.unmask == PMU_UNMASK_EARLY))
		ls_pmu_unmask(NULL);
	over = ls_pmu_overflows(cpu->set->counters);
	if (likely(over))
		ls_nmi_take(cpu, regs, over, begin);
	handled = hweight64(over);
	if (likely(ls_pmu_regs.unmask == PMU_UNMASK_LATE))
		handled += ls_nmi_unmask_late(cpu, regs);
	if (unlikely(!handled))
		return ls_nmi_stray(cpu);
	handled += ls_nmi_spend(cpu, regs, begin);
	if (unlikely(handled > 1) && ls_pmu_regs.unmask == PMU_UNMASK_NEVER)
		ls_counters_expect(cpu, handled - 1);
	if (unlikely(cpu->thaws))
		ls_counters_thaw();
	return handled;
}
NOKPROBE_SYMBOL(ls_nmi_handler);

/*
 * First in the list.  perf's handler comes after ours, and does nothing while perf has
 * no event.  Where Intel PT is in use it would otherwise acknowledge our overflow: see
 * own.c.
 */
int ls_nmi_init(void)
{
	return register_nmi_handler(NMI_LOCAL, ls_nmi_handler, NMI_FLAG_FIRST,
				    "lbrscope");
}

void ls_nmi_exit(void)
{
	unregister_nmi_handler(NMI_LOCAL, "lbrscope");
}
