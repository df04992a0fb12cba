// SPDX-License-Identifier: GPL-2.0
/* AMD's LBR stack: entries, filters, flags, freezing. Entry 0 is the youngest. */
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <asm/processor.h>
#include <asm/debugreg.h>
#include "amd.h"

/* The taken branches of snip_kinds, oldest first, and their filter bits. */
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

/* A record of this branch, however predicted: valid, not speculative. */
static bool recorded(int i, const char *from, const char *to)
{
	return (get(AMD_FROM(i)) & ~AMD_MISPRED) == AMD_IP(from) && get(AMD_TO(i)) == (AMD_VALID | AMD_IP(to));
}

static bool unused(int i)
{
	return !get(AMD_FROM(i)) && !get(AMD_TO(i));
}

/* The records of snip_kinds under a filter. */
static bool kinds_recorded(u64 select)
{
	bool good = true;
	int i, n = 0;

	amd_quiet();
	set(AMD_SELECT, select);
	snip_kinds(AMD_DEBUG_EXTN, AMD_LBRSE);
	for (i = ARRAY_SIZE(kinds) - 1; i >= 0; i--)
		if (!(select & (1 | BIT_ULL(kinds[i].bit))))
			good &= recorded(n++, kinds[i].from, kinds[i].to);
	for (; n < AMD_DEPTH; n++)
		good &= unused(n);
	return good;
}

static void check_filters(void)
{
	u64 select;
	int wrong = 0;

	check(kinds_recorded(0), "every kind of branch, from and to, valid; the other entries not");
	check(kinds_recorded(2), "CplGt0 leaves the kernel's in");
	check(kinds_recorded(1), "CplEq0 keeps them out");
	for (select = 0; select < BIT(9); select++)
		if (!kinds_recorded(select) && !wrong++)
			note("# LastBranchStackSelect 0x%llx", select);
	check_is(0, wrong, "all 512 filters");
	amd_quiet();
}

static void check_stack(void)
{
	int i, wrong = 0;

	snip_kinds(DEBUGCTL, DEBUGCTL_LBR);
	check(unused(0), "DebugCtl.LBR does not start the stack");
	snip_loop(AMD_DEBUG_EXTN, AMD_LBRSE);
	for (i = 0; i < AMD_DEPTH; i++)
		wrong += !recorded(i, loop_jnz, loop_top);
	check_is(0, wrong, "99 branches fill the stack");
	amd_quiet();

	set(AMD_FROM(3), 0x123);
	set(AMD_TO(3), AMD_SPEC | 0x456);
	set(AMD_SELECT, 0x1fb);
	snip_kinds(AMD_DEBUG_EXTN, AMD_LBRSE);
	check(unused(0), "CplEq0 and CplGt0: no branches");
	set(AMD_SELECT, 0x1fa);
	snip_kinds(AMD_DEBUG_EXTN, AMD_LBRSE);
	check(recorded(0, k_jcc, k_jcc_to) && get(AMD_FROM(4)) == 0x123 && get(AMD_TO(4)) == (AMD_SPEC | 0x456),
	      "a record moves the older ones by one");
	amd_quiet();
}

/* The branch that leaves snip_deep was not taken 39 times before. */
static void check_mispredict(void)
{
	set(AMD_SELECT, 0x1fa);
	snip_deep(AMD_DEBUG_EXTN, AMD_LBRSE);
	check(!unused(0) && unused(1), "one taken branch");
	check(get(AMD_FROM(0)) & AMD_MISPRED, "mispredicted");
	amd_quiet();
	snip_loop(AMD_DEBUG_EXTN, AMD_LBRSE);
	check_is(0, get(AMD_FROM(0)) & AMD_MISPRED, "a loop's 99th round is not");
	amd_quiet();
}

static void check_fault(void)
{
	set(AMD_SELECT, 0xfc);
	snip_fault(AMD_DEBUG_EXTN, AMD_LBRSE);
	check(!unused(1) && unused(2), "a fault and its IRET are two records");
	check_is(AMD_IP(f_fault), get(AMD_FROM(1)), "from the instruction that faulted");
	check_is(AMD_VALID | AMD_IP(f_resume), get(AMD_TO(0)), "to where IRET returned");
	amd_quiet();
}

/* A data breakpoint without an owner: Linux's handler ignores it. */
static void check_debug_exception(void)
{
	static u32 watched;

	set_debugreg((unsigned long)&watched, 0);
	set(DEBUGCTL, DEBUGCTL_LBR | DEBUGCTL_FREEZE_LBRS);
	set(AMD_DEBUG_EXTN, AMD_LBRSE);
	set_debugreg(0xd0602UL, 7); /* DR0: 4 bytes, written */
	WRITE_ONCE(watched, 1);
	set_debugreg(0x400UL, 7);
	check_is(0, get(AMD_DEBUG_EXTN), "a debug exception clears LBRSE");
	check_is(DEBUGCTL_FREEZE_LBRS, get(DEBUGCTL), "and DebugCtl.LBR, nothing else");
	set_debugreg(0UL, 0);
	amd_quiet();
}

static u64 handler_from;

static void branch(void)
{
	snip_kinds(0xc0010007, 0);
	handler_from = get(AMD_FROM(0));
}

static void overflow_in_loop(void)
{
	set(AMD_CTR(0), MINUS(50));
	set(AMD_EVTSEL(0), AMD_BRANCHES | SEL_OS | SEL_EN | SEL_INT);
	set(AMD_DEBUG_EXTN, AMD_LBRSE);
	pmi.hits = 0;
	snip_loop(AMD_CTL, 1);
	set(AMD_DEBUG_EXTN, 0);
}

static void check_freeze(void)
{
	pmi.hook = branch;
	set(DEBUGCTL, DEBUGCTL_FREEZE_LBRS);
	overflow_in_loop();
	check_is(1 | STATUS_LBR_FRZ, pmi.status, "FLBRI: the status says so");
	check((amd_top_from & ~AMD_MISPRED) == AMD_IP(loop_jnz) && amd_top_to == (AMD_VALID | AMD_IP(loop_top)),
	      "the youngest record is the branch that overflowed");
	check_is(amd_top_from, handler_from, "branches of the handler are not recorded");
	check(!(get(AMD_STATUS) & STATUS_LBR_FRZ) && get(AMD_FROM(0)) != amd_top_from, "after StatusClr it goes on");
	amd_quiet();

	overflow_in_loop();
	check_is(1, pmi.status, "without the bit nothing freezes");
	check(handler_from != amd_top_from && (amd_top_from & ~AMD_MISPRED) != AMD_IP(loop_jnz), "without the bit the handler is in the records");
	pmi.hook = NULL;
	amd_quiet();

	set(AMD_STATUS_SET, STATUS_LBR_FRZ);
	snip_kinds(AMD_DEBUG_EXTN, AMD_LBRSE);
	check(unused(0), "LBRSF set by StatusSet stops the stack");
	amd_quiet();
}

void amd_branches_check(void)
{
	amd_quiet();
	check_filters();
	check_stack();
	check_mispredict();
	check_fault();
	check_debug_exception();
	check_freeze();
}
