// SPDX-License-Identifier: GPL-2.0
/* The LBR: every kind of branch, every filter, the call-stack mode. */
#include <linux/kernel.h>
#include "fidelity.h"

#define CALLSTACK	(BIT_ULL(9) | BIT_ULL(8) | BIT_ULL(7) | BIT_ULL(6) | BIT_ULL(2))

/* The taken branches of snip_kinds, oldest first, and their LBR_SELECT bits. */
static const struct {
	const char *from, *to;
	int bit;
} kinds[] = {
	{ k_jcc, k_jcc_to, 2 },
	{ k_call, k_callee, 3 },
	{ k_callee, k_called, 5 },
	{ k_icall, k_icallee, 4 },
	{ k_icallee, k_icalled, 5 },
	{ k_ijmp, k_ijmp_to, 6 },
	{ k_jmp, k_jmp_to, 7 },
	{ k_lret, k_lret_to, 8 },
	{ k_iret, k_iret_to, 8 },
};

/* Whether entry i, counted from 0, is this; wants nothing of INFO. */
static bool entry_is(int i, const char *from, const char *to)
{
	return get(LBR_FROM(i)) == (u64)from && get(LBR_TO(i)) == (u64)to;
}

/* The records of snip_kinds under a filter, in the order of the ring. */
static bool kinds_recorded(u64 select)
{
	int i, n = 0;
	bool good = true;

	quiet();
	set(LBR_SELECT, select);
	snip_kinds(DEBUGCTL, DEBUGCTL_LBR);
	if (!(select & 1))
		for (i = 0; i < ARRAY_SIZE(kinds); i++)
			if (!(select & BIT_ULL(kinds[i].bit)))
				good &= entry_is(++n, kinds[i].from, kinds[i].to);
	good &= get(LBR_TOS) == n && entry_is(n + 1, NULL, NULL);
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

	snip_loop(DEBUGCTL, DEBUGCTL_LBR);
	for (i = 0; i < LBR_DEPTH; i++)
		wrong += !entry_is(i, loop_jnz, loop_top);
	check_is(0, wrong, "99 branches fill the ring");
	check_is(99 % LBR_DEPTH, get(LBR_TOS), "TOS wraps");
	check_is(2, get(LBR_INFO(50 % LBR_DEPTH)) & 0xffff, "INFO: cycles since the last record");
	quiet();
	set(LBR_TOS, 30);
	snip_kinds(DEBUGCTL, DEBUGCTL_LBR);
	check(entry_is(31, k_jcc, k_jcc_to) && entry_is(0, k_call, k_callee), "records follow a TOS that was written");
	quiet();
}

/* SDM: exceptions are far transfers, from the instruction that faulted. */
static void check_fault(void)
{
	set(LBR_SELECT, 0xfc);
	snip_fault(DEBUGCTL, DEBUGCTL_LBR);
	check_is(2, get(LBR_TOS), "a fault and its IRET are two records");
	check_is((u64)f_fault, get(LBR_FROM(1)), "from the instruction that faulted");
	check_is((u64)f_resume, get(LBR_TO(2)), "to where IRET returned");
	quiet();
}

static void check_callstack(void)
{
	int i, wrong = 0;

	set(LBR_SELECT, CALLSTACK);
	snip_stack(DEBUGCTL, DEBUGCTL_LBR);
	check(entry_is(1, s_call_a, s_a) && entry_is(2, s_call_c, s_c) && get(LBR_TOS) == 2,
	      "call-stack mode: calls that are open, indirect ones too");
	check(entry_is(3, NULL, NULL), "no record of a zero-length call");
	quiet();

	set(LBR_SELECT, CALLSTACK);
	snip_balanced(DEBUGCTL, DEBUGCTL_LBR);
	check(get(LBR_TOS) == 0 && entry_is(1, NULL, NULL) && entry_is(2, NULL, NULL),
	      "returns take their records away");
	quiet();

	set(LBR_SELECT, CALLSTACK);
	snip_deep(DEBUGCTL, DEBUGCTL_LBR);
	for (i = 0; i < LBR_DEPTH; i++)
		wrong += !entry_is(i, r_call, r_f);
	check(!wrong && get(LBR_TOS) == 40 % LBR_DEPTH, "40 calls deep: the youngest 32");
	quiet();

	set(LBR_SELECT, CALLSTACK);
	snip_underflow(DEBUGCTL, DEBUGCTL_LBR);
	check(get(LBR_TOS) == 31 && entry_is(0, NULL, NULL), "a return without its call steps TOS back");
	quiet();

	set(LBR_SELECT, CALLSTACK | 1);
	snip_stack(DEBUGCTL, DEBUGCTL_LBR);
	check(get(LBR_TOS) == 0 && entry_is(1, NULL, NULL), "call-stack mode of user space: none of the kernel's");
	quiet();
}

void branches_check(void)
{
	quiet();
	check_filters();
	check_ring();
	check_fault();
	check_callstack();
}
