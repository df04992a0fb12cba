// SPDX-License-Identifier: GPL-2.0
/* What exists, what is reserved, what reads back. */
#include <linux/kernel.h>
#include "fidelity.h"

#define MISC_ENABLE	0x1a0
#define PERF_CAP	0x345
#define OFFCORE_RSP(i)	(0x1a6 + (i))
#define FRONTEND	0x3f7	/* in the group of PEBS, but not of it */

/* SDM vol. 4: registers of other CPUs, or of features that are not there */
static const struct {
	u32 on;
	u32 msr;
} absent[] = {
	{ ALL, 0x040 }, { ALL, 0x060 },		/* LBR before Nehalem */
	{ ALL, 0x30c }, { ALL, 0x329 },		/* fixed counter 3, PERF_METRICS */
	{ ALL, 0x3f1 }, { ALL, 0x3f2 }, { ALL, 0x3f6 },	/* PEBS */
	{ HASWELL | NEHALEM, FRONTEND },
	{ ALL, 0x560 }, { ALL, 0x570 }, { ALL, 0x580 }, { ALL, 0x600 },	/* PT, DS area */
	{ ALL, 0x6a0 }, { ALL, 0x6bf },		/* LBR entries beyond the depth */
	{ HASWELL | NEHALEM, LBR_FROM(16) }, { HASWELL | NEHALEM, LBR_TO(16) },
	{ HASWELL | NEHALEM, LBR_INFO(0) }, { HASWELL | NEHALEM, LBR_INFO(15) },
	{ HASWELL | NEHALEM, STATUS_SET }, { HASWELL | NEHALEM, GLOBAL_INUSE },
	{ NEHALEM, A_PMC(0) }, { NEHALEM, A_PMC(3) },
	{ NEHALEM, PMC(4) }, { NEHALEM, EVTSEL(4) }, { NEHALEM, OFFCORE_RSP(1) },
	{ LEGACY_LBR, LBR_CTL }, { LEGACY_LBR, ARCH_DEPTH }, { LEGACY_LBR, ARCH_FROM(0) },
	{ LEGACY_LBR, ARCH_TO(0) }, { LEGACY_LBR, ARCH_INFO(0) },
	{ SAPPHIRERAPIDS, LBR_SELECT }, { SAPPHIRERAPIDS, LBR_TOS }, { SAPPHIRERAPIDS, LBR_FROM(0) },
	{ SAPPHIRERAPIDS, LBR_TO(0) }, { SAPPHIRERAPIDS, LBR_INFO(0) },
};

static const u32 of_any_pmu[] = {
	PMC(0), PMC(7), A_PMC(0), A_PMC(7), EVTSEL(0), EVTSEL(7), FIXED(0),
	FIXED(2), PERF_CAP, FIXED_CTRL, GLOBAL_STATUS, GLOBAL_CTRL,
	STATUS_RESET, STATUS_SET, GLOBAL_INUSE, LBR_SELECT, LBR_TOS, FRONTEND,
	LBR_FROM(0), LBR_FROM(31), LBR_TO(0), LBR_INFO(0), OFFCORE_RSP(0),
	LBR_CTL, ARCH_DEPTH, ARCH_FROM(0), ARCH_TO(0), ARCH_INFO(0),
};

#define KERNEL_ADDRESS	0xffff800012345678ULL
#define USER_ADDRESS	0x00007fff12345678ULL
#define ANY_THREAD	(SKYLAKE | HASWELL | NEHALEM)
#define SINCE_SNB	(SKYLAKE | HASWELL | SAPPHIRERAPIDS)

/* writes, and what is read afterwards */
static const struct {
	u32 on;
	u32 msr;
	u64 value, reads;
} good[] = {
	{ ANY_THREAD, EVTSEL(0), 0xffa700c0, 0xffa700c0 },	/* ANY, INV, CMASK, no EN */
	{ SAPPHIRERAPIDS, EVTSEL(0), 0xff8700c0, 0xff8700c0 },	/* ANY is gone */
	{ SINCE_SNB, EVTSEL(0), 0x000800c0, 0x000000c0 },	/* PC: not writeable */
	{ NEHALEM, EVTSEL(0), 0x000800c0, 0x000800c0 },
	{ ALL, EVTSEL(3), 0x000420c4, 0x000420c4 },		/* EDGE */
	{ SINCE_SNB, EVTSEL(7), 0x000420c4, 0x000420c4 },
	{ ANY_THREAD, FIXED_CTRL, 0xfff, 0xfff },
	{ SAPPHIRERAPIDS, FIXED_CTRL, 0xbbb, 0xbbb },
	{ ALL, FIXED_CTRL, 0, 0 },
	{ ALL, PMC(0), 0x7fffffff, 0x7fffffff },
	{ ALL, PMC(0), 0x80000000, 0xffff80000000 },		/* sign of bit 31 */
	{ ALL, PMC(0), 0x1200000001, 1 },			/* bits 63:32 ignored */
	{ SINCE_SNB, A_PMC(0), 0xffffffffffff, 0xffffffffffff },
	{ SINCE_SNB, A_PMC(7), 0x123456789abc, 0x123456789abc },
	{ ALL, FIXED(0), 0xffffffffffff, 0xffffffffffff },
	{ ALL, FIXED(2), 0, 0 },
	{ SINCE_SNB, GLOBAL_CTRL, 0x7000000ff, 0x7000000ff },
	{ NEHALEM, GLOBAL_CTRL, 0x70000000f, 0x70000000f },
	{ ALL, GLOBAL_CTRL, 0, 0 },
	{ ALL, DEBUGCTL, DEBUGCTL_FREEZE_LBRS | DEBUGCTL_FREEZE_PERFMON, 0x1800 },
	{ ALL, DEBUGCTL, 0, 0 },
	{ SKYLAKE | HASWELL, LBR_SELECT, 0x3ff, 0x3ff },
	{ NEHALEM, LBR_SELECT, 0x1ff, 0x1ff },
	{ SKYLAKE, LBR_TOS, 31, 31 },
	{ HASWELL | NEHALEM, LBR_TOS, 15, 15 },
	{ SKYLAKE, LBR_FROM(31), KERNEL_ADDRESS, KERNEL_ADDRESS },
	/* MISPRED is bit 63; without TSX WRMSR takes 62:61 for the address's sign */
	{ HASWELL | NEHALEM, LBR_FROM(0), KERNEL_ADDRESS, KERNEL_ADDRESS },
	{ HASWELL | NEHALEM, LBR_FROM(1), KERNEL_ADDRESS & ~BIT_ULL(63), KERNEL_ADDRESS & ~BIT_ULL(63) },
	{ HASWELL | NEHALEM, LBR_FROM(2), USER_ADDRESS, USER_ADDRESS },
	{ HASWELL | NEHALEM, LBR_FROM(15), USER_ADDRESS | BIT_ULL(63), USER_ADDRESS | BIT_ULL(63) },
	{ LEGACY_LBR, LBR_TO(0), USER_ADDRESS, USER_ADDRESS },
	{ SKYLAKE, LBR_INFO(5), BIT_ULL(63) | 0xffff, BIT_ULL(63) | 0xffff },
	{ SAPPHIRERAPIDS, LBR_CTL, 0x7f000f, 0x7f000f },
	{ SAPPHIRERAPIDS, LBR_CTL, 0, 0 },
	{ SAPPHIRERAPIDS, ARCH_FROM(0), KERNEL_ADDRESS, KERNEL_ADDRESS },
	{ SAPPHIRERAPIDS, ARCH_TO(31), USER_ADDRESS, USER_ADDRESS },
	/* bits above the linear address width (57 here) are ignored */
	{ SAPPHIRERAPIDS, ARCH_FROM(1), BIT_ULL(62) | USER_ADDRESS, USER_ADDRESS },
	{ SAPPHIRERAPIDS, ARCH_TO(1), BIT_ULL(56), 0xff00000000000000 },
	{ SAPPHIRERAPIDS, ARCH_INFO(31), 0xff0000000000ffff, 0xff0000000000ffff },
	/* bits 55:16 do not fault and need not be kept; they are not (by choice) */
	{ SAPPHIRERAPIDS, ARCH_INFO(2), BIT_ULL(40) | 1, 1 },
	{ ALL, OFFCORE_RSP(0), 0x11, 0x11 },
	{ SINCE_SNB, OFFCORE_RSP(1), 0x11, 0x11 },
	{ VERSION_4, FRONTEND, 0x7fff17, 0x7fff17 },
	{ VERSION_4, FRONTEND, 0, 0 },
};

static const struct {
	u32 on;
	u32 msr;
	u64 value;
} bad[] = {
	{ ALL, EVTSEL(0), BIT_ULL(32) }, { ALL, EVTSEL(3), BIT_ULL(63) },
	{ SAPPHIRERAPIDS, EVTSEL(0), BIT_ULL(21) },	/* ANY (by choice) */
	{ ALL, FIXED_CTRL, BIT_ULL(12) },
	{ SAPPHIRERAPIDS, FIXED_CTRL, BIT_ULL(2) }, { SAPPHIRERAPIDS, FIXED_CTRL, BIT_ULL(10) },
	{ SINCE_SNB, A_PMC(0), BIT_ULL(48) }, { SINCE_SNB, A_PMC(0), ~0ULL },
	{ ALL, FIXED(1), BIT_ULL(48) },
	{ SINCE_SNB, GLOBAL_CTRL, BIT_ULL(8) }, { NEHALEM, GLOBAL_CTRL, BIT_ULL(4) },
	{ ALL, GLOBAL_CTRL, BIT_ULL(35) }, { ALL, GLOBAL_CTRL, BIT_ULL(48) },
	{ ALL, GLOBAL_STATUS, 0 }, { VERSION_4, GLOBAL_INUSE, 0 }, { ALL, PERF_CAP, 0 },
	{ SINCE_SNB, STATUS_RESET, BIT_ULL(8) }, { NEHALEM, STATUS_RESET, BIT_ULL(4) },
	{ ALL, STATUS_RESET, BIT_ULL(55) },
	{ HASWELL | NEHALEM, STATUS_RESET, STATUS_LBR_FRZ }, { HASWELL | NEHALEM, STATUS_RESET, STATUS_CTR_FRZ },
	{ VERSION_4, STATUS_SET, BIT_ULL(8) }, { VERSION_4, STATUS_SET, BIT_ULL(63) },
	{ ALL, DEBUGCTL, BIT_ULL(6) }, { ALL, DEBUGCTL, BIT_ULL(7) },
	{ ALL, DEBUGCTL, BIT_ULL(14) }, { ALL, DEBUGCTL, BIT_ULL(15) },
	{ ALL, DEBUGCTL, BIT_ULL(16) },
	{ SKYLAKE | HASWELL, LBR_SELECT, BIT_ULL(10) }, { NEHALEM, LBR_SELECT, BIT_ULL(9) },
	{ LEGACY_LBR, LBR_SELECT, BIT_ULL(63) },
	{ SKYLAKE, LBR_TOS, 32 }, { HASWELL | NEHALEM, LBR_TOS, 16 },
	{ LEGACY_LBR, LBR_FROM(0), BIT_ULL(62) }, { LEGACY_LBR, LBR_FROM(0), BIT_ULL(61) },
	{ SKYLAKE, LBR_FROM(0), BIT_ULL(63) },
	{ LEGACY_LBR, LBR_FROM(0), KERNEL_ADDRESS & ~BIT_ULL(61) },
	{ LEGACY_LBR, LBR_FROM(0), KERNEL_ADDRESS & ~BIT_ULL(62) },
	{ LEGACY_LBR, LBR_FROM(15), KERNEL_ADDRESS & ~BIT_ULL(60) },
	{ LEGACY_LBR, LBR_TO(0), BIT_ULL(63) }, { LEGACY_LBR, LBR_TO(15), 0x800000000000 },
	{ SAPPHIRERAPIDS, LBR_CTL, BIT_ULL(4) }, { SAPPHIRERAPIDS, LBR_CTL, BIT_ULL(15) },
	{ SAPPHIRERAPIDS, LBR_CTL, BIT_ULL(23) }, { SAPPHIRERAPIDS, LBR_CTL, BIT_ULL(63) },
	{ VERSION_4, FRONTEND, BIT_ULL(3) }, { VERSION_4, FRONTEND, BIT_ULL(23) },
	{ ALL, OFFCORE_RSP(0), BIT_ULL(63) }, { NEHALEM, OFFCORE_RSP(0), BIT_ULL(16) },
};

static void check_cpuid(void)
{
	u32 eax, ebx, ecx, edx;
	u64 misc = get(MISC_ENABLE);

	cpuid(0xa, &eax, &ebx, &ecx, &edx);
	check_is(model->cpuid_a[0], eax, "CPUID.0AH: version, general counters, number of events");
	check_is(model->cpuid_a[1], ebx, "CPUID.0AH: no event is missing");
	check_is(model->cpuid_a[2], ecx, "CPUID.0AH: which fixed counters");
	check_is(model->cpuid_a[3], edx, "CPUID.0AH: fixed counters");
	cpuid(1, &eax, &ebx, &ecx, &edx);
	check_is(BIT(15), ecx & (BIT(15) | BIT(2)), "CPUID.01H: PDCM, no DTES64");
	check_is(0, edx & BIT(21), "CPUID.01H: no DS");
	check_is(model->perf_cap, get(PERF_CAP), "PERF_CAPABILITIES: LBR format, full-width writes, nothing else");
	check_is(BIT(7) | BIT(11) | BIT(12), misc & (BIT(7) | BIT(11) | BIT(12)),
		 "MISC_ENABLE: PMU there, BTS and PEBS not");
	set(MISC_ENABLE, misc ^ (BIT(7) | BIT(11) | BIT(12)));
	check_is(misc, get(MISC_ENABLE), "MISC_ENABLE: these bits are read-only");
}

/* CPUID.07H:EDX[19] and leaf 1CH: the architectural LBR */
static void check_cpuid_lbr(void)
{
	u32 eax, ebx, ecx, edx;

	cpuid_count(7, 0, &eax, &ebx, &ecx, &edx);
	check_is(on(SAPPHIRERAPIDS), edx >> 19 & 1, "CPUID.07H: the architectural LBR");
	if (!on(SAPPHIRERAPIDS))
		return;
	cpuid_count(0x1c, 0, &eax, &ebx, &ecx, &edx);
	check_is(0x4000000b, eax, "CPUID.1CH: depths 8, 16, 32; lost in deep C-states");
	check_is(7, ebx, "CPUID.1CH: filters by level and kind, call-stack mode");
	check_is(7, ecx, "CPUID.1CH: mispredictions, cycles, types");
	check_is(0, edx, "CPUID.1CH: EDX is reserved");
}

static bool is_absent(u32 msr)
{
	u64 value;
	bool absent = try_get(msr, &value) && try_set(msr, 0);

	if (!absent)
		note("# MSR 0x%x", msr);
	return absent;
}

static void check_absent(void)
{
	int i, wrong = 0;

	for (i = 0; i < ARRAY_SIZE(absent); i++)
		wrong += on(absent[i].on) && !is_absent(absent[i].msr);
	check_is(0, wrong, "registers that the model lacks raise #GP");
}

static void check_good(void)
{
	u64 value;
	int i, wrong = 0;

	for (i = 0; i < ARRAY_SIZE(good); i++) {
		if (!on(good[i].on))
			continue;
		value = ~good[i].reads;
		if (try_set(good[i].msr, good[i].value) || try_get(good[i].msr, &value) || value != good[i].reads) {
			wrong++;
			note("# MSR 0x%x: wrote 0x%llx, read 0x%llx", good[i].msr, good[i].value, value);
		}
	}
	check_is(0, wrong, "what is written reads back");
	quiet();
}

static void check_bad(void)
{
	int i, wrong = 0;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		if (on(bad[i].on) && !try_set(bad[i].msr, bad[i].value)) {
			wrong++;
			note("# MSR 0x%x took 0x%llx", bad[i].msr, bad[i].value);
		}
	}
	check_is(0, wrong, "reserved bits and read-only registers raise #GP");
}

static void check_rdpmc(void)
{
	u64 value;
	int i, wrong = 0;

	for (i = 0; i < model->gp; i++) {
		set_pmc(i, 0x2bcdef00 + i);
		wrong += try_rdpmc(i, &value) || value != 0x2bcdef00 + i;
	}
	for (i = 0; i < model->fixed; i++) {
		set(FIXED(i), 0x123456000000 + i);
		wrong += try_rdpmc(BIT(30) | i, &value) || value != 0x123456000000 + i;
	}
	set_pmc(1, MINUS(5));
	wrong += try_rdpmc(1, &value) || value != MINUS(5);
	check_is(0, wrong, "RDPMC reads all counters");
	check(try_rdpmc(model->gp, &value) && try_rdpmc(BIT(30) | model->fixed, &value) &&
	      try_rdpmc(BIT(31), &value) && try_rdpmc(BIT(31) | BIT(30) | 1, &value) && try_rdpmc(BIT(29), &value),
	      "RDPMC of what is not there raises #GP");
	quiet();
}

/* SDM vol. 3B, "IA32_PERF_GLOBAL_STATUS_RESET and IA32_PERF_GLOBAL_STATUS_SET" */
static void check_status(void)
{
	u64 all = 0x7000000ffULL | STATUS_LBR_FRZ | STATUS_CTR_FRZ | BIT_ULL(61) | BIT_ULL(62);

	pmi.hits = 0;
	set(STATUS_SET, all);
	check_is(all, get(GLOBAL_STATUS), "STATUS_SET sets");
	set(STATUS_RESET, 0x5);
	check_is(all & ~0x5ULL, get(GLOBAL_STATUS), "STATUS_RESET clears what is given and no more");
	set(STATUS_RESET, all);
	check_is(0, get(GLOBAL_STATUS), "STATUS_RESET clears all");
	check_is(0, pmi.hits, "STATUS_SET raises no PMI");
}

/* Version 3: IA32_PERF_GLOBAL_OVF_CTRL clears what overflows have set. */
static void check_ovf_ctrl(void)
{
	u64 value;

	set(EVTSEL(0), EV_INSTRUCTIONS | SEL_OS | SEL_EN);
	set(EVTSEL(1), EV_INSTRUCTIONS | SEL_OS | SEL_EN);
	set_pmc(0, MINUS(1));
	set_pmc(1, MINUS(1));
	set(FIXED_CTRL, 1);
	set(FIXED(0), MINUS(1));
	snip_nops(GLOBAL_CTRL, 3 | BIT_ULL(32));
	check_is(3 | BIT_ULL(32), get(GLOBAL_STATUS), "STATUS: three overflows");
	set(STATUS_RESET, 1 | BIT_ULL(62) | BIT_ULL(63));
	check_is(2 | BIT_ULL(32), get(GLOBAL_STATUS), "OVF_CTRL clears what is given and no more");
	set(STATUS_RESET, 2 | BIT_ULL(32));
	check_is(0, get(GLOBAL_STATUS), "OVF_CTRL clears the rest");
	check(!try_get(STATUS_RESET, &value) && !value, "OVF_CTRL reads as 0 (by choice)");
	quiet();
}

static void check_inuse(void)
{
	check_is(0, get(GLOBAL_INUSE), "INUSE: nothing");
	set(EVTSEL(3), EV_BRANCHES);
	set(FIXED_CTRL, 2 << 4);
	check_is(BIT_ULL(3) | BIT_ULL(33), get(GLOBAL_INUSE), "INUSE: an event, a fixed counter");
	set(EVTSEL(3), EV_BRANCHES | SEL_INT);
	check_is(BIT_ULL(3) | BIT_ULL(33) | BIT_ULL(63), get(GLOBAL_INUSE), "INUSE: the PMI");
	quiet();
}

void registers_check(void)
{
	quiet();
	check_cpuid();
	check_cpuid_lbr();
	check_absent();
	check_good();
	check_bad();
	check_rdpmc();
	if (on(VERSION_4)) {
		check_status();
		check_inuse();
	} else {
		check_ovf_ctrl();
	}
}

/* On a CPU without a PMU. */
void absence_check(void)
{
	u32 eax, ebx, ecx, edx;
	u64 value;
	int i, wrong = 0;

	cpuid(0xa, &eax, &ebx, &ecx, &edx);
	check_is(0, eax | ebx | ecx | edx, "CPUID.0AH: nothing");
	cpuid(1, &eax, &ebx, &ecx, &edx);
	check_is(0, ecx & BIT(15), "CPUID.01H: no PDCM");
	check_is(BIT(11) | BIT(12), get(MISC_ENABLE) & (BIT(7) | BIT(11) | BIT(12)), "MISC_ENABLE: no PMU, BTS, PEBS");
	for (i = 0; i < ARRAY_SIZE(absent); i++)
		wrong += !is_absent(absent[i].msr);
	for (i = 0; i < ARRAY_SIZE(of_any_pmu); i++)
		wrong += !is_absent(of_any_pmu[i]);
	check_is(0, wrong, "registers of a PMU raise #GP");
	check(try_set(DEBUGCTL, DEBUGCTL_LBR), "DEBUGCTL has no LBR bit");
	check(try_rdpmc(0, &value) && try_rdpmc(BIT(30), &value), "RDPMC raises #GP");
}
