// SPDX-License-Identifier: GPL-2.0
/* Counters count exactly the events of snippets.S. */
#include <linux/kernel.h>
#include "fidelity.h"

static void count(snippet_fn *snippet, u64 event, u64 want, const char *name)
{
	set_pmc(0, 0);
	set(EVTSEL(0), event | SEL_OS | SEL_EN);
	snippet(GLOBAL_CTRL, 1);
	check_is(want, get(PMC(0)), name);
	set(EVTSEL(0), 0);
}

/* BR_INST_RETIRED of the models' own event lists */
static const struct {
	u32 on;
	snippet_fn *snippet;
	u64 umask, count;
	const char *name;
} branches[] = {
	{ ALL, snip_kinds, 0x00, 10, "branches of every kind" },
	{ SKYLAKE | HASWELL | NEHALEM, snip_kinds, 0x01, 2, "conditional branches" },
	{ SAPPHIRERAPIDS, snip_kinds, 0x01, 1, "conditional branches, taken" },
	{ SAPPHIRERAPIDS, snip_kinds, 0x11, 2, "conditional branches" },
	{ ALL, snip_kinds, 0x02, 2, "near calls" },
	{ SKYLAKE | HASWELL | NEHALEM, snip_kinds, 0x04, 10, "branches, by the name with PEBS" },
	{ SKYLAKE | HASWELL | SAPPHIRERAPIDS, snip_kinds, 0x08, 2, "near returns" },
	{ NEHALEM, snip_kinds, 0x08, 0, "no such event: near returns" },
	{ SKYLAKE | HASWELL | SAPPHIRERAPIDS, snip_kinds, 0x10, 1, "branches not taken" },
	{ SKYLAKE | HASWELL | SAPPHIRERAPIDS, snip_kinds, 0x20, 7, "near taken branches" },
	{ SKYLAKE | HASWELL | SAPPHIRERAPIDS, snip_loop, 0x20, 99, "taken branches of a loop" },
	{ SKYLAKE | HASWELL | SAPPHIRERAPIDS, snip_kinds, 0x40, 2, "far branches: LRET, IRET" },
	{ SAPPHIRERAPIDS, snip_kinds, 0x80, 2, "indirect jumps and calls" },
};

static void check_events(void)
{
	int i, wrong = 0;

	count(snip_nops, EV_INSTRUCTIONS, 64 + STOP_INSNS, "instructions");
	count(snip_nops, EV_CYCLES, (64 + STOP_INSNS) / 2, "cycles: two instructions in each (by choice)");
	count(snip_nops, EV_LLC_REFERENCES, 0, "no LLC references");
	count(snip_nops, EV_BRANCHES, 0, "no branches");
	count(snip_loop, EV_INSTRUCTIONS, 201 + STOP_INSNS, "instructions of a loop");
	count(snip_loop, EV_BRANCHES, 100, "branches of a loop");
	for (i = 0; i < ARRAY_SIZE(branches); i++)
		if (on(branches[i].on))
			count(branches[i].snippet, branches[i].umask << 8 | EV_BRANCHES, branches[i].count, branches[i].name);
	count(snip_nops, 0x00f7, 0, "an event that does not exist never counts");
	count(snip_nops, EV_INSTRUCTIONS | 2ULL << 24, (64 + STOP_INSNS) / 2, "CMASK 2: cycles with two instructions");
	count(snip_nops, EV_INSTRUCTIONS | 3ULL << 24, 0, "CMASK 3: no cycle has three");
	for (i = 0; i < model->gp; i++)
		set(EVTSEL(i), EV_BRANCHES | SEL_OS | SEL_EN);
	quiet();
	for (i = 0; i < model->gp; i++)
		set(EVTSEL(i), EV_BRANCHES | SEL_OS | SEL_EN);
	snip_loop(GLOBAL_CTRL, BIT_ULL(model->gp) - 1);
	for (i = 0; i < model->gp; i++)
		wrong += get(PMC(i)) != 100;
	check_is(0, wrong, "all counters at once");
	quiet();
}

static void check_privilege(void)
{
	set(EVTSEL(0), EV_INSTRUCTIONS | SEL_OS | SEL_EN);
	set(EVTSEL(1), EV_INSTRUCTIONS | SEL_USR | SEL_EN);
	set(EVTSEL(2), EV_INSTRUCTIONS | SEL_USR | SEL_OS | SEL_EN);
	set(EVTSEL(3), EV_INSTRUCTIONS | SEL_EN);
	set(FIXED_CTRL, 1 | 2 << 4 | 3 << 8);
	snip_loop(GLOBAL_CTRL, 0x70000000fULL);
	check_is(201 + STOP_INSNS, get(PMC(0)), "OS counts at CPL 0");
	check_is(0, get(PMC(1)), "USR does not count at CPL 0");
	check_is(201 + STOP_INSNS, get(PMC(2)), "OS and USR count at CPL 0");
	check_is(0, get(PMC(3)), "neither counts nothing");
	check_is(201 + STOP_INSNS, get(FIXED(0)), "fixed counter 0, OS");
	check_is(0, get(FIXED(1)), "fixed counter 1, USR");
	/*
	 * By choice: 103 cycles for 205 instructions, the first three of which fill
	 * two; 20 each for the first branch and the last, which go the other way
	 * than expected; one for each of the 98 between.
	 */
	check_is(103 + 2 * 20 + 98, get(FIXED(2)), "fixed counter 2, both: cycles");
	quiet();
	set(EVTSEL(0), EV_BRANCHES | SEL_USR | SEL_EN);
	snip_loop(GLOBAL_CTRL, 1);
	check_is(0, get(PMC(0)), "branches: USR does not count at CPL 0");
	quiet();
}

static void check_enables(void)
{
	set(EVTSEL(0), EV_INSTRUCTIONS | SEL_OS);
	snip_nops(GLOBAL_CTRL, 1);
	check_is(0, get(PMC(0)), "EN of EVTSEL is needed");
	set(EVTSEL(0), EV_INSTRUCTIONS | SEL_OS | SEL_EN);
	snip_nops(GLOBAL_CTRL, 2);
	check_is(0, get(PMC(0)), "the bit of GLOBAL_CTRL is needed");
	if (on(VERSION_4)) {
		set(STATUS_SET, STATUS_CTR_FRZ);
		snip_nops(GLOBAL_CTRL, 1);
		check_is(0, get(PMC(0)), "CTR_FRZ of the status stops counting");
		set(STATUS_RESET, STATUS_CTR_FRZ);
		snip_nops(GLOBAL_CTRL, 1);
		check_is(64 + STOP_INSNS, get(PMC(0)), "counting goes on when CTR_FRZ is cleared");
	}
	quiet();
	set(GLOBAL_CTRL, 1);
	snip_nops(EVTSEL(0), EV_INSTRUCTIONS | SEL_OS | SEL_EN);
	check_is(64 + STOP_INSNS, get(PMC(0)), "started and stopped by EVTSEL");
	set(GLOBAL_CTRL, BIT_ULL(32));
	snip_nops(FIXED_CTRL, 1);
	check_is(64 + STOP_INSNS, get(FIXED(0)), "started and stopped by FIXED_CTR_CTRL");
	quiet();
}

void counters_check(void)
{
	quiet();
	check_events();
	check_privilege();
	check_enables();
}
