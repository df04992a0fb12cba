// SPDX-License-Identifier: GPL-2.0
/*
 * What this CPU can do, from CPUID and IA32_PERF_CAPABILITIES.
 *
 * Everything is read here and not asked of perf, whose helpers are reserved
 * for KVM in newer kernels.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/errno.h>
#include <linux/printk.h>
#include <linux/string.h>
#include <asm/cpufeature.h>
#include <asm/msr.h>
#include <asm/processor.h>

#include "caps.h"

/*
 * CAPS_PERIOD_MIN keeps a hostile or mistaken period from making the machine
 * do nothing but take interrupts: a full-depth sample reads some 70 registers
 * at roughly 100 cycles each, so at 10,000 events a sample the program still
 * gets about half of the CPU.
 */

struct caps ls_caps;

/* CPUID leaf 0AH, SDM vol. 3 "Architectural Performance Monitoring". */
static void caps_probe_pmu(void)
{
	u32 eax, ebx, ecx, edx;

	if (boot_cpu_data.cpuid_level < 0xa)
		return;
	cpuid(0xa, &eax, &ebx, &ecx, &edx);
	ls_caps.pmu_version = eax & 0xff;
	ls_caps.gp_counters = (eax >> 8) & 0xff;
	ls_caps.gp_width = (eax >> 16) & 0xff;
	ls_caps.fixed_counters = ls_caps.pmu_version > 1 ? edx & 0x1f : 0;
}

/*
 * A hypervisor may advertise an LBR format and keep the registers to itself,
 * so that each of them is tried before the NMI relies on it.
 */
static bool caps_lbr_works(u32 depth)
{
	u64 value;
	u32 i;

	if (rdmsrl_safe(MSR_LBR_SELECT, &value) ||
	    rdmsrl_safe(MSR_LBR_TOS, &value))
		return false;
	for (i = 0; i < depth; i++)
		if (rdmsrl_safe(MSR_LBR_NHM_FROM + i, &value) ||
		    rdmsrl_safe(MSR_LBR_NHM_TO + i, &value) ||
		    rdmsrl_safe(MSR_LBR_INFO_0 + i, &value))
			return false;
	return true;
}

/*
 * LBR format 5 (addresses clean, flags in MSR_LBR_INFO) came with Skylake,
 * which has 32 entries and call-stack mode (SDM vol. 3 "Last Branch Records").
 */
static void caps_probe_lbr(void)
{
	u64 value;

	if (!boot_cpu_has(X86_FEATURE_PDCM) ||
	    rdmsrl_safe(MSR_IA32_PERF_CAPABILITIES, &value))
		return;
	ls_caps.lbr_format = value & 0x3f;
	if (ls_caps.lbr_format == 5 && caps_lbr_works(32)) {
		ls_caps.lbr_depth = 32;
		ls_caps.call_stack = true;
	}
}

/* The CPUs whose registers this module knows how to drive. */
static const char *caps_unsupported(void)
{
	if (boot_cpu_data.x86_vendor != X86_VENDOR_INTEL)
		return "only Intel CPUs are supported yet";
	if (boot_cpu_has(X86_FEATURE_HYBRID_CPU))
		return "hybrid CPUs are not supported yet";
	if (ls_caps.pmu_version < 4)
		return "PerfMon before version 4 is not supported yet";
	/*
	 * The kernel's reservation of counters does not cover version 6, so
	 * that two owners would program the same registers.
	 */
	if (ls_caps.pmu_version > 5)
		return "PerfMon after version 5 cannot be claimed from perf";
	return NULL;
}

/* 0, or -ENODEV where there is no performance monitoring at all. */
int ls_caps_probe(void)
{
	strscpy(ls_caps.vendor, boot_cpu_data.x86_vendor_id, sizeof(ls_caps.vendor));
	ls_caps.family = boot_cpu_data.x86;
	ls_caps.model = boot_cpu_data.x86_model;
	ls_caps.stepping = boot_cpu_data.x86_stepping;
	if (boot_cpu_data.x86_vendor == X86_VENDOR_INTEL) {
		caps_probe_pmu();
		if (!ls_caps.pmu_version || !ls_caps.gp_counters) {
			pr_err("this CPU has no performance counters (CPUID leaf 0AH is empty); in a virtual machine, the hypervisor must provide a vPMU\n");
			return -ENODEV;
		}
		caps_probe_lbr();
	}
	ls_caps.unsupported = caps_unsupported();
	return 0;
}
