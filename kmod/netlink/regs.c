// SPDX-License-Identifier: GPL-2.0
/*
 * The registers of a CPU's counters and branch records, for LBRSCOPE_CMD_REGS_GET.
 * They are only read, and nothing else in the module depends on them.
 *
 * CPUID tells that most of them exist.  The others are tried, and left out where
 * reading them raises #GP.
 */
#include <linux/errno.h>
#include <linux/netlink.h>
#include <linux/security.h>
#include <linux/smp.h>
#include <asm/apic.h>

#include <linux/lbrscope.h>

#include "base/extack.h"
#include "compat/cpu.h"
#include "lbr/lbr.h"
#include "netlink/regs.h"
#include "pmu/caps.h"
#include "pmu/pmu.h"

/* Registers that some kernels do not name, or name differently. */
enum {
	REGS_LER_FROM		= 0x1dd,	/* branch before the last exception */
	REGS_LER_TO		= 0x1de,
	REGS_ARCH_LER_INFO	= 0x1e0,
	REGS_PERF_METRICS	= 0x329,
	REGS_GLOBAL_INUSE	= 0x392,
	REGS_PEBS_ENABLE	= 0x3f1,
	REGS_PEBS_DATA_CFG	= 0x3f2,
	REGS_PEBS_LD_LAT	= 0x3f6,
	REGS_X2APIC_LVTPC	= 0x834,
	REGS_AMD_LBR_SELECT	= 0xc000010e,
	REGS_AMD_DBG_EXTN	= 0xc000010f,
	REGS_AMD_LBR_FROM	= 0xc0010300,	/* TO is the next */
};

struct ls_regs_reader {
	struct lbrscope_reg *regs;
	u32 nr;
};

static void ls_regs_put(struct ls_regs_reader *reader, u32 msr, u64 value)
{
	if (reader->nr < LBRSCOPE_REGS_MAX)
		reader->regs[reader->nr++] = (struct lbrscope_reg){
			.msr = msr, .value = value,
		};
}

static void ls_regs_read(struct ls_regs_reader *reader, u32 first, u32 nr, u32 step)
{
	u64 value;

	for (; nr--; first += step)
		if (!rdmsrl_safe(first, &value))
			ls_regs_put(reader, first, value);
}

static void ls_regs_read_one(struct ls_regs_reader *reader, u32 msr)
{
	ls_regs_read(reader, msr, 1, 1);
}

static void ls_regs_read_counters(struct ls_regs_reader *reader,
				  const struct ls_caps *caps)
{
	ls_regs_read(reader, ls_pmu_regs.evtsel, caps->gp_counters,
		     ls_pmu_regs.stride);
	ls_regs_read(reader, ls_pmu_regs.counter, caps->gp_counters,
		     ls_pmu_regs.stride);
	if (caps->fixed_counters)
		ls_regs_read_one(reader, MSR_CORE_PERF_FIXED_CTR_CTRL);
	ls_regs_read(reader, MSR_CORE_PERF_FIXED_CTR0, caps->fixed_counters, 1);
	if (ls_pmu_regs.global_ctrl) {
		ls_regs_read_one(reader, ls_pmu_regs.global_status);
		ls_regs_read_one(reader, ls_pmu_regs.global_ctrl);
	}
	/* Its MSR in x2APIC mode; in xAPIC mode the register is in the APIC's page. */
	ls_regs_put(reader, REGS_X2APIC_LVTPC, apic->read(APIC_LVTPC));
}

static void ls_regs_read_intel(struct ls_regs_reader *reader,
			       const struct ls_caps *caps)
{
	static const u32 extras[] = {
		CAPS_MSR_OFFCORE_0, CAPS_MSR_OFFCORE_1, CAPS_MSR_FRONTEND,
	};
	u32 i;

	if (boot_cpu_has(X86_FEATURE_PDCM))
		ls_regs_read_one(reader, MSR_IA32_PERF_CAPABILITIES);
	if (caps->pmu_version >= 4)
		ls_regs_read_one(reader, REGS_GLOBAL_INUSE);
	for (i = 0; i < ARRAY_SIZE(extras); i++)
		if (ls_caps_has_extra(caps, extras[i]))
			ls_regs_read_one(reader, extras[i]);
	if (!boot_cpu_has(X86_FEATURE_DS))
		return;
	ls_regs_read_one(reader, MSR_IA32_DS_AREA);
	ls_regs_read_one(reader, REGS_PEBS_ENABLE);
	if (caps->pmu_version < 2)
		return;
	ls_regs_read_one(reader, REGS_PEBS_DATA_CFG);
	ls_regs_read_one(reader, REGS_PEBS_LD_LAT);
	ls_regs_read_one(reader, REGS_PERF_METRICS);
}

static void ls_regs_read_lbr(struct ls_regs_reader *reader, const struct ls_caps *caps)
{
	u32 depth = caps->lbr_depth;

	ls_regs_read_one(reader, MSR_IA32_DEBUGCTLMSR);
	switch (caps->lbr) {
	case CAPS_LBR_NONE:
		break;
	case CAPS_LBR_LEGACY:
		ls_regs_read_one(reader, MSR_LBR_SELECT);
		ls_regs_read_one(reader, MSR_LBR_TOS);
		ls_regs_read(reader, caps->lbr_from, depth, 1);
		ls_regs_read(reader, caps->lbr_to, depth, 1);
		if (caps->lbr_info)
			ls_regs_read(reader, MSR_LBR_INFO_0, depth, 1);
		ls_regs_read(reader, REGS_LER_FROM, 2, 1);
		break;
	case CAPS_LBR_ARCH:
		ls_regs_read(reader, MSR_ARCH_LBR_CTL, 2, 1);
		ls_regs_read(reader, MSR_ARCH_LBR_FROM_0, depth, 1);
		ls_regs_read(reader, MSR_ARCH_LBR_TO_0, depth, 1);
		ls_regs_read(reader, MSR_ARCH_LBR_INFO_0, depth, 1);
		ls_regs_read(reader, REGS_LER_FROM, 2, 1);
		ls_regs_read_one(reader, REGS_ARCH_LER_INFO);
		break;
	case CAPS_LBR_AMD:
		ls_regs_read_one(reader, REGS_AMD_DBG_EXTN);
		ls_regs_read_one(reader, REGS_AMD_LBR_SELECT);
		ls_regs_read(reader, REGS_AMD_LBR_FROM, 2 * depth, 1);
		break;
	}
}

/* Context: IPI on the CPU, interrupts off.  The module's NMI may interrupt this. */
static void ls_regs_read_all(void *arg)
{
	const struct ls_caps *caps = ls_caps_here();
	struct ls_regs_reader *reader = arg;

	/* A core of unknown type: only the registers that all known cores have. */
	if (!caps)
		caps = &ls_caps;
	ls_regs_read_counters(reader, caps);
	if (boot_cpu_data.x86_vendor == X86_VENDOR_INTEL)
		ls_regs_read_intel(reader, caps);
	ls_regs_read_lbr(reader, caps);
}

int ls_regs_get(u32 cpu, struct lbrscope_reg *regs,
		struct ls_extack *extack)
{
	struct ls_regs_reader reader = { .regs = regs };

	if (security_locked_down(LOCKDOWN_PERF)) {
		ls_extack_set(extack, "the kernel is locked down");
		return -EPERM;
	}
	if (cpu > INT_MAX || smp_call_function_single(cpu, ls_regs_read_all,
						      &reader, 1)) {
		ls_extack_set(extack, "no such CPU, or it is offline");
		return -ENXIO;
	}
	return reader.nr;
}
