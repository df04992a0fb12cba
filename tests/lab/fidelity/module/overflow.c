// SPDX-License-Identifier: GPL-2.0
/* Overflow, the PMI's place and time, freezing, LVTPC. */
#include <linux/kernel.h>
#include <asm/apic.h>
#include "fidelity.h"

/* A counter by index as in GLOBAL_CTRL, counting event in the kernel. */
static void arm(int counter, u64 event, u64 left, bool interrupt)
{
	if (counter < 32) {
		set(A_PMC(counter), MINUS(left));
		set(EVTSEL(counter), event | SEL_OS | SEL_EN | (interrupt ? SEL_INT : 0));
	} else {
		set(FIXED(counter - 32), MINUS(left));
		set(FIXED_CTRL, (interrupt ? 9ULL : 1ULL) << 4 * (counter - 32));
	}
	pmi.hits = 0;
	pmi.ip = 0;
}

/* Every counter, at each of the 64 instructions: the PMI comes behind it. */
static void check_place(void)
{
	static const int counters[] = { 0, 1, 7, 32, 33, 34 };
	int i, n, wrong = 0;

	for (i = 0; i < ARRAY_SIZE(counters); i++) {
		for (n = 1; n <= 64; n++) {
			arm(counters[i], EV_INSTRUCTIONS, n, true);
			snip_nops(GLOBAL_CTRL, BIT_ULL(counters[i]));
			if (pmi.hits != 1 || pmi.ip != (u64)nops_body + n ||
			    pmi.status != BIT_ULL(counters[i])) {
				if (!wrong++)
					note("# counter %d, -%d: hits %d ip +%lld status %llx", counters[i], n,
					     pmi.hits, pmi.ip - (u64)nops_body, pmi.status);
			}
			quiet();
		}
	}
	check_is(0, wrong, "the PMI comes behind the instruction that overflowed");

	arm(0, EV_LLC_REFERENCES, 1, true);
	snip_nops(GLOBAL_CTRL, 1);
	check_is((u64)nops_body + 64, pmi.ip, "an LLC reference overflows behind instruction 64");
	quiet();
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
	check_is(0, get(GLOBAL_STATUS), "and no status");
	check_is(WIDTH_MASK, get(PMC(0)), "and the counter is at its maximum");
	quiet();
}

static void check_status(void)
{
	arm(2, EV_INSTRUCTIONS, 10, false);
	snip_nops(GLOBAL_CTRL, 4);
	check_is(0, pmi.hits, "without INT no PMI");
	check_is(4, get(GLOBAL_STATUS), "but the status bit");
	check_is(64 + STOP_INSNS - 10, get(PMC(2)), "and the counter went on from 0");
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

static u64 later;

static void read_again(void)
{
	later = get(PMC(1));
}

static void check_freeze_counters(void)
{
	pmi.hook = read_again;
	arm(0, EV_INSTRUCTIONS, 10, true);
	arm(1, EV_INSTRUCTIONS, 1000000, false);
	snip_nops(GLOBAL_CTRL, 3);
	check(later > pmi.pmc1, "without freezing the counters go on in the handler");
	quiet();

	set(DEBUGCTL, DEBUGCTL_FREEZE_PERFMON);
	arm(0, EV_INSTRUCTIONS, 10, true);
	arm(1, EV_INSTRUCTIONS, 1000000, false);
	snip_nops(GLOBAL_CTRL, 3);
	check_is(1 | STATUS_CTR_FRZ, pmi.status, "FREEZE_PERFMON_ON_PMI: the status says so");
	check_is(0, pmi.pmc0, "the overflowed counter stands at 0");
	check(pmi.pmc1 == MINUS(1000000 - 10) && later == pmi.pmc1, "the other stands where it was");
	check(get(PMC(1)) > later, "after the acknowledgement they go on");
	pmi.hook = NULL;
	quiet();

	set(DEBUGCTL, DEBUGCTL_FREEZE_PERFMON);
	arm(0, EV_INSTRUCTIONS, 10, false);
	snip_nops(GLOBAL_CTRL, 1);
	check_is(64 + STOP_INSNS - 10, get(PMC(0)), "an overflow without INT freezes nothing");
	quiet();
}

static u64 handler_tos;

static void read_tos(void)
{
	handler_tos = get(LBR_TOS);
}

static void check_freeze_lbr(void)
{
	u64 tos;

	pmi.hook = read_tos;
	set(DEBUGCTL, DEBUGCTL_LBR | DEBUGCTL_FREEZE_LBRS);
	arm(0, EV_BRANCHES, 50, true);
	snip_loop(GLOBAL_CTRL, 1);
	set(DEBUGCTL, 0);
	check_is(1 | STATUS_LBR_FRZ, pmi.status, "FREEZE_LBRS_ON_PMI: the status says so");
	check_is(pmi.tos, handler_tos, "the LBR stands still in the handler");
	check(get(LBR_TOS) != handler_tos, "and goes on when acknowledged");
	quiet();

	/* The same, frozen for good by a hook that stops the LBR. */
	set(DEBUGCTL, DEBUGCTL_LBR);
	arm(0, EV_BRANCHES, 50, true);
	snip_loop(GLOBAL_CTRL, 1);
	set(DEBUGCTL, 0);
	check_is(1, pmi.status, "without the bit nothing freezes");
	check(pmi.tos != handler_tos, "and the handler is in the LBR");
	pmi.hook = NULL;
	quiet();

	set(STATUS_SET, STATUS_LBR_FRZ);
	tos = get(LBR_TOS);
	snip_kinds(DEBUGCTL, DEBUGCTL_LBR);
	check_is(tos, get(LBR_TOS), "LBR_FRZ set by hand stops the LBR");
	quiet();
}

static u64 frozen_from, frozen_to;

static void read_top(void)
{
	frozen_from = get(LBR_FROM(pmi.tos));
	frozen_to = get(LBR_TO(pmi.tos));
}

static void check_frozen_entry(void)
{
	pmi.hook = read_top;
	set(DEBUGCTL, DEBUGCTL_LBR | DEBUGCTL_FREEZE_LBRS);
	arm(0, EV_BRANCHES, 50, true);
	snip_loop(GLOBAL_CTRL, 1);
	set(DEBUGCTL, 0);
	check(frozen_from == (u64)loop_jnz && frozen_to == (u64)loop_top,
	      "the youngest frozen record is the branch that overflowed");
	pmi.hook = NULL;
	quiet();
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
	check_frozen_entry();
}
