// SPDX-License-Identifier: GPL-2.0
/* What exists, what is reserved, what reads back. */
#include <linux/kernel.h>
#include <asm/processor.h>
#include "fidelity.h"

#define MISC_ENABLE	0x1a0
#define PERF_CAP	0x345

/* SDM vol. 4: registers of other CPUs, or of features that are not there */
static const u32 absent[] = {
	0x040, 0x060,			/* LBR before Nehalem */
	0x30c, 0x329,			/* fixed counter 3, PERF_METRICS */
	0x3f1, 0x3f2, 0x3f6, 0x3f7,	/* PEBS */
	0x560, 0x570, 0x580, 0x600,	/* PT, DS area */
	0x6a0, 0x6bf,			/* LBR entries beyond the depth */
	0x14ce, 0x14cf, 0x1500, 0x1600, 0x1200, /* architectural LBR */
};

static const u32 of_any_pmu[] = {
	PMC(0), PMC(7), A_PMC(0), A_PMC(7), EVTSEL(0), EVTSEL(7), FIXED(0),
	FIXED(2), PERF_CAP, FIXED_CTRL, GLOBAL_STATUS, GLOBAL_CTRL,
	STATUS_RESET, STATUS_SET, GLOBAL_INUSE, LBR_SELECT, LBR_TOS,
	LBR_FROM(0), LBR_FROM(31), LBR_TO(0), LBR_INFO(0), 0x1a6,
};

/* writes, and what is read afterwards (by WIDTH_MASK where it matters) */
static const struct {
	u32 msr;
	u64 value, reads;
} good[] = {
	{ EVTSEL(0), 0xffa700c0, 0xffa700c0 },	/* ANY, INV, CMASK, no EN */
	{ EVTSEL(0), 0x000800c0, 0x000000c0 },	/* PC: not writeable */
	{ EVTSEL(7), 0x000420c4, 0x000420c4 },	/* EDGE */
	{ FIXED_CTRL, 0xfff, 0xfff },
	{ FIXED_CTRL, 0, 0 },
	{ PMC(0), 0x7fffffff, 0x7fffffff },
	{ PMC(0), 0x80000000, 0xffff80000000 },	/* sign of bit 31 */
	{ PMC(0), 0x1200000001, 1 },		/* bits 63:32 ignored */
	{ A_PMC(0), 0xffffffffffff, 0xffffffffffff },
	{ A_PMC(7), 0x123456789abc, 0x123456789abc },
	{ FIXED(0), 0xffffffffffff, 0xffffffffffff },
	{ FIXED(2), 0, 0 },
	{ GLOBAL_CTRL, 0x7000000ff, 0x7000000ff },
	{ GLOBAL_CTRL, 0, 0 },
	{ DEBUGCTL, DEBUGCTL_FREEZE_LBRS | DEBUGCTL_FREEZE_PERFMON, 0x1800 },
	{ DEBUGCTL, 0, 0 },
	{ LBR_SELECT, 0x3ff, 0x3ff },
	{ LBR_TOS, 31, 31 },
	{ LBR_FROM(31), 0xffff800012345678, 0xffff800012345678 },
	{ LBR_TO(0), 0x7fff12345678, 0x7fff12345678 },
	{ LBR_INFO(5), BIT_ULL(63) | 0xffff, BIT_ULL(63) | 0xffff },
	{ 0x1a6, 0x11, 0x11 },			/* MSR_OFFCORE_RSP_0 */
};

static const struct {
	u32 msr;
	u64 value;
} bad[] = {
	{ EVTSEL(0), BIT_ULL(32) }, { EVTSEL(7), BIT_ULL(63) },
	{ FIXED_CTRL, BIT_ULL(12) },
	{ A_PMC(0), BIT_ULL(48) }, { A_PMC(0), ~0ULL },
	{ FIXED(1), BIT_ULL(48) },
	{ GLOBAL_CTRL, BIT_ULL(8) }, { GLOBAL_CTRL, BIT_ULL(35) },
	{ GLOBAL_CTRL, BIT_ULL(48) },
	{ GLOBAL_STATUS, 0 }, { GLOBAL_INUSE, 0 }, { PERF_CAP, 0 },
	{ STATUS_RESET, BIT_ULL(8) }, { STATUS_RESET, BIT_ULL(55) },
	{ STATUS_SET, BIT_ULL(8) }, { STATUS_SET, BIT_ULL(63) },
	{ DEBUGCTL, BIT_ULL(6) }, { DEBUGCTL, BIT_ULL(7) },
	{ DEBUGCTL, BIT_ULL(14) }, { DEBUGCTL, BIT_ULL(15) },
	{ DEBUGCTL, BIT_ULL(16) },
	{ LBR_SELECT, BIT_ULL(10) }, { LBR_SELECT, BIT_ULL(63) },
	{ LBR_TOS, 32 }, { LBR_FROM(0), BIT_ULL(62) },
	{ LBR_TO(31), 0x800000000000 }, { 0x1a6, BIT_ULL(63) },
};

static void check_cpuid(void)
{
	u32 eax, ebx, ecx, edx;
	u64 misc = get(MISC_ENABLE);

	cpuid(0xa, &eax, &ebx, &ecx, &edx);
	check_is(4 | 8 << 8 | 48 << 16 | 7 << 24, eax, "CPUID.0AH: version 4, 8 counters of 48 bits, 7 events");
	check_is(0, ebx, "CPUID.0AH: no event is missing");
	check_is(3 | 48 << 5, edx, "CPUID.0AH: 3 fixed counters of 48 bits");
	cpuid(1, &eax, &ebx, &ecx, &edx);
	check_is(BIT(15), ecx & (BIT(15) | BIT(2)), "CPUID.01H: PDCM, no DTES64");
	check_is(0, edx & BIT(21), "CPUID.01H: no DS");
	check_is(5 | 1 << 13, get(PERF_CAP), "PERF_CAPABILITIES: LBR format 5, full-width writes, nothing else");
	check_is(BIT(7) | BIT(11) | BIT(12), misc & (BIT(7) | BIT(11) | BIT(12)),
		 "MISC_ENABLE: PMU there, BTS and PEBS not");
	set(MISC_ENABLE, misc ^ (BIT(7) | BIT(11) | BIT(12)));
	check_is(misc, get(MISC_ENABLE), "MISC_ENABLE: these bits are read-only");
}

static void check_absent(const u32 *msrs, int n, const char *name)
{
	u64 value;
	int i;

	for (i = 0; i < n; i++)
		if (!try_get(msrs[i], &value) || !try_set(msrs[i], 0))
			break;
	check(i == n, name);
	if (i < n)
		note("# MSR 0x%x", msrs[i]);
}

static void check_good(void)
{
	u64 value = 0;
	int i;

	for (i = 0; i < ARRAY_SIZE(good); i++)
		if (try_set(good[i].msr, good[i].value) || try_get(good[i].msr, &value) || value != good[i].reads)
			break;
	check(i == ARRAY_SIZE(good), "what is written reads back");
	if (i < ARRAY_SIZE(good))
		note("# MSR 0x%x: wrote 0x%llx, read 0x%llx", good[i].msr, good[i].value, value);
	quiet();
}

static void check_bad(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		if (!try_set(bad[i].msr, bad[i].value))
			break;
	check(i == ARRAY_SIZE(bad), "reserved bits and read-only registers raise #GP");
	if (i < ARRAY_SIZE(bad))
		note("# MSR 0x%x took 0x%llx", bad[i].msr, bad[i].value);
}

static void check_rdpmc(void)
{
	u64 value;
	int i, wrong = 0;

	for (i = 0; i < 8; i++) {
		set(A_PMC(i), 0xabcdef000000 + i);
		wrong += try_rdpmc(i, &value) || value != 0xabcdef000000 + i;
	}
	for (i = 0; i < 3; i++) {
		set(FIXED(i), 0x123456000000 + i);
		wrong += try_rdpmc(BIT(30) | i, &value) || value != 0x123456000000 + i;
	}
	check_is(0, wrong, "RDPMC reads all counters");
	check(try_rdpmc(8, &value) && try_rdpmc(BIT(30) | 3, &value) && try_rdpmc(BIT(31), &value) &&
	      try_rdpmc(BIT(31) | BIT(30) | 1, &value) && try_rdpmc(BIT(29), &value),
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
	check_absent(absent, ARRAY_SIZE(absent), "registers that the model lacks raise #GP");
	check_good();
	check_bad();
	check_rdpmc();
	check_status();
	check_inuse();
}

/* On a CPU without a PMU. */
void absence_check(void)
{
	u32 eax, ebx, ecx, edx;
	u64 value;

	cpuid(0xa, &eax, &ebx, &ecx, &edx);
	check_is(0, eax | ebx | ecx | edx, "CPUID.0AH: nothing");
	cpuid(1, &eax, &ebx, &ecx, &edx);
	check_is(0, ecx & BIT(15), "CPUID.01H: no PDCM");
	check_is(BIT(11) | BIT(12), get(MISC_ENABLE) & (BIT(7) | BIT(11) | BIT(12)), "MISC_ENABLE: no PMU, BTS, PEBS");
	check_absent(absent, ARRAY_SIZE(absent), "registers of other models raise #GP");
	check_absent(of_any_pmu, ARRAY_SIZE(of_any_pmu), "registers of a PMU raise #GP");
	check(try_set(DEBUGCTL, DEBUGCTL_LBR), "DEBUGCTL has no LBR bit");
	check(try_rdpmc(0, &value) && try_rdpmc(BIT(30), &value), "RDPMC raises #GP");
}
