// SPDX-License-Identifier: GPL-2.0
/*
 * The overflow interrupt.
 *
 * Everything here runs in NMI context: memory of this CPU only, no lock, no
 * allocation, no printk, no traced accessor.  It reads the status, takes the
 * sample, writes one record and starts the next period; whatever can be found
 * out later, in user space, is not found out here.
 */
#include <linux/bits.h>
#include <linux/jiffies.h>
#include <linux/kprobes.h>
#include <linux/timekeeping.h>
#include <asm/nmi.h>
#include <asm/ptrace.h>
#include <asm/tsc.h>

#include "budget.h"
#include "counters.h"
#include "cpu.h"
#include "nmi.h"
#include "sample.h"
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

/*
 * Samples, and starts the next period of, each event whose counter has
 * overflowed.  Returns how many these are.
 */
static nokprobe_inline int nmi_overflows(struct cpu_ctx *cpu, const struct pt_regs *regs,
			 u64 over, u64 now)
{
	const struct event_set *set = cpu->set;
	int nr = 0;
	u32 i;

	for (i = 0; i < set->nr; i++) {
		u32 event = set->slots[i].event;
		const struct event *list = cpu->session->events->list;

		if (!(over & BIT_ULL(set->slots[i].counter)))
			continue;
		if (ls_event_samples(&list[event]))
			ls_sample(cpu, regs, event, now);
		if (unlikely(list[event].freezes))
			ls_trigger_freeze(cpu);
		ls_counters_overflow(cpu, i, now);
		nr++;
	}
	return nr;
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
 */
static int nmi_handler(unsigned int type, struct pt_regs *regs)
{
	struct cpu_ctx *cpu = this_cpu_ptr(&ls_cpu_ctx);
	u64 begin = rdtsc(), over;
	int nr;

	if (!READ_ONCE(cpu->session) || !READ_ONCE(cpu->counting))
		return nmi_stray(cpu);
	if (unlikely(ls_pmu_regs.unmask == PMU_UNMASK_EARLY))
		ls_pmu_unmask(NULL);
	over = ls_pmu_overflows(cpu->set->counters);
	if (!over)
		return nmi_stray(cpu);
	nr = nmi_overflows(cpu, regs, over, ktime_get_mono_fast_ns());
	ls_pmu_acknowledge(over);
	if (likely(ls_pmu_regs.unmask == PMU_UNMASK_LATE))
		ls_pmu_unmask(NULL);
	if (unlikely(ls_budget_nmi(cpu, begin)) && ls_counters_taken(cpu))
		cpu->counting = false;
	if (cpu->session->config.branches.history)
		ls_lbr_thaw();
	return nr;
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
