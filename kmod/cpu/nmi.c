// SPDX-License-Identifier: GPL-2.0
/*
 * The overflow interrupt (PMI), which is delivered as an NMI.
 *
 * Context: NMI, for everything here: memory of this CPU only, no lock, no allocation, no
 * printk, no traced accessor.  The handler reads the status, acknowledges the overflows
 * (ls_nmi_take()), writes a record for each, starts the next periods, and unmasks the APIC's
 * entry.  All that can be found out later is left to user space.
 */
#include <linux/bitops.h>
#include <linux/jiffies.h>
#include <linux/kprobes.h>
#include <asm/nmi.h>
#include <asm/ptrace.h>
#include <asm/tsc.h>

#include "counters/budget.h"
#include "counters/clock.h"
#include "counters/next.h"
#include "cpu/cpu.h"
#include "cpu/nmi.h"
#include "sample/only.h"
#include "sample/write.h"
#include "session/session.h"
#include "trigger/trigger.h"

/*
 * Claims the NMI of an overflow that has been counted already.  Unclaimed, it would be
 * reported as unknown, which may panic.  The handler claims only as many as are known to be
 * on their way (ls_counters_expect()); any other NMI without an overflow belongs to somebody
 * else.
 *
 * Nothing shows whether this NMI was a PMI.  If it was, its delivery has masked the
 * APIC's entry, which nobody else unmasks for the module.
 */
static int ls_nmi_stray(struct ls_cpu_ctx *cpu)
{
	bool stray = ls_counters_expects(cpu);

	if (stray)
		local_dec(&cpu->strays);
	if (cpu->session && cpu->session->pmu)
		ls_pmu_unmask(NULL);
	else if (stray)
		ls_pmu_unmask(&cpu->pmu);
	return stray ? NMI_HANDLED : NMI_DONE;
}
NOKPROBE_SYMBOL(ls_nmi_stray);

/*
 * The counters are stopped, or somebody else has taken them.  An overflow that is not
 * acknowledged proves that this NMI is the module's.  While they are being stopped,
 * ls_counters_halt() counts that overflow, and may expect this NMI already.  Counters that
 * run for nobody have been switched on by somebody else (ls_counters_reassert()): they stop
 * again, and what they have counted is dropped.
 */
static noinline int ls_nmi_halted(struct ls_cpu_ctx *cpu)
{
	u64 over;

	if (!cpu->session || !cpu->session->pmu || cpu->taken)
		return ls_nmi_stray(cpu);
	over = ls_pmu_overflows(cpu->set->counters);
	if (!over)
		return ls_nmi_stray(cpu);
	if (cpu->running) {
		ls_counters_expect(cpu, 0);
		local_dec(&cpu->strays);
	} else {
		ls_pmu_halt(cpu->set->counters);
		ls_pmu_acknowledge(over);
		if (cpu->thaws)
			ls_counters_thaw();
	}
	ls_pmu_unmask(NULL);
	return NMI_HANDLED;
}
NOKPROBE_SYMBOL(ls_nmi_halted);

/* Returns the slot of the first of these counters. */
static nokprobe_inline const struct ls_event_slot *ls_nmi_slot(const struct ls_cpu_ctx *cpu,
							       u64 counters)
{
	return ls_event_slot(cpu->set, __ffs64(counters));
}

/* Handles an overflow that is not plain, see ls_nmi_overflow(). */
static noinline void ls_nmi_overflow_any(struct ls_cpu_ctx *cpu,
					 const struct pt_regs *regs,
					 const struct ls_event_slot *at, u64 begin)
{
	const struct ls_event *event = at->of;
	u64 now = ls_clock_ns(&cpu->clock, begin);
	u64 left = PMU_LEFT_MAX;
	u32 slot = at - cpu->set->slots;
	bool keeps = true;

	if (ls_event_samples(event)) {
		keeps = !event->only.wanted ||
			ls_only_keeps(cpu, event, ls_counters_state(cpu, at));
		if (keeps)
			ls_sample(cpu, regs, at, now);
		else
			ls_ring_count(&cpu->ring->shared->unwanted);
		left = ls_counters_next(cpu, event, ls_counters_state(cpu, at), now);
	}
	if (unlikely(event->freezes) && keeps)
		ls_trigger_freeze(cpu);
	if (event->counted)
		ls_counters_catch_up(cpu, slot);
	ls_counters_load(cpu, slot, left);
	/* ls_counts_snapshot() then reads the counts again. */
	cpu->overflows++;
}
NOKPROBE_SYMBOL(ls_nmi_overflow_any);

/*
 * Takes the sample of an overflow and loads the next period.  Most samples are plain: of
 * user mode, with a period and branches.  This case is a straight line of code.
 */
static nokprobe_inline void ls_nmi_overflow(struct ls_cpu_ctx *cpu,
					    const struct pt_regs *regs,
					    const struct ls_event_slot *at, u64 begin)
{
	u64 left = ls_sample_plain(cpu, regs, at, &ls_counters_state(cpu, at)->pace, begin);

	if (likely(left))
		ls_counters_write(at, left);
	else
		ls_nmi_overflow_any(cpu, regs, at, begin);
}

/* Takes overflows that are acknowledged.  Returns their number. */
static noinline u32 ls_nmi_take_all(struct ls_cpu_ctx *cpu, const struct pt_regs *regs,
				    u64 over, u64 begin)
{
	u64 rest;

	for (rest = over; rest; rest &= rest - 1)
		ls_nmi_overflow_any(cpu, regs, ls_nmi_slot(cpu, rest), begin);
	return hweight64(over);
}
NOKPROBE_SYMBOL(ls_nmi_take_all);

/*
 * Takes the overflows of these counters; there is rarely more than one.  They are
 * acknowledged first: an overflow that happens while this runs sets the status again, and
 * is not acknowledged unseen.
 * Returns: their number.
 */
static nokprobe_inline u32 ls_nmi_take(struct ls_cpu_ctx *cpu, const struct pt_regs *regs,
				       u64 over, u64 begin, const bool global)
{
	const struct ls_event_slot *at = ls_nmi_slot(cpu, over);

	/* Without this the compiler computes `at` again after each memory access. */
	OPTIMIZER_HIDE_VAR(at);
	if (global)
		msr_write(ls_pmu_regs.global_ack, over | cpu->ack_more);
	over &= over - 1;
	ls_nmi_overflow(cpu, regs, at, begin);
	return unlikely(over) ? 1 + ls_nmi_take_all(cpu, regs, over, begin) : 1;
}

/* Returns: the counters that have overflowed, as ls_pmu_overflows(). */
static nokprobe_inline u64 ls_nmi_look(const struct ls_cpu_ctx *cpu, const bool global)
{
	u64 counters = cpu->set->counters;

	return global ? msr_read(ls_pmu_regs.global_status) & counters :
			ls_pmu_signs(counters);
}

/* Takes overflows that are found later in the handler.  Returns their number. */
static noinline u32 ls_nmi_take_late(struct ls_cpu_ctx *cpu, const struct pt_regs *regs,
				     u64 over)
{
	u64 begin = rdtsc();

	ls_pmu_clear(over | cpu->ack_more);
	return ls_nmi_take_all(cpu, regs, over, begin);
}
NOKPROBE_SYMBOL(ls_nmi_take_late);

/*
 * Does the checks at the end of a window of the budget.
 * Returns: the number of overflows that were found without a status and a PMI.
 */
static noinline u32 ls_nmi_close_window(struct ls_cpu_ctx *cpu, const struct pt_regs *regs,
					u64 since, u64 now)
{
	u64 over;

	if (!ls_budget_close(cpu, since, now))
		return 0;
	if (ls_counters_taken(cpu)) {
		cpu->counting = false;
		return 0;
	}
	/* The NMI may have interrupted the kernel while it was stopping the counters. */
	if (user_mode((struct pt_regs *)regs))
		ls_counters_reassert(cpu);
	over = ls_counters_overdue(cpu);
	return over ? ls_nmi_take_late(cpu, regs, over) : 0;
}
NOKPROBE_SYMBOL(ls_nmi_close_window);

static nokprobe_inline u32 ls_nmi_spend(struct ls_cpu_ctx *cpu, const struct pt_regs *regs,
					u64 begin)
{
	struct ls_budget *budget = &cpu->budget;
	u64 since = local_read(&budget->since);
	u64 now = rdtsc();

	if (ls_budget_spend(budget, &budget->nmi, now - begin + budget->entry, since,
			    now))
		return ls_nmi_close_window(cpu, regs, since, now);
	return 0;
}

/*
 * Unmasks the APIC's entry when the next periods run.  An overflow since the status was
 * read may have found the entry masked.  Its PMI then waits, or is dropped, as KVM does in
 * kvm_apic_local_deliver(); no manual says which.  So the status is read again after the
 * unmasking.  A later overflow has an NMI of its own, which waits for the end of this one.
 * Events of user mode do not count in the handler, so that they are not read again: in a
 * virtual machine, where a skid may bring one here, each reading costs an exit.  The check at
 * the end of the window finds it (ls_counters_overdue()).
 * Returns: the number of overflows that it has taken.
 */
static nokprobe_inline u32 ls_nmi_unmask_late(struct ls_cpu_ctx *cpu,
					      const struct pt_regs *regs, const bool global)
{
	u64 over;

	ls_pmu_unmask(NULL);
	if (!cpu->set->of_kernel)
		return 0;
	over = ls_nmi_look(cpu, global);
	return unlikely(over) ? ls_nmi_take_late(cpu, regs, over) : 0;
}

/*
 * Returns the number of the module's overflows.  If there is more than one, the NMI of the
 * second may be waiting.  It arrives at the same instruction as this one, and
 * default_do_nmi() in arch/x86/kernel/nmi.c does not report it.
 *
 * Intel's local APIC masks the entry each time that it delivers a PMI (SDM vol. 3 "Local
 * Vector Table").  The handler unmasks it at the same point as intel_pmu_handle_irq() in
 * arch/x86/events/intel/core.c.  On old CPUs that is the beginning: a later overflow is an
 * NMI that waits for the end of this one.  Since Haswell, and since Tremont among the small
 * cores, it is the point where the next periods run, since there would be spurious PMIs
 * otherwise (late_ack).  The small cores of hybrid CPUs, and their successors, need it
 * after the acknowledgement of the overflow and before the counters go on (mid_ack); the
 * module does not stop the counters, so that this is the same point.
 *
 * On AMD the entry is not masked.  The handler of one NMI may see the overflow of another
 * one that has not arrived yet (amd_pmu_adjust_nmi_window() in arch/x86/events/amd/core.c).
 * So for each overflow but one an NMI is expected.
 *
 * global, unmask: of ls_pmu_regs.  The common values are constants, so that the handler
 * does not ask for what never changes.
 */
static nokprobe_inline int ls_nmi_handle(struct pt_regs *regs, const bool global,
					 const enum ls_pmu_unmask unmask)
{
	struct ls_cpu_ctx *cpu = this_cpu_ptr(&ls_cpu_ctx);
	u64 begin = rdtsc(), over;
	u32 handled = 0;

	/* Also false without a session. */
	if (unlikely(!cpu->counting))
		return ls_nmi_halted(cpu);
	if (unmask == PMU_UNMASK_EARLY)
		ls_pmu_unmask(NULL);
	over = ls_nmi_look(cpu, global);
	if (likely(over))
		handled = ls_nmi_take(cpu, regs, over, begin, global);
	if (unmask == PMU_UNMASK_LATE)
		handled += ls_nmi_unmask_late(cpu, regs, global);
	if (unlikely(!handled))
		return ls_nmi_stray(cpu);
	handled += ls_nmi_spend(cpu, regs, begin);
	if (unmask == PMU_UNMASK_NEVER && unlikely(handled > 1))
		ls_counters_expect(cpu, handled - 1);
	if (unlikely(cpu->thaws))
		ls_counters_thaw();
	return handled;
}

/* Intel since Haswell. */
static int ls_nmi_handler_late(unsigned int type, struct pt_regs *regs)
{
	return ls_nmi_handle(regs, true, PMU_UNMASK_LATE);
}
NOKPROBE_SYMBOL(ls_nmi_handler_late);

/* AMD since Zen 4. */
static int ls_nmi_handler_never(unsigned int type, struct pt_regs *regs)
{
	return ls_nmi_handle(regs, true, PMU_UNMASK_NEVER);
}
NOKPROBE_SYMBOL(ls_nmi_handler_never);

/* All others. */
static int ls_nmi_handler_any(unsigned int type, struct pt_regs *regs)
{
	return ls_nmi_handle(regs, ls_pmu_regs.global_status, ls_pmu_regs.unmask);
}
NOKPROBE_SYMBOL(ls_nmi_handler_any);

/*
 * The handler is the first in the list.  perf's handler follows, and returns at once while
 * perf has no event.  While Intel PT is in use, it would acknowledge the module's overflow
 * if it came first (own.c).
 */
int ls_nmi_init(void)
{
	if (ls_pmu_regs.global_status && ls_pmu_regs.unmask == PMU_UNMASK_LATE)
		return register_nmi_handler(NMI_LOCAL, ls_nmi_handler_late,
					    NMI_FLAG_FIRST, "lbrscope");
	if (ls_pmu_regs.global_status && ls_pmu_regs.unmask == PMU_UNMASK_NEVER)
		return register_nmi_handler(NMI_LOCAL, ls_nmi_handler_never,
					    NMI_FLAG_FIRST, "lbrscope");
	return register_nmi_handler(NMI_LOCAL, ls_nmi_handler_any, NMI_FLAG_FIRST,
				    "lbrscope");
}

void ls_nmi_exit(void)
{
	unregister_nmi_handler(NMI_LOCAL, "lbrscope");
}
