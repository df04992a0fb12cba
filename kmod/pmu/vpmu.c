// SPDX-License-Identifier: GPL-2.0
/* Tests whether a virtual machine's counters count. */
#include <linux/kernel.h>
#include <linux/preempt.h>
#include <asm/nmi.h>
#include <asm/perf_event.h>
#include <asm/processor.h>

#include "compat/cpu.h"
#include "pmu/msr.h"
#include "pmu/pmu.h"
#include "pmu/vpmu.h"

/*
 * Whether counter 0 keeps a written value.  AMD's CPUID does not announce a vPMU: KVM without
 * one lets its guest read and write the registers of the old counters, and nothing counts.
 * check_hw_exists() of arch/x86/events/core.c tests this in the same way.  Not on bare metal;
 * a reserved counter is taken to work.  The lab has no such machine.
 * Context: load.
 */
bool ls_vpmu_works(void)
{
	u64 before, after = 0;
	bool works;

	if (boot_cpu_data.x86_vendor == X86_VENDOR_INTEL ||
	    !boot_cpu_has(X86_FEATURE_HYPERVISOR) ||
	    !reserve_evntsel_nmi(ls_pmu_regs.evtsel))
		return true;
	preempt_disable();
	works = !rdmsrl_safe(ls_pmu_regs.counter, &before) &&
		!wrmsrl_safe(ls_pmu_regs.counter, before ^ U16_MAX) &&
		!rdmsrl_safe(ls_pmu_regs.counter, &after) && after == (before ^ U16_MAX);
	if (works)
		wrmsrl_safe(ls_pmu_regs.counter, before);
	preempt_enable();
	release_evntsel_nmi(ls_pmu_regs.evtsel);
	return works;
}
