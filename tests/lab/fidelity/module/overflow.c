// SPDX-License-Identifier: GPL-2.0
/* Overflow, the PMI's place and time, freezing, LVTPC. */
#include <linux/kernel.h>
#include <asm/apic.h>
#include "fidelity.h"

/* A counter by index as in GLOBAL_CTRL, counting event in the kernel. */
static void arm(int counter, u64 event, u64 left, bool interrupt)
{
	if (counter < 32) {
		set_pmc(counter, MINUS(left));
		set(EVTSEL(counter), event | SEL_OS | SEL_EN | (interrupt ? SEL_INT : 0));
	} else {
		set(FIXED(counter - 32), MINUS(left));
		set(FIXED_CTRL, (interrupt ? 9ULL : 1ULL) << 4 * (counter - 32));
	}
	pmi.hits = 0;
	pmi.ip = 0;
}

/*
 * Every counter, at each of the 64 instructions: the PMI comes behind it. Fixed
 * counters 1 and 2 count cycles, of two instructions.
 */
static void check_place(void)
{
	const int counters[] = { 0, 1, model->gp - 1, 32, 33, 34 };
	int i, n, each, wrong = 0;

	for (i = 0; i < ARRAY_SIZE(counters); i++) {
		each = counters[i] > 32 ? 2 : 1;
		for (n = 1; n <= 64 / each; n++) {
			arm(counters[i], EV_INSTRUCTIONS, n, true);
			snip_nops(GLOBAL_CTRL, BIT_ULL(counters[i]));
			if (pmi.hits != 1 || pmi.ip != (u64)nops_body + n * each ||
			    pmi.status != BIT_ULL(counters[i])) {
				if (!wrong++)
					note("# counter %d, -%d: hits %d ip +%lld status %llx", counters[i], n,
					     pmi.hits, pmi.ip - (u64)nops_body, pmi.status);
			}
			quiet();
		}
	}
	check_is(0, wrong, "the PMI comes behind the instruction that overflowed");
}

static void check_branch_place(void)
{
	int n, wrong = 0;

	for (n = 1; n <= 100; n++) {
		arm(0, EV_BRANCHES, n, true);
		snip_loop(GLOBAL_CTRL, 1);
		wrong += pmi.hits != 1 || pmi.ip != (u64)(n < 100 ? loop_top : loop_end);
		quiet();
	}
	check_is(0, wrong, "the PMI comes at the target of the branch that overflowed");
	arm(0, EV_BRANCHES, 101, true);
	snip_loop(GLOBAL_CTRL, 1);
	check_is(0, pmi.hits, "no PMI one branch short of the overflow");
	check_is(0, get(GLOBAL_STATUS), "no status one branch short of the overflow");
	check_is(WIDTH_MASK, get(PMC(0)), "the counter is at its maximum one branch short of the overflow");
	quiet();
}

static void check_status(void)
{
	arm(2, EV_INSTRUCTIONS, 10, false);
	snip_nops(GLOBAL_CTRL, 4);
	check_is(0, pmi.hits, "without INT no PMI");
	check_is(4, get(GLOBAL_STATUS), "without INT the status bit is set");
	check_is(64 + STOP_INSNS - 10, get(PMC(2)), "without INT the counter goes on from 0");
	quiet();

	arm(0, EV_INSTRUCTIONS, 20, true);
	arm(1, EV_INSTRUCTIONS, 20, true);
	snip_nops(GLOBAL_CTRL, 3);
	check_is(1, pmi.hits, "two counters at the same instruction: one PMI");
	check_is(3, pmi.status, "with both bits");
	quiet();

	arm(0, EV_INSTRUCTIONS, 1, true);
	snip_nops(GLOBAL_CTRL, 1);
	check_is(APIC_DM_NMI | APIC_LVT_MASKED, pmi.lvt, "LVTPC masks itself");
	quiet();
}

/* SDM leaves open what becomes of a PMI that finds LVTPC masked. */
static void check_masked(void)
{
	lvtpc_write(APIC_DM_NMI | APIC_LVT_MASKED);
	arm(0, EV_INSTRUCTIONS, 10, true);
	snip_nops(GLOBAL_CTRL, 1);
	check_is(0, pmi.hits, "LVTPC masked: no PMI");
	check_is(1, get(GLOBAL_STATUS), "LVTPC masked: the status bit");
	lvtpc_write(APIC_DM_NMI);
	lvtpc_read();
	check_is(1, pmi.hits, "unmasked with the status still set: the PMI (by choice)");
	quiet();

	lvtpc_write(APIC_DM_NMI | APIC_LVT_MASKED);
	arm(0, EV_INSTRUCTIONS, 10, true);
	snip_nops(GLOBAL_CTRL, 1);
	set(STATUS_RESET, 1);
	lvtpc_write(APIC_DM_NMI);
	lvtpc_read();
	check_is(0, pmi.hits, "unmasked after the status was cleared: none (by choice)");
	quiet();
}

/* What a handler sees before it acknowledges. */
static u64 later, global_ctrl, debugctl, position, youngest_from, youngest_to;

static void look_again(void)
{
	later = get(PMC(1));
	global_ctrl = get(GLOBAL_CTRL);
	debugctl = get(DEBUGCTL);
	position = lbr_position();
	youngest_from = entry_from(0);
	youngest_to = entry_to(0);
}

static void overflow_after_10(bool interrupt)
{
	arm(0, EV_INSTRUCTIONS, 10, interrupt);
	arm(1, EV_INSTRUCTIONS, 1000000, false);
	snip_nops(GLOBAL_CTRL, 3);
}

/*
 * SDM vol. 3B, "Freezing LBR and Performance Counters on PMI": from version 4 on
 * by the status, until that is acknowledged; before, the enables are cleared.
 */
static void check_freeze_counters(void)
{
	u64 frozen = on(VERSION_4) ? STATUS_CTR_FRZ : 0;

	pmi.hook = look_again;
	overflow_after_10(true);
	check(later > pmi.pmc1 && pmi.status == 1 && global_ctrl == 3,
	      "without freezing the counters go on in the handler");
	quiet();

	set(DEBUGCTL, DEBUGCTL_FREEZE_PERFMON);
	overflow_after_10(true);
	check_is(1 | frozen, pmi.status, "FREEZE_PERFMON_ON_PMI: the status");
	check_is(frozen ? 3 : 0, global_ctrl, "FREEZE_PERFMON_ON_PMI: GLOBAL_CTRL");
	check_is(0, pmi.pmc0, "the overflowed counter stands at 0");
	check(pmi.pmc1 == MINUS(1000000 - 10) && later == pmi.pmc1, "the other stands where it was");
	if (frozen)
		check(get(PMC(1)) > later, "after the acknowledgement they go on");
	else
		check_is(later, get(PMC(1)), "after the acknowledgement they stand still");
	check_is(DEBUGCTL_FREEZE_PERFMON, get(DEBUGCTL), "DEBUGCTL keeps the bit");
	pmi.hook = NULL;
	quiet();

	set(DEBUGCTL, DEBUGCTL_FREEZE_PERFMON);
	overflow_after_10(false);
	check_is(64 + STOP_INSNS - 10, get(PMC(0)), "an overflow without INT freezes nothing");
	quiet();
}

/* The LBR on, the loop until its fiftieth branch. */
static void overflow_at_branch(u64 freeze)
{
	u64 value;
	u32 msr;

	quiet();
	msr = lbr_switch(0, &value);
	if (msr == DEBUGCTL)
		value |= freeze;
	else
		set(DEBUGCTL, freeze);
	pmi.hook = look_again;
	arm(0, EV_BRANCHES, 50, true);
	set(msr, value);
	snip_loop(GLOBAL_CTRL, 1);
	pmi.hook = NULL;
}

/* Kernel addresses: without the flags that FROM may have. */
static bool youngest_is_overflow(void)
{
	return (youngest_from | 7ULL << 61) == (u64)loop_jnz && youngest_to == (u64)loop_top;
}

static void check_freeze_lbr(void)
{
	bool by_status = on(VERSION_4), arch = on(SAPPHIRERAPIDS);

	overflow_at_branch(DEBUGCTL_FREEZE_LBRS);
	check_is(1 | (by_status ? STATUS_LBR_FRZ : 0), pmi.status, "FREEZE_LBRS_ON_PMI: the status");
	check_is(DEBUGCTL_FREEZE_LBRS | (by_status && !arch ? DEBUGCTL_LBR : 0), debugctl,
		 "FREEZE_LBRS_ON_PMI: DEBUGCTL");
	if (arch)
		check(get(LBR_CTL) & LBR_CTL_EN, "FREEZE_LBRS_ON_PMI: LBR_CTL is as before");
	check_is(pmi.lbr, position, "the LBR stands still in the handler");
	check(youngest_is_overflow(), "the youngest frozen record is the branch that overflowed");
	/* by what it holds: after as many branches as it has entries, TOS is the same */
	check((entry_from(0) != youngest_from || entry_to(0) != youngest_to) == by_status,
	      by_status ? "it goes on when acknowledged" : "it stands still when acknowledged");
	quiet();

	overflow_at_branch(0);
	check_is(1, pmi.status, "without the bit nothing freezes");
	check(!youngest_is_overflow() && youngest_from, "without the bit the handler is in the LBR");
	quiet();

	if (by_status) {
		set(STATUS_SET, STATUS_LBR_FRZ);
		record(snip_kinds, 0);
		check(entry_is_empty(0), "LBR_FRZ set by hand stops the LBR");
		quiet();
	}
}

void overflow_check(void)
{
	quiet();
	check_place();
	check_branch_place();
	check_status();
	check_masked();
	check_freeze_counters();
	check_freeze_lbr();
}
