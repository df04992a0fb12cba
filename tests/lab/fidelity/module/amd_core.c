// SPDX-License-Identifier: GPL-2.0
/*
 * AMD's counters before version 2: six core counters, or, where the CPUID hides them, the four
 * of K7; without registers of all counters. The sign of a counter tells its overflow.
 */
#include <linux/kernel.h>
#include <asm/apic.h>
#include "amd.h"

static bool six;

static int counters(void)
{
	return six ? AMD_CTRS : 4;
}

static u32 evtsel(int i)
{
	return six ? AMD_EVTSEL(i) : K7_EVTSEL(i);
}

static u32 ctr(int i)
{
	return six ? AMD_CTR(i) : K7_CTR(i);
}

/* The counters that run, request PMIs and are not negative. */
u64 amd_core_status(void)
{
	u64 status = 0;
	int i;

	for (i = 0; i < counters(); i++)
		if ((get(evtsel(i)) & (SEL_EN | SEL_INT)) == (SEL_EN | SEL_INT) &&
		    !(get(ctr(i)) & BIT_ULL(47)))
			status |= BIT_ULL(i);
	return status;
}

static void core_quiet(void)
{
	int i;

	set(DEBUGCTL, 0);
	for (i = 0; i < counters(); i++) {
		set(evtsel(i), 0);
		set(ctr(i), 0);
	}
	lvtpc_write(APIC_DM_NMI);
}

static void check_cpuid(void)
{
	u32 eax, ebx, ecx, edx;

	check(cpuid_eax(0x80000000) < 0x80000022, "CPUID Fn8000_0022: not there");
	cpuid(0x80000001, &eax, &ebx, &ecx, &edx);
	check_is(six ? BIT(23) : 0, ecx & (BIT(23) | BIT(24) | BIT(28) | BIT(10) | BIT(2)),
		 "CPUID Fn8000_0001: core counters or not; no northbridge, no L3, no IBS, no SVM");
	cpuid(0x80000008, &eax, &ebx, &ecx, &edx);
	check_is(0, ebx & BIT(31), "CPUID Fn8000_0008: no sampling of branches");
	cpuid(0xa, &eax, &ebx, &ecx, &edx);
	check_is(0, eax | ebx | ecx | edx, "CPUID.0AH: nothing");
}

/* Registers of version 2, of Intel's CPUs, of more counters, of other features. */
static const u32 absent[] = {
	AMD_STATUS, AMD_CTL, AMD_STATUS_CLR, AMD_STATUS_SET, AMD_SELECT, AMD_DEBUG_EXTN,
	AMD_FROM(0), AMD_TO(15), PMC(0), EVTSEL(0), FIXED(0), GLOBAL_STATUS, GLOBAL_CTRL,
	LBR_SELECT, LBR_FROM(0), 0x345, 0x14ce, AMD_EVTSEL(6), AMD_CTR(6), 0xc0011030,
};

static void check_registers(void)
{
	u64 value;
	int i, wrong = 0;

	for (i = 0; i < ARRAY_SIZE(absent); i++)
		wrong += !try_get(absent[i], &value) || !try_set(absent[i], 0);
	check_is(0, wrong, "registers that the model lacks raise #GP");
	for (i = 0; i < AMD_CTRS; i++)
		wrong += try_get(AMD_EVTSEL(i), &value) != (six ? 0 : -EIO) ||
			 try_get(AMD_CTR(i), &value) != (six ? 0 : -EIO);
	check_is(0, wrong, "the six counters are there or not");
	for (i = 0; i < counters(); i++) {
		set(ctr(i), ~0ULL - i);
		set(evtsel(i), 0xfffffcf0002800c0ULL);
		wrong += get(ctr(i)) != WIDTH_MASK - i || get(evtsel(i)) != 0xc0;
	}
	check_is(0, wrong, "counters have 48 bits, and RAZ bits read as 0");
	for (i = 0; six && i < 4; i++)
		wrong += get(K7_CTR(i)) != WIDTH_MASK - i || get(K7_EVTSEL(i)) != 0xc0;
	check_is(0, wrong, "the registers of K7 are the first four");
	for (i = 0; i < counters(); i++)
		wrong += try_rdpmc(i, &value) || value != WIDTH_MASK - i;
	wrong += !try_rdpmc(counters(), &value) || !try_rdpmc(BIT(30), &value);
	check_is(0, wrong, "RDPMC reads all counters and no others");
	core_quiet();
}

static void count(snippet_fn *snippet, u64 event, u64 want, const char *name)
{
	set(ctr(0), 0);
	snippet(evtsel(0), event | SEL_OS | SEL_EN);
	check_is(want, get(ctr(0)), name);
}

static void check_events(void)
{
	amd_check_events(count);
	count(snip_kinds, 0xcc, 0, "no such event: indirect branches");
	set(ctr(0), 0);
	snip_nops(evtsel(0), AMD_INSTRUCTIONS | SEL_USR | SEL_EN);
	check_is(0, get(ctr(0)), "USR does not count at CPL 0");
	core_quiet();
}

static void overflow(int i, u64 event, u64 left, snippet_fn *snippet)
{
	set(ctr(i), MINUS(left));
	pmi.hits = 0;
	pmi.ip = 0;
	snippet(evtsel(i), event | SEL_OS | SEL_EN | SEL_INT);
}

static void check_place(void)
{
	int i, n, wrong = 0;

	for (i = 0; i < counters(); i++) {
		for (n = 1; n <= 64; n++) {
			overflow(i, AMD_INSTRUCTIONS, n, snip_nops);
			if ((pmi.hits != 1 || pmi.ip != (u64)nops_body + n || pmi.status != BIT_ULL(i)) && !wrong++)
				note("# counter %d, -%d: hits %d ip +%lld status %llx", i, n,
				     pmi.hits, pmi.ip - (u64)nops_body, pmi.status);
			core_quiet();
		}
	}
	check_is(0, wrong, "the PMI comes behind the instruction that overflowed");
	for (n = 1, wrong = 0; n <= 100; n++) {
		overflow(0, AMD_BRANCHES, n, snip_loop);
		wrong += pmi.hits != 1 || pmi.ip != (u64)(n < 100 ? loop_top : loop_end);
		core_quiet();
	}
	check_is(0, wrong, "the PMI comes at the target of the branch that overflowed");
	overflow(0, AMD_BRANCHES, 101, snip_loop);
	check(!pmi.hits && get(ctr(0)) == WIDTH_MASK, "no PMI one branch before the overflow");
	core_quiet();
}

static void check_lvtpc(void)
{
	int i, hits = 0;

	for (i = 0; i < 9; i++) {
		overflow(0, AMD_INSTRUCTIONS, 1 + i, snip_nops);
		hits += pmi.hits;
	}
	check_is(9, hits, "LVTPC written once, nine PMIs");
	check_is(APIC_DM_NMI, pmi.lvt, "LVTPC is unmasked in the handler");
	lvtpc_write(APIC_DM_NMI | APIC_LVT_MASKED);
	overflow(0, AMD_INSTRUCTIONS, 10, snip_nops);
	check(!pmi.hits && get(ctr(0)) == 64 + STOP_INSNS - 10, "LVTPC masked by software: no PMI, the counter goes on");
	set(ctr(0), 0);
	lvtpc_write(APIC_DM_NMI);
	lvtpc_read();
	check_is(0, pmi.hits, "unmasked after the counter was written: none (by choice)");
	core_quiet();
}

void amd_core_check(void)
{
	six = boot_cpu_has(X86_FEATURE_PERFCTR_CORE);
	core_quiet();
	check_cpuid();
	check_registers();
	check_events();
	check_place();
	check_lvtpc();
}
