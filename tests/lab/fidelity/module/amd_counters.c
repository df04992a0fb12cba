// SPDX-License-Identifier: GPL-2.0
/* AMD's counters: what they count; overflow, the PMI's place, freezing, LVTPC. */
#include <linux/kernel.h>
#include <asm/apic.h>
#include "amd.h"

static void count(snippet_fn *snippet, u64 event, u64 want, const char *name)
{
	set(AMD_CTR(0), 0);
	set(AMD_EVTSEL(0), event | SEL_OS | SEL_EN);
	snippet(AMD_CTL, 1);
	check_is(want, get(AMD_CTR(0)), name);
	set(AMD_EVTSEL(0), 0);
}

static void check_events(void)
{
	amd_check_events(count);
	count(snip_kinds, 0xc4, 9, "taken branches, far ones among them");
	count(snip_kinds, 0xcc, 2, "indirect branches");
	count(snip_nops, BIT_ULL(32) | AMD_INSTRUCTIONS, 0, "the event has twelve bits");
	count(snip_nops, AMD_INSTRUCTIONS | AMD_GUEST_ONLY, 0, "GuestOnly without SVM counts nothing");
	amd_quiet();
}

static void check_enables(void)
{
	int i, wrong = 0;

	set(AMD_EVTSEL(0), AMD_INSTRUCTIONS | SEL_OS | SEL_EN);
	set(AMD_EVTSEL(1), AMD_INSTRUCTIONS | SEL_USR | SEL_EN);
	set(AMD_EVTSEL(2), AMD_INSTRUCTIONS | SEL_USR | SEL_OS | SEL_EN);
	set(AMD_EVTSEL(3), AMD_INSTRUCTIONS | SEL_EN);
	set(AMD_EVTSEL(4), AMD_INSTRUCTIONS | SEL_OS);
	set(AMD_EVTSEL(5), AMD_INSTRUCTIONS | SEL_OS | SEL_EN);
	snip_loop(AMD_CTL, 0x1f);
	check_is(201 + STOP_INSNS, get(AMD_CTR(0)), "OS counts at CPL 0");
	check_is(0, get(AMD_CTR(1)), "USR does not");
	check_is(201 + STOP_INSNS, get(AMD_CTR(2)), "OS and USR do");
	check_is(0, get(AMD_CTR(3)), "neither counts nothing");
	check_is(0, get(AMD_CTR(4)), "EN of PerfEvtSel is needed");
	check_is(0, get(AMD_CTR(5)), "the bit of GlobalCtl is needed");
	amd_quiet();

	for (i = 0; i < AMD_CTRS; i++)
		set(AMD_EVTSEL(i), AMD_BRANCHES | SEL_OS | SEL_EN);
	snip_loop(AMD_CTL, 0x3f);
	for (i = 0; i < AMD_CTRS; i++)
		wrong += get(AMD_CTR(i)) != 100;
	check_is(0, wrong, "six counters at once");
	amd_quiet();

	set(AMD_CTL, 1);
	snip_nops(K7_EVTSEL(0), AMD_INSTRUCTIONS | SEL_OS | SEL_EN);
	check_is(64 + STOP_INSNS, get(K7_CTR(0)), "by the registers of K7");
	amd_quiet();
}

static void arm(int counter, u64 event, u64 left, bool interrupt)
{
	set(AMD_CTR(counter), MINUS(left));
	set(AMD_EVTSEL(counter), event | SEL_OS | SEL_EN | (interrupt ? SEL_INT : 0));
	pmi.hits = 0;
	pmi.ip = 0;
}

/* Every counter, at each of the 64 instructions: the PMI comes behind it. */
static void check_place(void)
{
	int i, n, wrong = 0;

	for (i = 0; i < AMD_CTRS; i++) {
		for (n = 1; n <= 64; n++) {
			arm(i, AMD_INSTRUCTIONS, n, true);
			snip_nops(AMD_CTL, BIT_ULL(i));
			if ((pmi.hits != 1 || pmi.ip != (u64)nops_body + n || pmi.status != BIT_ULL(i)) && !wrong++)
				note("# counter %d, -%d: hits %d ip +%lld status %llx", i, n,
				     pmi.hits, pmi.ip - (u64)nops_body, pmi.status);
			amd_quiet();
		}
	}
	check_is(0, wrong, "the PMI comes behind the instruction that overflowed");

	for (n = 1, wrong = 0; n <= 100; n++) {
		arm(0, AMD_BRANCHES, n, true);
		snip_loop(AMD_CTL, 1);
		wrong += pmi.hits != 1 || pmi.ip != (u64)(n < 100 ? loop_top : loop_end);
		amd_quiet();
	}
	check_is(0, wrong, "the PMI comes at the target of the branch that overflowed");
	arm(0, AMD_BRANCHES, 101, true);
	snip_loop(AMD_CTL, 1);
	check(!pmi.hits && !get(AMD_STATUS) && get(AMD_CTR(0)) == WIDTH_MASK, "no PMI one branch before the overflow");
	amd_quiet();
}

static void check_status(void)
{
	arm(2, AMD_INSTRUCTIONS, 10, false);
	snip_nops(AMD_CTL, 4);
	check_is(0, pmi.hits, "without INT no PMI");
	check_is(4, get(AMD_STATUS), "without INT the status bit is set");
	check_is(64 + STOP_INSNS - 10, get(AMD_CTR(2)), "without INT the counter goes on from 0");
	amd_quiet();

	arm(0, AMD_INSTRUCTIONS, 20, true);
	arm(1, AMD_INSTRUCTIONS, 20, true);
	snip_nops(AMD_CTL, 3);
	check(pmi.hits == 1 && pmi.status == 3, "two counters at the same instruction: one PMI, both bits");
	amd_quiet();
}

/* The handler leaves LVTPC alone: nine PMIs come because nothing masks it. */
static void check_lvtpc(void)
{
	int i, hits = 0;

	for (i = 0; i < 9; i++) {
		arm(0, AMD_INSTRUCTIONS, 1 + i, true);
		snip_nops(AMD_CTL, 1);
		set(AMD_EVTSEL(0), 0);
		hits += pmi.hits;
	}
	check_is(9, hits, "LVTPC written once, nine PMIs");
	check_is(APIC_DM_NMI, pmi.lvt, "LVTPC is unmasked in the handler");
	check_is(APIC_DM_NMI, lvtpc_read(), "LVTPC is unmasked after the handler");
	lvtpc_write(APIC_DM_NMI | APIC_LVT_MASKED);
	arm(0, AMD_INSTRUCTIONS, 10, true);
	snip_nops(AMD_CTL, 1);
	check(!pmi.hits && get(AMD_STATUS) == 1, "LVTPC masked by software: the status bit, no PMI");
	set(AMD_STATUS_CLR, 1);
	lvtpc_write(APIC_DM_NMI);
	lvtpc_read();
	check_is(0, pmi.hits, "unmasked after the status was cleared: none (by choice)");
	amd_quiet();
}

static u64 later;

static void read_again(void)
{
	later = get(AMD_CTR(1));
}

static void check_freeze(void)
{
	pmi.hook = read_again;
	arm(0, AMD_INSTRUCTIONS, 10, true);
	arm(1, AMD_INSTRUCTIONS, 1000000, false);
	snip_nops(AMD_CTL, 3);
	check(pmi.status == 1 && later > pmi.pmc1, "without freezing the counters go on in the handler");
	amd_quiet();

	set(DEBUGCTL, DEBUGCTL_FREEZE_PERFMON);
	arm(0, AMD_INSTRUCTIONS, 10, true);
	arm(1, AMD_INSTRUCTIONS, 1000000, false);
	snip_nops(AMD_CTL, 3);
	check_is(1 | STATUS_CTR_FRZ, pmi.status, "FPMCI: the status says so");
	check_is(0, pmi.pmc0, "the overflowed counter stands at 0");
	check(pmi.pmc1 == MINUS(1000000 - 10) && later == pmi.pmc1, "the other stands where it was");
	check(get(AMD_CTR(1)) > later, "after StatusClr they go on");
	pmi.hook = NULL;
	amd_quiet();

	set(DEBUGCTL, DEBUGCTL_FREEZE_PERFMON);
	arm(0, AMD_INSTRUCTIONS, 10, false);
	snip_nops(AMD_CTL, 1);
	check_is(64 + STOP_INSNS - 10, get(AMD_CTR(0)), "an overflow without INT freezes nothing");
	amd_quiet();

	arm(0, AMD_INSTRUCTIONS, 1000, false);
	set(AMD_STATUS_SET, STATUS_CTR_FRZ);
	snip_nops(AMD_CTL, 1);
	check_is(MINUS(1000), get(AMD_CTR(0)), "PMCF set by StatusSet stops the counters");
	amd_quiet();
}

void amd_counters_check(void)
{
	amd_quiet();
	check_events();
	check_enables();
}

void amd_overflow_check(void)
{
	amd_quiet();
	check_place();
	check_status();
	check_lvtpc();
	check_freeze();
}
