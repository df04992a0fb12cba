// SPDX-License-Identifier: GPL-2.0
/*
 * What this CPU can do, from CPUID and IA32_PERF_CAPABILITIES.
 *
 * Everything is read here and not asked of perf, whose helpers are reserved
 * for KVM in newer kernels.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bitops.h>
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/printk.h>
#include <linux/string.h>
#include <linux/topology.h>

#include <linux/lbrscope.h>

#include "caps.h"
#include "compat/cpu.h"
#include "lbr.h"
#include "pmu.h"

/*
 * CAPS_PERIOD_MIN keeps a hostile or mistaken period from making the machine
 * do nothing but take interrupts: a full-depth sample reads some 70 registers
 * at roughly 100 cycles each, so at 10,000 events a sample the program still
 * gets about half of the CPU.
 */

struct caps ls_caps;

/* CPUID.80000022H "Extended Performance Monitoring and Debug": EAX. */
#define CAPS_LEAF_AMD		0x80000022
#define CAPS_AMD_PERFMON_V2	BIT(0)
#define CAPS_AMD_LBR_V2		BIT(1)
#define CAPS_AMD_LBR_FREEZE	BIT(2)

/* CPUID.1CH:EBX: by privilege level, by kind; call-stack mode. */
#define CAPS_ARCH_FILTERS	(BIT(0) | BIT(1))
#define CAPS_ARCH_CALL_STACK	BIT(2)

static const u32 caps_extra[CAPS_EXTRA_MAX] = {
	CAPS_MSR_OFFCORE_0, CAPS_MSR_OFFCORE_1, CAPS_MSR_FRONTEND,
};

static void caps_probe_extra(void)
{
	u64 value;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(caps_extra); i++)
		if (!rdmsrl_safe(caps_extra[i], &value))
			ls_caps.extra |= BIT(i);
}

bool ls_caps_has_extra(u32 msr)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(caps_extra); i++)
		if (caps_extra[i] == msr)
			return ls_caps.extra & BIT(i);
	return false;
}

/* CPUID leaf 0AH, SDM vol. 3 "Architectural Performance Monitoring". */
static void caps_probe_intel_pmu(void)
{
	u32 eax, ebx, ecx, edx;

	if (boot_cpu_data.cpuid_level < 0xa)
		return;
	cpuid(0xa, &eax, &ebx, &ecx, &edx);
	ls_caps.pmu_version = eax & 0xff;
	ls_caps.gp_counters = min_t(u32, eax >> 8 & 0xff, PMU_GENERAL_MAX);
	ls_caps.gp_width = (eax >> 16) & 0xff;
	if (ls_caps.pmu_version > 1) {
		ls_caps.fixed_counters = min_t(u32, edx & 0x1f, PMU_FIXED_MAX);
		ls_caps.fixed_width = edx >> 5 & 0xff;
	}
	/* EDX[15]: deprecated. */
	ls_caps.any_thread = ls_caps.pmu_version >= 3 && !(edx & BIT(15));
	caps_probe_extra();
}

/*
 * APM vol. 2 "Performance Monitoring Counters": four counters always, six with
 * the core extension, as many as the leaf says with version 2.
 */
static void caps_probe_amd_pmu(void)
{
	u32 eax, ebx, ecx, edx;

	ls_caps.pmu_version = 1;
	ls_caps.gp_width = 48;
	ls_caps.gp_counters = boot_cpu_has(X86_FEATURE_PERFCTR_CORE) ? 6 : 4;
	if (boot_cpu_data.extended_cpuid_level < CAPS_LEAF_AMD)
		return;
	cpuid(CAPS_LEAF_AMD, &eax, &ebx, &ecx, &edx);
	if (eax & CAPS_AMD_PERFMON_V2) {
		ls_caps.pmu_version = 2;
		ls_caps.gp_counters = ebx & 0xf;
	}
	if (eax & CAPS_AMD_LBR_V2) {
		ls_caps.lbr = CAPS_LBR_AMD;
		ls_caps.lbr_format = LBRSCOPE_LBR_FORMAT_AMD;
		ls_caps.lbr_depth = min_t(u32, ebx >> 4 & 0x3f, LBR_DEPTH_MAX);
		ls_caps.lbr_filter = true;
		ls_caps.lbr_freeze = eax & CAPS_AMD_LBR_FREEZE;
	}
}

/* Each register is tried before the NMI relies on it. */
static bool caps_readable(u32 msr, u32 nr)
{
	u64 value;
	u32 i;

	for (i = 0; i < nr; i++)
		if (rdmsrl_safe(msr + i, &value))
			return false;
	return true;
}

/* SDM vol. 3 "Last Branch Recording Stack Size and TOS" lists them by model. */
static u32 caps_legacy_depth(void)
{
	switch (boot_cpu_data.x86_model) {
	case 0x0f: case 0x16: case 0x17: case 0x1d:	/* Core 2 */
		return 4;
	case 0x1c: case 0x26: case 0x27: case 0x35: case 0x36:	/* Bonnell */
	case 0x37: case 0x4a: case 0x4c: case 0x4d: case 0x5a: case 0x5d:
	case 0x57: case 0x85:			/* Silvermont, Knights */
		return 8;
	}
	return ls_caps.lbr_format >= LBRSCOPE_LBR_FORMAT_INFO ? 32 : 16;
}

/* Where these are cannot be told from the format: Silvermont is at the old place. */
static void caps_legacy_place(void)
{
	if (caps_readable(MSR_LBR_NHM_FROM, ls_caps.lbr_depth)) {
		ls_caps.lbr_from = MSR_LBR_NHM_FROM;
		ls_caps.lbr_to = MSR_LBR_NHM_TO;
	} else {
		ls_caps.lbr_from = MSR_LBR_CORE_FROM;
		ls_caps.lbr_to = MSR_LBR_CORE_TO;
	}
}

/* Nehalem and Westmere: nhm_lbr_sel_map in arch/x86/events/intel/lbr.c. */
static bool caps_calls_as_jumps(void)
{
	switch (boot_cpu_data.x86_model) {
	case 0x1a: case 0x1e: case 0x1f: case 0x2e:
	case 0x25: case 0x2c: case 0x2f:
		return true;
	}
	return false;
}

/*
 * A hypervisor may advertise a format and keep the registers to itself.  The
 * filter came with Nehalem, the call-stack mode with format 4, Haswell's.
 */
static void caps_probe_legacy(void)
{
	u32 depth = caps_legacy_depth();

	ls_caps.lbr_depth = depth;
	caps_legacy_place();
	ls_caps.lbr_info = ls_caps.lbr_format == LBRSCOPE_LBR_FORMAT_INFO ||
			   ls_caps.lbr_format == LBRSCOPE_LBR_FORMAT_INFO2;
	if (!caps_readable(MSR_LBR_TOS, 1) ||
	    !caps_readable(ls_caps.lbr_from, depth) ||
	    !caps_readable(ls_caps.lbr_to, depth) ||
	    (ls_caps.lbr_info && !caps_readable(MSR_LBR_INFO_0, depth))) {
		ls_caps.lbr_depth = 0;
		return;
	}
	ls_caps.lbr = CAPS_LBR_LEGACY;
	ls_caps.lbr_filter = caps_readable(MSR_LBR_SELECT, 1);
	ls_caps.lbr_calls_as_jumps = caps_calls_as_jumps();
	ls_caps.lbr_freeze = ls_caps.pmu_version >= 2;
	ls_caps.call_stack = ls_caps.lbr_filter &&
		ls_caps.lbr_format >= LBRSCOPE_LBR_FORMAT_EIP_FLAGS2;
}

/*
 * The state that XSAVES moves is of fixed size, for the greatest depth; the
 * kernel has to have it enabled, which it does for its own perf.
 */
static bool caps_lbr_xsaves(void)
{
	u32 size, ebx, ecx, edx;
	u64 enabled;

	if (!boot_cpu_has(X86_FEATURE_XSAVES) ||
	    rdmsrl_safe(MSR_IA32_XSS, &enabled) ||
	    !(enabled & LBR_XSTATE))
		return false;
	cpuid_count(0xd, LBR_XSTATE_NR, &size, &ebx, &ecx, &edx);
	return size == LBR_XSTATE_SIZE(ls_caps.lbr_depth);
}

/* CPUID leaf 1CH, SDM vol. 3 "Architectural Last Branch Records". */
static void caps_probe_arch(void)
{
	u32 eax, ebx, ecx, edx;

	cpuid(0x1c, &eax, &ebx, &ecx, &edx);
	ls_caps.lbr_depth = min_t(u32, 8 * fls(eax & 0xff), LBR_DEPTH_MAX);
	if (!is_power_of_2(ls_caps.lbr_depth) ||
	    !caps_readable(MSR_ARCH_LBR_CTL, 2) ||
	    !caps_readable(MSR_ARCH_LBR_FROM_0, ls_caps.lbr_depth) ||
	    !caps_readable(MSR_ARCH_LBR_TO_0, ls_caps.lbr_depth) ||
	    !caps_readable(MSR_ARCH_LBR_INFO_0, ls_caps.lbr_depth)) {
		ls_caps.lbr_depth = 0;
		return;
	}
	ls_caps.lbr = CAPS_LBR_ARCH;
	ls_caps.lbr_xsaves = caps_lbr_xsaves();
	ls_caps.lbr_info = true;
	ls_caps.lbr_filter = (ebx & CAPS_ARCH_FILTERS) == CAPS_ARCH_FILTERS;
	ls_caps.lbr_freeze = true;
	ls_caps.call_stack = ls_caps.lbr_filter &&
			     ebx & CAPS_ARCH_CALL_STACK;
}

/* Format 0 is that of 32-bit CPUs, and what a hypervisor without LBR says. */
static void caps_probe_intel_lbr(void)
{
	u64 value;

	if (!boot_cpu_has(X86_FEATURE_PDCM) ||
	    rdmsrl_safe(MSR_IA32_PERF_CAPABILITIES, &value))
		return;
	ls_caps.lbr_format = value & 0x3f;
	if (boot_cpu_has(X86_FEATURE_ARCH_LBR))
		caps_probe_arch();
	else if (ls_caps.lbr_format &&
		 ls_caps.lbr_format <= LBRSCOPE_LBR_FORMAT_INFO2)
		caps_probe_legacy();
}

/* Why nobody can sample here, or NULL. */
static const char *caps_unsupported(void)
{
	if (boot_cpu_has(X86_FEATURE_HYBRID_CPU))
		return "hybrid CPUs are not supported yet";
	/*
	 * The kernel's reservation of counters does not cover version 6, so
	 * that two owners would program the same registers.
	 */
	if (ls_caps.pmu_version > 5)
		return "PerfMon after version 5 cannot be claimed from perf";
	return NULL;
}

/*
 * 0, or -ENODEV where there is no performance monitoring at all.  Zhaoxin's
 * CPUs have Intel's leaf; what else they have nobody here knows.
 */
int ls_caps_probe(void)
{
	strscpy(ls_caps.vendor, boot_cpu_data.x86_vendor_id, sizeof(ls_caps.vendor));
	ls_caps.family = boot_cpu_data.x86;
	ls_caps.model = boot_cpu_data.x86_model;
	ls_caps.stepping = boot_cpu_data.x86_stepping;
	switch (boot_cpu_data.x86_vendor) {
	case X86_VENDOR_INTEL:
		caps_probe_intel_pmu();
		if (ls_caps.gp_counters)
			caps_probe_intel_lbr();
		break;
	case X86_VENDOR_AMD:
	case X86_VENDOR_HYGON:
		caps_probe_amd_pmu();
		break;
	}
	if (!ls_caps.pmu_version || !ls_caps.gp_counters) {
		pr_err("this CPU has no performance counters that are known here; in a virtual machine, the hypervisor must provide a vPMU\n");
		return -ENODEV;
	}
	ls_caps.smt = cpumask_weight(topology_sibling_cpumask(0)) > 1;
	ls_caps.unsupported = caps_unsupported();
	return 0;
}
