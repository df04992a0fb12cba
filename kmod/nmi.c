// SPDX-License-Identifier: GPL-2.0
/*
 * The overflow interrupt.
 *
 * Everything here runs in NMI context: memory of this CPU only, no lock, no
 * allocation, no printk, no traced accessor.  It reads the status, takes the
 * sample, writes one record and starts the next period; whatever can be found
 * out later, in user space, is not found out here.
 */
#include <linux/jiffies.h>
#include <linux/kprobes.h>
#include <linux/timekeeping.h>
#include <asm/nmi.h>
#include <asm/ptrace.h>

#include "cpu.h"
#include "nmi.h"
#include "sample.h"
#include "session.h"

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
	bool stray = cpu->stray && time_before(jiffies, cpu->stray_until);

	cpu->stray = false;
	if (cpu->session)
		ls_pmu_unmask(NULL);
	else if (stray)
		ls_pmu_unmask(&cpu->pmu);
	return stray ? NMI_HANDLED : NMI_DONE;
}
NOKPROBE_SYMBOL(nmi_stray);

/* Returns the number of our overflows, see default_do_nmi(). */
static int nmi_handler(unsigned int type, struct pt_regs *regs)
{
	struct cpu_ctx *cpu = this_cpu_ptr(&ls_cpu_ctx);
	const struct session_config *config;
	u64 now;

	if (!READ_ONCE(cpu->session) || !ls_pmu_overflowed())
		return nmi_stray(cpu);
	now = ktime_get_mono_fast_ns();
	ls_sample(cpu, regs, now);
	config = &cpu->session->config;
	ls_pmu_rearm(ls_pace_next(cpu->pace, &config->pace, now));
	if (config->branches.history)
		ls_lbr_thaw();
	return NMI_HANDLED;
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
