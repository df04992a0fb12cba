// SPDX-License-Identifier: GPL-2.0
/*
 * The minimum work of any PMI handler: status, the next period, acknowledgement, LVTPC.
 * Samples user instructions on the CPU that loads the module, as long as it is loaded; on
 * Intel from PerfMon version 2 on, and with AMD's PerfMonV2.
 */
#include <linux/module.h>
#include <asm/apic.h>
#include <asm/msr.h>
#include <asm/nmi.h>
#include <asm/perf_event.h>
#include <asm/processor.h>

static unsigned int period = 100003;
module_param(period, uint, 0444);

static struct {
	u32 evtsel, counter, control, status, ack;
	u64 event, ack_bits;
	bool lvtpc;
} floor_pmu = {
	.evtsel = MSR_ARCH_PERFMON_EVENTSEL0,
	.counter = MSR_ARCH_PERFMON_PERFCTR0,
	.control = MSR_CORE_PERF_GLOBAL_CTRL,
	.status = MSR_CORE_PERF_GLOBAL_STATUS,
	.ack = MSR_CORE_PERF_GLOBAL_OVF_CTRL,
	.event = 0xc0,
	.ack_bits = 1,
	.lvtpc = true,
};

static void floor_write(u32 msr, u64 value)
{
	native_wrmsr(msr, lower_32_bits(value), upper_32_bits(value));
}

static int floor_handler(unsigned int type, struct pt_regs *regs)
{
	if (!(__rdmsr(floor_pmu.status) & 1))
		return NMI_DONE;
	floor_write(floor_pmu.counter, -(s64)period & GENMASK_ULL(47, 0));
	floor_write(floor_pmu.ack, floor_pmu.ack_bits);
	if (floor_pmu.lvtpc)
		apic->write(APIC_LVTPC, APIC_DM_NMI);
	return NMI_HANDLED;
}

static int __init floor_init(void)
{
	int err;

	if (boot_cpu_data.x86_vendor == X86_VENDOR_AMD) {
		floor_pmu.evtsel = 0xc0010200;
		floor_pmu.counter = 0xc0010201;
		floor_pmu.control = 0xc0000301;
		floor_pmu.status = 0xc0000300;
		floor_pmu.ack = 0xc0000302;
		floor_pmu.lvtpc = false;
	} else {
		/* A full-width write takes the alias, and so do we. */
		floor_pmu.counter = MSR_IA32_PMC0;
	}
	err = register_nmi_handler(NMI_LOCAL, floor_handler, NMI_FLAG_FIRST, "floor");
	if (err)
		return err;
	apic->write(APIC_LVTPC, APIC_DM_NMI);
	floor_write(floor_pmu.counter, -(s64)period & GENMASK_ULL(47, 0));
	floor_write(floor_pmu.evtsel, floor_pmu.event | ARCH_PERFMON_EVENTSEL_USR |
		    ARCH_PERFMON_EVENTSEL_INT | ARCH_PERFMON_EVENTSEL_ENABLE);
	floor_write(floor_pmu.control, 1);
	return 0;
}

static void __exit floor_exit(void)
{
	floor_write(floor_pmu.control, 0);
	floor_write(floor_pmu.evtsel, 0);
	unregister_nmi_handler(NMI_LOCAL, "floor");
}

module_init(floor_init);
module_exit(floor_exit);
MODULE_DESCRIPTION("The least that a PMI costs");
MODULE_LICENSE("GPL");
