// SPDX-License-Identifier: GPL-2.0
/*
 * The capabilities of the CPUs, from CPUID and IA32_PERF_CAPABILITIES.
 *
 * The module reads them itself: in newer kernels perf's helpers are reserved for KVM.
 *
 * The cores of a hybrid CPU are grouped into types by their capabilities, at load.  A CPU
 * that comes online later joins its type; it is not sampled if no core of that type was
 * online at load.  A session can use what all of its CPUs have: counters, and the events'
 * extra registers.  If that is not enough, the refusal names the CPUs that lack something,
 * and CPUS can exclude them.  START checks each CPU again, so that the NMI accesses no
 * register that does not exist.  The meaning of an event select is left to the user: only
 * the architectural events have the same code on all cores.  Branch records must be the
 * same on all cores, as they are on the existing hybrid CPUs; else none are recorded.  The
 * number of counters comes from leaf 0AH, which on Alder Lake reports what both types
 * have: two general counters and one fixed counter of its big cores are not used.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/percpu.h>
#include <linux/printk.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/topology.h>

#include <linux/lbrscope.h>

#include "compat/cpu.h"
#include "lbr/lbr.h"
#include "pmu/caps.h"
#include "pmu/pmu.h"

/*
 * CAPS_PERIOD_MIN keeps a hostile or mistaken period from filling the machine's time
 * with interrupts: a sample of full depth reads some 70 registers at roughly 100 cycles
 * each, so that with 10,000 events a sample the program still has about half of the CPU.
 */

struct ls_caps ls_caps;
struct ls_caps_type ls_caps_types[CAPS_TYPES_MAX];
u32 ls_caps_nr_types;

static DEFINE_PER_CPU(const struct ls_caps *, caps_here);

/* CPUID.80000022H "Extended Performance Monitoring and Debug": EAX. */
#define CAPS_LEAF_AMD		0x80000022
#define CAPS_AMD_PERFMON_V2	BIT(0)
#define CAPS_AMD_LBR_V2		BIT(1)
#define CAPS_AMD_LBR_FREEZE	BIT(2)

/* CPUID.07H.0:EDX. */
#define CAPS_RTM_ALWAYS_ABORT	BIT(11)
#define CAPS_TSX_FORCE_ABORT	BIT(13)

static const u32 caps_extra[CAPS_EXTRA_MAX] = {
	CAPS_MSR_OFFCORE_0, CAPS_MSR_OFFCORE_1, CAPS_MSR_FRONTEND,
};

static void ls_caps_probe_extra(struct ls_caps *caps)
{
	u64 value;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(caps_extra); i++)
		if (!rdmsrl_safe(caps_extra[i], &value))
			caps->extra |= BIT(i);
}

bool ls_caps_has_extra(const struct ls_caps *caps, u32 msr)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(caps_extra); i++)
		if (caps_extra[i] == msr)
			return caps->extra & BIT(i);
	return false;
}

u64 ls_caps_counters(const struct ls_caps *caps)
{
	return ((BIT_ULL(caps->gp_counters) - 1) & ~(u64)caps->gp_reserved) |
	       (BIT_ULL(caps->fixed_counters) - 1) << PMU_FIXED;
}

/*
 * The microcode that works around the memory ordering of TSX uses general counter 3,
 * unless IA32_TSX_FORCE_ABORT[0] makes all transactions abort.  That bit is perf's and
 * the administrator's choice, so the counter is never used here.  Newer microcode,
 * with CPUID.RTM_ALWAYS_ABORT, aborts all and leaves the counter alone
 * (intel_pmu_init() in arch/x86/events/intel/core.c; Intel, "Performance Monitoring
 * Impact of Intel Transactional Synchronization Extension Memory Ordering Issue").
 */
static u32 ls_caps_reserved_by_tsx(void)
{
	u32 eax, ebx, ecx, edx;

	if (boot_cpu_data.cpuid_level < 7)
		return 0;
	cpuid_count(7, 0, &eax, &ebx, &ecx, &edx);
	if (edx & CAPS_TSX_FORCE_ABORT && !(edx & CAPS_RTM_ALWAYS_ABORT))
		return BIT(3);
	return 0;
}

/*
 * CPUID leaf 0AH, SDM vol. 3 "Architectural Performance Monitoring".  On a hybrid CPU it
 * describes the core that executes CPUID, or what all cores have in common.
 */
static void ls_caps_probe_intel_pmu(struct ls_caps *caps)
{
	u32 eax, ebx, ecx, edx;

	if (boot_cpu_data.cpuid_level < 0xa)
		return;
	cpuid(0xa, &eax, &ebx, &ecx, &edx);
	caps->pmu_version = eax & 0xff;
	caps->gp_counters = min_t(u32, eax >> 8 & 0xff, PMU_GENERAL_MAX);
	caps->gp_width = (eax >> 16) & 0xff;
	if (caps->pmu_version > 1) {
		caps->fixed_counters = min_t(u32, edx & 0x1f, PMU_FIXED_MAX);
		caps->fixed_width = edx >> 5 & 0xff;
	}
	/* EDX[15]: deprecated. */
	caps->any_thread = caps->pmu_version >= 3 && !(edx & BIT(15));
	/* EAX[31:24]: the number of events that EBX describes. */
	caps->absent = ebx & (BIT(min_t(u32, eax >> 24, 31)) - 1);
	caps->gp_reserved = ls_caps_reserved_by_tsx();
	ls_caps_probe_extra(caps);
}

/*
 * APM vol. 2 "Performance Monitoring Counters": six counters; with PerfMonV2 the number is
 * in the leaf.  A hypervisor may hide the core extension, as QEMU does for its first EPYC:
 * then there are the four old ones (amd_core_pmu_init() in arch/x86/events/amd/core.c).
 */
static void ls_caps_probe_amd_pmu(struct ls_caps *caps)
{
	u32 eax, ebx, ecx, edx;

	caps->pmu_version = 1;
	caps->gp_width = 48;
	caps->gp_counters = boot_cpu_has(X86_FEATURE_PERFCTR_CORE) ? 6 : 4;
	if (boot_cpu_data.extended_cpuid_level < CAPS_LEAF_AMD)
		return;
	cpuid(CAPS_LEAF_AMD, &eax, &ebx, &ecx, &edx);
	if (eax & CAPS_AMD_PERFMON_V2) {
		caps->pmu_version = 2;
		caps->gp_counters = ebx & 0xf;
	}
	if (eax & CAPS_AMD_LBR_V2) {
		caps->lbr = CAPS_LBR_AMD;
		caps->lbr_format = LBRSCOPE_LBR_FORMAT_AMD;
		caps->lbr_depth = min_t(u32, ebx >> 4 & 0x3f, LBR_DEPTH_MAX);
		caps->lbr_filter = true;
		caps->lbr_freeze = eax & CAPS_AMD_LBR_FREEZE;
	}
}

/* CPUID leaf 1AH: the type of this core, on a hybrid CPU. */
static void ls_caps_probe_core(struct ls_caps *caps)
{
	if (boot_cpu_data.cpuid_level >= 0x1a)
		caps->core = cpuid_eax(0x1a) >> 24;
}

/*
 * The cores before Nehalem and Silvermont, of those that intel_pmu_init() in
 * arch/x86/events/intel/core.c knows.  Their family and model decide and not the version of
 * the PMU: hypervisors show newer CPUs with version 1.  Before these there is no leaf 0AH.
 */
static bool ls_caps_is_old_intel(void)
{
	switch (boot_cpu_data.x86_model) {
	case 0x0e:					/* Core */
	case 0x0f: case 0x16: case 0x17: case 0x1d:	/* Core 2 */
	case 0x1c: case 0x26: case 0x27: case 0x35: case 0x36:	/* Bonnell */
		return boot_cpu_data.x86 == 6;
	}
	return false;
}

/* Returns why the counters of this CPU are not used, or NULL. */
static const char *ls_caps_too_old(void)
{
	switch (boot_cpu_data.x86_vendor) {
	case X86_VENDOR_INTEL:
		if (ls_caps_is_old_intel())
			return "the counters of Intel's cores before Nehalem and Silvermont are not supported";
		break;
	case X86_VENDOR_AMD:
		if (boot_cpu_data.x86 < 0x17)
			return "the counters of AMD's CPUs before family 17h (Zen) are not supported";
		break;
	}
	return NULL;
}

/*
 * Fills in the capabilities of the CPU that this runs on.  Zhaoxin's CPUs are left out:
 * they have Intel's leaf, but nothing is known of the rest.
 */
static void ls_caps_probe_here(struct ls_caps *caps)
{
	memset(caps, 0, sizeof(*caps));
	strscpy(caps->vendor, boot_cpu_data.x86_vendor_id, sizeof(caps->vendor));
	caps->family = boot_cpu_data.x86;
	caps->model = boot_cpu_data.x86_model;
	caps->stepping = boot_cpu_data.x86_stepping;
	caps->no_pmu = ls_caps_too_old();
	if (caps->no_pmu)
		return;
	switch (boot_cpu_data.x86_vendor) {
	case X86_VENDOR_INTEL:
		ls_caps_probe_core(caps);
		ls_caps_probe_intel_pmu(caps);
		if (caps->gp_counters)
			ls_caps_lbr_probe_intel(caps);
		break;
	case X86_VENDOR_AMD:
	case X86_VENDOR_HYGON:
		ls_caps_probe_amd_pmu(caps);
		break;
	}
	caps->gp_claim = caps->gp_counters;
}

static struct ls_caps_type *ls_caps_find_type(const struct ls_caps *caps)
{
	u32 i;

	for (i = 0; i < ls_caps_nr_types; i++)
		if (!memcmp(&ls_caps_types[i].caps, caps, sizeof(*caps)))
			return &ls_caps_types[i];
	return NULL;
}

/* Adds this CPU to its type.  found: a new type is added if it has none. */
static void ls_caps_join_type(bool found)
{
	struct ls_caps_type *type;
	struct ls_caps caps;

	ls_caps_probe_here(&caps);
	type = ls_caps_find_type(&caps);
	if (!type && found && ls_caps_nr_types < CAPS_TYPES_MAX) {
		type = &ls_caps_types[ls_caps_nr_types++];
		memcpy(&type->caps, &caps, sizeof(caps));
	}
	if (!type)
		return;
	cpumask_set_cpu(smp_processor_id(), &type->cpus);
	__this_cpu_write(caps_here, &type->caps);
}

static void ls_caps_found(void *unused)
{
	ls_caps_join_type(true);
}

void ls_caps_cpu_up(void)
{
	if (!__this_cpu_read(caps_here))
		ls_caps_join_type(false);
}

const struct ls_caps *ls_caps_here(void)
{
	return __this_cpu_read(caps_here);
}

static bool ls_caps_same_lbr(const struct ls_caps *a, const struct ls_caps *b)
{
	return a->lbr == b->lbr && a->lbr_format == b->lbr_format &&
	       a->lbr_depth == b->lbr_depth && a->lbr_from == b->lbr_from &&
	       a->lbr_xsaves == b->lbr_xsaves && a->lbr_info == b->lbr_info &&
	       a->lbr_packs == b->lbr_packs &&
	       a->lbr_filter == b->lbr_filter &&
	       a->lbr_freeze == b->lbr_freeze && a->call_stack == b->call_stack;
}

/*
 * Branch records are used only if all cores have the same kind: a task takes its records
 * from core to core, and the samples of a capture have one format.  perf has the same
 * restriction.
 */
static void ls_caps_drop_lbr(struct ls_caps *caps)
{
	caps->lbr_differs = true;
	caps->lbr = CAPS_LBR_NONE;
	caps->lbr_format = LBRSCOPE_LBR_FORMAT_NONE;
	caps->lbr_depth = 0;
	caps->call_stack = false;
}

/* Reduces all to what both have. */
static void ls_caps_join(struct ls_caps *all, const struct ls_caps *one)
{
	if (!ls_caps_same_lbr(all, one))
		ls_caps_drop_lbr(all);
	/* ls_pmu_mask() has one width for all CPUs. */
	if (all->gp_width != one->gp_width ||
	    all->fixed_width != one->fixed_width)
		all->no_pmu = "the cores' counters are of different widths";
	all->pmu_version = max(all->pmu_version, one->pmu_version);
	all->gp_counters = min(all->gp_counters, one->gp_counters);
	all->gp_claim = max(all->gp_claim, one->gp_claim);
	all->gp_reserved |= one->gp_reserved;
	all->fixed_counters = min(all->fixed_counters, one->fixed_counters);
	all->extra &= one->extra;
	all->absent |= one->absent;
	all->any_thread &= one->any_thread;
	if (all->core != one->core)
		all->core = 0;
}

bool ls_caps_shares_core(const struct cpumask *cpus, u32 cpu)
{
	int sibling;

	for_each_cpu(sibling, topology_sibling_cpumask(cpu))
		if (sibling != cpu && cpu_online(sibling) &&
		    (!cpus || cpumask_test_cpu(sibling, cpus)))
			return true;
	return false;
}

static bool ls_caps_share_cores(const struct cpumask *cpus)
{
	int cpu;

	for_each_online_cpu(cpu)
		if ((!cpus || cpumask_test_cpu(cpu, cpus)) &&
		    ls_caps_shares_core(cpus, cpu))
			return true;
	return false;
}

void ls_caps_common(const struct cpumask *cpus, struct ls_caps *common)
{
	bool first = true;
	u32 i;

	*common = ls_caps;
	for (i = 0; i < ls_caps_nr_types; i++) {
		const struct ls_caps_type *type = &ls_caps_types[i];

		if (cpus && !cpumask_intersects(cpus, &type->cpus))
			continue;
		if (first)
			*common = type->caps;
		else
			ls_caps_join(common, &type->caps);
		first = false;
	}
	common->smt = ls_caps_share_cores(cpus);
}

void ls_caps_lack_pmu(const char *why)
{
	/* The branch records have no owner but that of the counters. */
	ls_caps_drop_lbr(&ls_caps);
	ls_caps.lbr_differs = false;
	ls_caps.no_pmu = why;
}

/*
 * The kernel's reservation of counters does not cover PerfMon version 6: two owners
 * would program the same registers.  PREEMPT_RT cannot allocate with preemption off
 * (Documentation/locking/locktypes.rst), as the probe of a fork has to.
 */
static void ls_caps_check(void)
{
	if (ls_caps.no_pmu)
		ls_caps_lack_pmu(ls_caps.no_pmu);
	else if (!ls_caps.pmu_version || !ls_caps.gp_counters)
		ls_caps_lack_pmu("this CPU, or this virtual machine, has no performance counters");
	else if (ls_caps.pmu_version > 5)
		ls_caps_lack_pmu("PerfMon versions after 5 cannot be reserved from perf");
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		ls_caps.unsupported = "this is a PREEMPT_RT kernel, which cannot allocate memory in the probe of a fork";
}

/*
 * Returns 0, or -ENODEV where the CPU's registers are not the kernel's.  The CPUs are probed one
 * after the other, so that the list of types needs no lock.
 */
int ls_caps_probe(void)
{
	int cpu;

	/*
	 * Xen has the counters and their interrupts: in a guest RDMSR and WRMSR of them
	 * trap, and Xen's guests use perf by hypercalls (arch/x86/xen/pmu.c).
	 */
	if (boot_cpu_has(X86_FEATURE_XENPV)) {
		pr_err("this is a paravirtual Xen guest (PV), where the hypervisor has the performance counters: use an HVM or PVH guest, or another machine\n");
		return -ENODEV;
	}
	cpus_read_lock();
	for_each_online_cpu(cpu)
		smp_call_function_single(cpu, ls_caps_found, NULL, 1);
	cpus_read_unlock();
	ls_caps_common(NULL, &ls_caps);
	ls_caps_check();
	return 0;
}
