// SPDX-License-Identifier: GPL-2.0
/*
 * The branch records that an Intel CPU has: their family, depth, registers and abilities.
 */
#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/minmax.h>

#include <linux/lbrscope.h>

#include "compat/cpu.h"
#include "compat/fpu.h"
#include "lbr/lbr.h"
#include "pmu/caps.h"

/* CPUID.1CH:EBX: by privilege level, by kind; call-stack mode. */
#define CAPS_ARCH_FILTERS	(BIT(0) | BIT(1))
#define CAPS_ARCH_CALL_STACK	BIT(2)

/* Tries nr registers from msr on: the NMI relies on those that can be read. */
static bool ls_caps_lbr_readable(u32 msr, u32 nr)
{
	u64 value;
	u32 i;

	for (i = 0; i < nr; i++)
		if (rdmsrl_safe(msr + i, &value))
			return false;
	return true;
}

/* Entries by model: SDM vol. 3 "Last Branch Recording Stack Size and TOS". */
static u32 ls_caps_lbr_legacy_depth(const struct ls_caps *caps)
{
	switch (boot_cpu_data.x86_model) {
	case 0x37: case 0x4a: case 0x4c: case 0x4d: case 0x5a: case 0x5d:
	case 0x57: case 0x85:			/* Silvermont, Knights */
		return 8;
	}
	return caps->lbr_format >= LBRSCOPE_LBR_FORMAT_INFO ? 32 : 16;
}

/* The format does not tell where the registers are: Silvermont has the old place. */
static void ls_caps_lbr_legacy_place(struct ls_caps *caps)
{
	if (ls_caps_lbr_readable(MSR_LBR_NHM_FROM, caps->lbr_depth)) {
		caps->lbr_from = MSR_LBR_NHM_FROM;
		caps->lbr_to = MSR_LBR_NHM_TO;
	} else {
		caps->lbr_from = MSR_LBR_CORE_FROM;
		caps->lbr_to = MSR_LBR_CORE_TO;
	}
}

/*
 * Broadwell to Cannon Lake have Intel PT and do not let both be used at one time: SDM vol. 3
 * "Intel Processor Trace", and lbr_pt_coexist of intel_pmu_init() in
 * arch/x86/events/intel/core.c, which is set for Goldmont, Ice Lake and what came later.
 */
static bool ls_caps_lbr_beside_pt(void)
{
	switch (boot_cpu_data.x86_model) {
	case 0x3d: case 0x47: case 0x4f: case 0x56:		/* Broadwell */
	case 0x4e: case 0x5e: case 0x55: case 0x8e: case 0x9e:	/* Skylake, Kaby Lake */
	case 0xa5: case 0xa6:					/* Comet Lake */
	case 0x66:						/* Cannon Lake */
		return false;
	}
	return true;
}

/* Nehalem and Westmere: nhm_lbr_sel_map in arch/x86/events/intel/lbr.c. */
static bool ls_caps_lbr_calls_as_jumps(void)
{
	switch (boot_cpu_data.x86_model) {
	case 0x1a: case 0x1e: case 0x1f: case 0x2e:
	case 0x25: case 0x2c: case 0x2f:
		return true;
	}
	return false;
}

/*
 * With five levels of page tables code addresses have 57 bits: two of these and INFO do
 * not fit into the two words of a struct lbrscope_branch.
 */
static bool ls_caps_lbr_packs(const struct ls_caps *caps)
{
	return caps->lbr_info && !boot_cpu_has(X86_FEATURE_LA57);
}

/*
 * A hypervisor may announce a format and not provide the registers, so all are tried.
 * Haswell (format 4) introduced the call-stack mode.
 */
static void ls_caps_lbr_probe_legacy(struct ls_caps *caps)
{
	u32 depth = ls_caps_lbr_legacy_depth(caps);

	caps->lbr_depth = depth;
	ls_caps_lbr_legacy_place(caps);
	caps->lbr_info = caps->lbr_from == MSR_LBR_NHM_FROM &&
			 (caps->lbr_format == LBRSCOPE_LBR_FORMAT_INFO ||
			  caps->lbr_format == LBRSCOPE_LBR_FORMAT_INFO2);
	if (!ls_caps_lbr_readable(MSR_LBR_SELECT, 1) ||
	    !ls_caps_lbr_readable(MSR_LBR_TOS, 1) ||
	    !ls_caps_lbr_readable(caps->lbr_from, depth) ||
	    !ls_caps_lbr_readable(caps->lbr_to, depth) ||
	    (caps->lbr_info && !ls_caps_lbr_readable(MSR_LBR_INFO_0, depth))) {
		caps->lbr_depth = 0;
		return;
	}
	caps->lbr = CAPS_LBR_LEGACY;
	caps->lbr_packs = ls_caps_lbr_packs(caps);
	caps->lbr_filter = true;
	caps->lbr_calls_as_jumps = ls_caps_lbr_calls_as_jumps();
	caps->lbr_beside_pt = ls_caps_lbr_beside_pt();
	caps->lbr_freeze = caps->pmu_version >= 2;
	caps->call_stack = caps->lbr_from == MSR_LBR_NHM_FROM &&
			   caps->lbr_format >= LBRSCOPE_LBR_FORMAT_EIP_FLAGS2;
}

/*
 * Whether XSAVES can read all records at once.  The kernel must have enabled the
 * component, as it does for perf, must not restore it with each task (lbr/arch.c), and
 * its size must be that of this depth.
 */
static bool ls_caps_lbr_xsaves(const struct ls_caps *caps)
{
	u32 size, ebx, ecx, edx;
	u64 enabled;

	if (COMPAT_FPU_RESTORES_ALL || !boot_cpu_has(X86_FEATURE_XSAVES) ||
	    rdmsrl_safe(MSR_IA32_XSS, &enabled) ||
	    !(enabled & LBR_XSTATE))
		return false;
	cpuid_count(0xd, LBR_XSTATE_NR, &size, &ebx, &ecx, &edx);
	return size == LBR_XSTATE_SIZE(caps->lbr_depth);
}

/* CPUID leaf 1CH, SDM vol. 3 "Architectural Last Branch Records". */
static void ls_caps_lbr_probe_arch(struct ls_caps *caps)
{
	u32 eax, ebx, ecx, edx;

	cpuid(0x1c, &eax, &ebx, &ecx, &edx);
	caps->lbr_depth = min_t(u32, 8 * fls(eax & 0xff), LBR_DEPTH_MAX);
	if (!is_power_of_2(caps->lbr_depth) ||
	    !ls_caps_lbr_readable(MSR_ARCH_LBR_CTL, 2) ||
	    !ls_caps_lbr_readable(MSR_ARCH_LBR_FROM_0, caps->lbr_depth) ||
	    !ls_caps_lbr_readable(MSR_ARCH_LBR_TO_0, caps->lbr_depth) ||
	    !ls_caps_lbr_readable(MSR_ARCH_LBR_INFO_0, caps->lbr_depth)) {
		caps->lbr_depth = 0;
		return;
	}
	caps->lbr = CAPS_LBR_ARCH;
	caps->lbr_xsaves = ls_caps_lbr_xsaves(caps);
	caps->lbr_info = true;
	caps->lbr_packs = ls_caps_lbr_packs(caps);
	caps->lbr_filter = (ebx & CAPS_ARCH_FILTERS) == CAPS_ARCH_FILTERS;
	caps->lbr_freeze = true;
	caps->call_stack = caps->lbr_filter &&
			     ebx & CAPS_ARCH_CALL_STACK;
}

/* Format 0 belongs to 32-bit CPUs; a hypervisor without LBR reports it as well. */
void ls_caps_lbr_probe_intel(struct ls_caps *caps)
{
	u64 value;

	if (!boot_cpu_has(X86_FEATURE_PDCM) ||
	    rdmsrl_safe(MSR_IA32_PERF_CAPABILITIES, &value))
		return;
	caps->lbr_format = value & 0x3f;
	if (boot_cpu_has(X86_FEATURE_ARCH_LBR))
		ls_caps_lbr_probe_arch(caps);
	else if (caps->lbr_format &&
		 caps->lbr_format <= LBRSCOPE_LBR_FORMAT_INFO2)
		ls_caps_lbr_probe_legacy(caps);
}
