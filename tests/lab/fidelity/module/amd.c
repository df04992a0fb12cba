// SPDX-License-Identifier: GPL-2.0
/* AMD's registers: what exists, what is reserved, what reads back; its PMI. */
#include <linux/kernel.h>
#include <linux/nmi.h>
#include <asm/apic.h>
#include "amd.h"

u64 amd_top_from, amd_top_to;

/*
 * Does not touch LVTPC: on AMD's CPUs delivery leaves it unmasked. pmi.tos stays
 * as it is, there is no TOS.
 */
int amd_pmi(struct pt_regs *regs)
{
	bool core = boot_cpu_data.extended_cpuid_level < 0x80000022;
	u64 status = core ? amd_core_status() : get(AMD_STATUS);

	if (!status) {
		pmi.others++;
		return NMI_HANDLED;
	}
	pmi.hits++;
	pmi.status = status;
	pmi.ip = regs->ip;
	pmi.lvt = lvtpc_read();
	if (core)
		return NMI_HANDLED;
	pmi.pmc0 = get(AMD_CTR(0));
	pmi.pmc1 = get(AMD_CTR(1));
	amd_top_from = get(AMD_FROM(0));
	amd_top_to = get(AMD_TO(0));
	if (pmi.hook)
		pmi.hook();
	set(AMD_STATUS_CLR, status);
	return NMI_HANDLED;
}

void amd_quiet(void)
{
	int i;

	set(AMD_CTL, 0);
	set(AMD_DEBUG_EXTN, 0);
	set(DEBUGCTL, 0);
	set(AMD_SELECT, 0);
	for (i = 0; i < AMD_CTRS; i++) {
		set(AMD_EVTSEL(i), 0);
		set(AMD_CTR(i), 0);
	}
	set(AMD_STATUS_CLR, ~0ULL);
	for (i = 0; i < AMD_DEPTH; i++) {
		set(AMD_FROM(i), 0);
		set(AMD_TO(i), 0);
	}
	lvtpc_write(APIC_DM_NMI);
}

void amd_check_events(void (*count)(snippet_fn *snippet, u64 event, u64 want, const char *name))
{
	count(snip_nops, AMD_INSTRUCTIONS, 64 + STOP_INSNS, "instructions");
	count(snip_loop, AMD_INSTRUCTIONS, 201 + STOP_INSNS, "instructions of a loop");
	count(snip_nops, AMD_BRANCHES, 0, "no branches");
	count(snip_loop, AMD_BRANCHES, 100, "branches of a loop");
	count(snip_loop, 0xc4, 99, "taken branches of a loop");
	count(snip_kinds, AMD_BRANCHES, 10, "branches of every kind");
	count(snip_kinds, 0xc6, 2, "far transfers: LRET, IRET");
	count(snip_fault, 0xc6, 2, "far transfers: an exception and its IRET");
	count(snip_kinds, 0xc8, 2, "near returns");
	count(snip_kinds, 0xd1, 2, "conditional branches");
	count(snip_nops, AMD_INSTRUCTIONS | AMD_HOST_ONLY, 0, "HostOnly without SVM counts nothing");
}

/* Registers of Intel's CPUs, of more counters or entries, of other features. */
static const u32 absent[] = {
	PMC(0), A_PMC(0), EVTSEL(0), FIXED(0), FIXED_CTRL, GLOBAL_STATUS,
	GLOBAL_CTRL, STATUS_RESET, LBR_SELECT, LBR_TOS, LBR_FROM(0), LBR_TO(0),
	LBR_INFO(0), 0x345, 0x14ce, 0x1500,
	AMD_EVTSEL(6), AMD_CTR(6),
	0xc0010230, 0xc0010240,			/* L3 and data fabric counters */
	0xc0011030, 0xc0011033,			/* IBS */
};

/* writes, and what is read afterwards */
static const struct {
	u32 msr;
	u64 value, reads;
} good[] = {
	/* INT, INV, EDGE, CNT_MASK, all 12 bits of the event; not EN */
	{ AMD_EVTSEL(0), 0xfff97ffffULL, 0xfff97ffffULL },
	{ AMD_EVTSEL(5), AMD_HOST_ONLY | AMD_GUEST_ONLY | 0xc0, AMD_HOST_ONLY | AMD_GUEST_ONLY | 0xc0 },
	/* RAZ: 19, 21, 39:36, 63:42 */
	{ AMD_EVTSEL(1), 0xfffffcf0002800c0ULL, 0xc0 },
	{ K7_EVTSEL(3), 0x000420c4, 0x000420c4 },
	{ AMD_CTR(0), 0xffffffffffffULL, 0xffffffffffffULL },
	{ AMD_CTR(5), 0x123456789abcULL, 0x123456789abcULL },
	{ AMD_CTR(1), ~0ULL, WIDTH_MASK },	/* 63:48 are not there */
	{ K7_CTR(3), 0x800000000001ULL, 0x800000000001ULL },
	{ AMD_CTL, 0x3f, 0x3f },
	{ AMD_CTL, ~0ULL, 0x3f },		/* RAZ */
	{ AMD_CTL, 0, 0 },
	{ DEBUGCTL, DEBUGCTL_FREEZE_LBRS | DEBUGCTL_FREEZE_PERFMON, 0x1800 },
	{ DEBUGCTL, 0xffffffffffffe780ULL, 0 },	/* RAZ: 10:7, 63:13 */
	{ DEBUGCTL, 0, 0 },
	{ AMD_SELECT, 0x1ff, 0x1ff },
	{ AMD_SELECT, ~0ULL, 0x1ff },		/* RAZ */
	{ AMD_FROM(0), AMD_MISPRED | 0x1ffffff81234567ULL, AMD_MISPRED | 0x1ffffff81234567ULL },
	{ AMD_TO(15), AMD_VALID | AMD_SPEC | 0x7fff12345678ULL, AMD_VALID | AMD_SPEC | 0x7fff12345678ULL },
	{ AMD_STATUS_CLR, ~0ULL, 0 },
	{ AMD_STATUS_SET, 0, 0 },
};

/* read-only, and MBZ */
static const struct {
	u32 msr;
	u64 value;
} bad[] = {
	{ AMD_STATUS, 0 },
	{ DEBUGCTL, BIT_ULL(2) }, { DEBUGCTL, BIT_ULL(3) }, { DEBUGCTL, BIT_ULL(6) },
	{ AMD_DEBUG_EXTN, BIT_ULL(0) }, { AMD_DEBUG_EXTN, BIT_ULL(5) },
	{ AMD_DEBUG_EXTN, BIT_ULL(7) }, { AMD_DEBUG_EXTN, BIT_ULL(63) },
};

static void check_cpuid(void)
{
	u32 eax, ebx, ecx, edx;

	cpuid(0x80000022, &eax, &ebx, &ecx, &edx);
	check_is(7, eax, "CPUID Fn8000_0022: PerfMonV2, LbrStack, LbrAndPmcFreeze");
	check_is(AMD_CTRS | AMD_DEPTH << 4, ebx, "CPUID Fn8000_0022: 6 core counters, 16 entries");
	check_is(0, ecx | edx, "CPUID Fn8000_0022: nothing else");
	cpuid(0x80000001, &eax, &ebx, &ecx, &edx);
	check_is(BIT(23), ecx & (BIT(23) | BIT(24) | BIT(28) | BIT(10) | BIT(2)),
		 "CPUID Fn8000_0001: core counters; no northbridge, no L3, no IBS, no SVM");
	cpuid(0xa, &eax, &ebx, &ecx, &edx);
	check_is(0, eax | ebx | ecx | edx, "CPUID.0AH: nothing");
}

static void check_tables(void)
{
	u64 value = 0;
	int i;

	for (i = 0; i < ARRAY_SIZE(absent); i++)
		if (!try_get(absent[i], &value) || !try_set(absent[i], 0))
			break;
	check(i == ARRAY_SIZE(absent), "registers that the model lacks raise #GP");
	if (i < ARRAY_SIZE(absent))
		note("# MSR 0x%x", absent[i]);

	for (i = 0; i < ARRAY_SIZE(good); i++)
		if (try_set(good[i].msr, good[i].value) || try_get(good[i].msr, &value) || value != good[i].reads)
			break;
	check(i == ARRAY_SIZE(good), "written values read back, except RAZ bits");
	if (i < ARRAY_SIZE(good))
		note("# MSR 0x%x: wrote 0x%llx, read 0x%llx", good[i].msr, good[i].value, value);
	amd_quiet();

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		if (!try_set(bad[i].msr, bad[i].value))
			break;
	check(i == ARRAY_SIZE(bad), "MBZ bits and read-only registers raise #GP");
	if (i < ARRAY_SIZE(bad))
		note("# MSR 0x%x took 0x%llx", bad[i].msr, bad[i].value);
}

/* The four counters of K7 are the first four of the six. */
static void check_aliases(void)
{
	int i, wrong = 0;

	for (i = 0; i < 4; i++) {
		set(K7_CTR(i), 0x10 + i);
		set(AMD_EVTSEL(i), 0x20 + i);
		wrong += get(AMD_CTR(i)) != 0x10 + i || get(K7_EVTSEL(i)) != 0x20 + i;
	}
	check_is(0, wrong, "the registers of K7 are the first four");
	amd_quiet();
}

static void check_rdpmc(void)
{
	u64 value;
	int i, wrong = 0;

	for (i = 0; i < AMD_CTRS; i++) {
		set(AMD_CTR(i), 0xabcdef000000 + i);
		wrong += try_rdpmc(i, &value) || value != 0xabcdef000000 + i;
	}
	check_is(0, wrong, "RDPMC reads all counters");
	check(try_rdpmc(6, &value) && try_rdpmc(10, &value) && try_rdpmc(BIT(30), &value) && try_rdpmc(BIT(31), &value),
	      "RDPMC of what is not there raises #GP");
	amd_quiet();
}

static void check_status(void)
{
	u64 all = 0x3f | STATUS_LBR_FRZ | STATUS_CTR_FRZ;

	pmi.hits = 0;
	set(AMD_STATUS_SET, ~0ULL);
	check_is(all, get(AMD_STATUS), "StatusSet sets what there is");
	set(AMD_STATUS_CLR, 0x5);
	check_is(all & ~0x5ULL, get(AMD_STATUS), "StatusClr clears what is given and no more");
	set(AMD_STATUS_CLR, ~0ULL);
	check_is(0, get(AMD_STATUS), "StatusClr clears all");
	check_is(0, pmi.hits, "StatusSet raises no PMI");
}

void amd_registers_check(void)
{
	amd_quiet();
	check_cpuid();
	check_tables();
	check_aliases();
	check_rdpmc();
	check_status();
}
