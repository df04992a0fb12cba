// SPDX-License-Identifier: GPL-2.0
/* The LBR: every kind of branch, every filter, the call-stack mode. */
#include <linux/kernel.h>
#include "fidelity.h"

#define CALLSTACK	(BIT_ULL(9) | BIT_ULL(8) | BIT_ULL(7) | BIT_ULL(6) | BIT_ULL(2))
#define INFO_CYCLES	0xffffULL

/*
 * The taken branches of snip_kinds, oldest first, their LBR_SELECT bits, and
 * their types in bits 59:56 of IA32_LBR_x_INFO.
 */
static const struct {
	const char *from, *to;
	int bit, type;
} kinds[] = {
	{ k_jcc, k_jcc_to, 2, 0 },
	{ k_call, k_callee, 3, 4 },
	{ k_callee, k_called, 5, 5 },
	{ k_icall, k_icallee, 4, 3 },
	{ k_icallee, k_icalled, 5, 5 },
	{ k_ijmp, k_ijmp_to, 6, 1 },
	{ k_jmp, k_jmp_to, 7, 2 },
	{ k_lret, k_lret_to, 8, 8 },
	{ k_iret, k_iret_to, 8, 8 },
};

/*
 * What a filter keeps out. Linux's driver knows of Nehalem that it records calls
 * only where it records the jumps of the same form.
 */
static u64 kept_out(u64 select)
{
	if (on(NEHALEM) && select & BIT(7))
		select |= BIT(3);
	if (on(NEHALEM) && select & BIT(6))
		select |= BIT(4);
	return select;
}

/* The records of snip_kinds under a filter: these, in order, and no others. */
static bool kinds_recorded(u64 select)
{
	u64 out = kept_out(select);
	int i, age = 0;
	bool good = true;

	quiet();
	record(snip_kinds, select);
	if (!(select & 1))
		for (i = ARRAY_SIZE(kinds) - 1; i >= 0; i--)
			if (!(out & BIT_ULL(kinds[i].bit)))
				good &= entry_is(age++, kinds[i].from, kinds[i].to);
	good &= entry_is_empty(age);
	if (on(LEGACY_LBR))
		good &= get(LBR_TOS) == age;
	quiet();
	return good;
}

static void check_filters(void)
{
	u64 select;
	int wrong = 0;

	check(kinds_recorded(0), "every kind of branch, from and to");
	check(kinds_recorded(2), "CPL_NEQ_0 leaves the kernel's in");
	check(kinds_recorded(1), "CPL_EQ_0 keeps them out");
	for (select = 0; select < BIT(9); select++)
		if (!kinds_recorded(select) && !wrong++)
			note("# LBR_SELECT 0x%llx", select);
	check_is(0, wrong, "all 512 filters");
}

static void check_ring(void)
{
	int i, wrong = 0;

	record(snip_loop, 0);
	for (i = 0; i < model->lbr_depth; i++)
		wrong += !entry_is(i, loop_jnz, loop_top);
	check_is(0, wrong, "99 branches fill the ring");
	check(!entry_mispredicted(0), "a loop is predicted");
	if (on(HAS_LBR_INFO))
		check_is(1, entry_info(10) & INFO_CYCLES, "INFO: cycles since the last record");
	if (on(LEGACY_LBR)) {
		check_is(99 % model->lbr_depth, get(LBR_TOS), "TOS wraps");
		quiet();
		set(LBR_TOS, model->lbr_depth - 2);
		record(snip_kinds, 0);
		check_is(7, get(LBR_TOS), "records follow a TOS that was written");
		check(entry_is(8, k_jcc, k_jcc_to) && entry_is(7, k_call, k_callee), "across the end of the ring");
	}
	quiet();
}

/*
 * The counter of mispredictions and the records agree. The loop's last branch
 * is not taken; taken ones are mispredicted among the indirect jumps.
 */
static void check_mispredictions(void)
{
	int age, count = 0;
	u64 value;
	u32 msr;

	set(EVTSEL(0), EV_NEAR_TAKEN_MISSES | SEL_OS | SEL_EN);
	msr = lbr_switch(0, &value);
	set(GLOBAL_CTRL, 1);
	snip_alternate(msr, value);
	set(GLOBAL_CTRL, 0);
	for (age = 0; age < 11; age++)
		count += entry_mispredicted(age);
	check(count >= 5 && count < 11 && entry_is_empty(11), "jumps to two targets in turn are mispredicted");
	if (!on(NEHALEM))
		check_is(get(PMC(0)), count, "as many as the event says");
	quiet();
}

/* SDM: exceptions are far transfers, from the instruction that faulted. */
static void check_fault(void)
{
	record(snip_fault, 0xfc);
	check(entry_is_empty(2), "a fault and its IRET are two records");
	check_is((u64)f_resume, entry_to(0), "to where IRET returned");
	check(entry_is(1, f_fault, (char *)entry_to(1)), "from the instruction that faulted");
	quiet();
}

/*
 * Format 4 on a CPU without transactions: what the CPU records has zeros in
 * bits 62:61 of FROM, what WRMSR takes has the sign of the address there. Linux:
 * lbr_from_signext_quirk_wr().
 */
static void check_sign_extension(void)
{
	u64 from;

	record(snip_loop, 0);
	from = get(LBR_FROM(get(LBR_TOS)));
	check_is(on(HASWELL) ? 0 : on(NEHALEM) ? 3 : 7, from >> 61, "bits 63:61 of a recorded FROM in the kernel");
	check(!try_set(LBR_FROM(0), from) == !on(HASWELL),
	      on(HASWELL) ? "WRMSR does not take what was recorded" : "WRMSR takes what was recorded");
	quiet();
}

static void check_callstack(void)
{
	int i, wrong = 0;

	record(snip_stack, CALLSTACK);
	check(entry_is(1, s_call_a, s_a) && entry_is(0, s_call_c, s_c),
	      "call-stack mode: calls that are open, indirect ones too");
	check(entry_is_empty(2), "no record of a zero-length call");
	record(snip_underflow, CALLSTACK);
	check(entry_is(0, s_call_a, s_a) && entry_is_empty(1), "one more return takes the youngest away");
	quiet();

	record(snip_balanced, CALLSTACK);
	check(entry_is_empty(0) && entry_is_empty(model->lbr_depth - 1), "returns take their records away");
	if (on(LEGACY_LBR))
		check_is(0, get(LBR_TOS), "and TOS is back");
	quiet();

	record(snip_deep, CALLSTACK);
	for (i = 0; i < model->lbr_depth; i++)
		wrong += !entry_is(i, r_call, r_f);
	check_is(0, wrong, "40 calls deep: the youngest fill the ring");
	if (on(LEGACY_LBR))
		check_is(40 % model->lbr_depth, get(LBR_TOS), "40 calls deep: TOS");
	quiet();

	record(snip_underflow, CALLSTACK);
	check(entry_is_empty(0), "a return without its call leaves no record");
	if (on(LEGACY_LBR))
		check_is(model->lbr_depth - 1, get(LBR_TOS), "a return without its call steps TOS back");
	quiet();

	record(snip_stack, CALLSTACK | 1);
	check(entry_is_empty(0), "call-stack mode of user space: no branches of the kernel");
	quiet();
}

/* IA32_LBR_x_INFO[63:56]: MISPRED, IN_TSX, TSX_ABORT, CYC_CNT_VALID, BR_TYPE */
static void check_types(void)
{
	int i, wrong = 0;

	record(snip_kinds, 0);
	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		if ((entry_info(ARRAY_SIZE(kinds) - 1 - i) >> 56 & 0x7f) != (0x10 | kinds[i].type) && !wrong++)
			note("# branch %d: INFO 0x%llx", i, entry_info(ARRAY_SIZE(kinds) - 1 - i));
	check_is(0, wrong, "INFO: every type of branch, cycles valid, no transaction");
	quiet();
}

static bool all_empty(void)
{
	int i;

	for (i = 0; i < model->lbr_depth; i++)
		if (!entry_is_empty(i))
			return false;
	return true;
}

/* Beyond the depth there are no registers. */
static bool ends_at(int depth)
{
	u64 value;

	return try_get(ARCH_FROM(depth), &value) && try_get(ARCH_TO(depth), &value) &&
	       try_get(ARCH_INFO(depth), &value) && try_set(ARCH_FROM(depth), 0) &&
	       !try_get(ARCH_INFO(depth - 1), &value);
}

static void check_depth(void)
{
	static const u64 depths[] = { 8, 16, 32 };
	static const u64 wrong_depths[] = { 0, 1, 7, 12, 24, 40, 64, BIT_ULL(32) | 32 };
	int i, age, wrong = 0;
	u64 value;

	check_is(32, get(ARCH_DEPTH), "LBR_DEPTH");
	record(snip_loop, 0);
	set(ARCH_DEPTH, 32);
	check(all_empty(), "a write to LBR_DEPTH empties the LBR");
	for (i = 0; i < ARRAY_SIZE(depths); i++) {
		set(ARCH_DEPTH, depths[i]);
		wrong += get(ARCH_DEPTH) != depths[i] || !ends_at(depths[i]);
		record(snip_loop, 0);
		for (age = 0; age < depths[i]; age++)
			wrong += !entry_is(age, loop_jnz, loop_top);
		set(ARCH_DEPTH, 32);
		wrong += !all_empty();
	}
	check_is(0, wrong, "depths 8, 16, 32: so many records and registers");

	set(ARCH_DEPTH, 8);
	record(snip_loop, 0);
	for (i = wrong = 0; i < ARRAY_SIZE(wrong_depths); i++)
		wrong += !try_set(ARCH_DEPTH, wrong_depths[i]);
	check_is(0, wrong, "other depths are refused");
	check(!try_get(ARCH_DEPTH, &value) && value == 8 && entry_is(7, loop_jnz, loop_top),
	      "a refused depth changes nothing");
	quiet();
}

/* SDM vol. 4: a write to IA32_DEBUGCTL.LBR is ignored where LBRs are architectural */
static void check_debugctl(void)
{
	u64 value;

	snip_kinds(DEBUGCTL, DEBUGCTL_LBR);
	check(all_empty(), "DEBUGCTL.LBR records nothing");
	set(DEBUGCTL, DEBUGCTL_LBR);
	check(!try_get(DEBUGCTL, &value) && !value, "DEBUGCTL.LBR reads as 0");
	quiet();
}

void branches_check(void)
{
	quiet();
	check_filters();
	check_ring();
	check_mispredictions();
	check_fault();
	if (on(LEGACY_LBR))
		check_sign_extension();
	if (!on(NEHALEM))
		check_callstack();
	if (on(SAPPHIRERAPIDS)) {
		check_types();
		check_depth();
		check_debugctl();
	}
}
