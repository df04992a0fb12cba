// SPDX-License-Identifier: GPL-2.0
/*
 * Intel's architectural last branch records: SDM vol. 3 "Architectural Last
 * Branch Records".  Entry 0 is always the youngest, there is no TOS, and a
 * write to IA32_LBR_DEPTH empties them all.
 */
#include <linux/bits.h>
#include <linux/kernel.h>

#include <linux/lbrscope.h>

#include "caps.h"
#include "lbr_kinds.h"
#include "msr.h"

/* IA32_LBR_CTL */
#define LBR_CTL_EN		BIT_ULL(0)
#define LBR_CTL_OS		BIT_ULL(1)
#define LBR_CTL_USR		BIT_ULL(2)
#define LBR_CTL_CALL_STACK	BIT_ULL(3)
#define LBR_CTL_REL_CALL	BIT_ULL(19)
#define LBR_CTL_IND_CALL	BIT_ULL(20)
#define LBR_CTL_RET		BIT_ULL(21)

/* Ring 0 is left out, see lbr_legacy.c. */
#define LBR_CTL_USER_STACK	(LBR_CTL_EN | LBR_CTL_USR | LBR_CTL_CALL_STACK | \
				 LBR_CTL_REL_CALL | LBR_CTL_IND_CALL | \
				 LBR_CTL_RET)

bool ls_lbr_arch_in_use(void)
{
	return msr_read(MSR_ARCH_LBR_CTL) & LBR_CTL_EN;
}

void ls_lbr_arch_clear(void)
{
	msr_write(MSR_ARCH_LBR_DEPTH, ls_caps.lbr_depth);
}

static u64 lbr_control(const struct lbr_mode *mode)
{
	static const struct { u32 filter; u64 control; } bits[] = {
		{ LBRSCOPE_FILTER_KERNEL, LBR_CTL_OS },
		{ LBRSCOPE_FILTER_USER, LBR_CTL_USR },
		{ LBRSCOPE_FILTER_COND, BIT_ULL(16) },
		{ LBRSCOPE_FILTER_REL_JMP, BIT_ULL(17) },
		{ LBRSCOPE_FILTER_IND_JMP, BIT_ULL(18) },
		{ LBRSCOPE_FILTER_REL_CALL, LBR_CTL_REL_CALL },
		{ LBRSCOPE_FILTER_IND_CALL, LBR_CTL_IND_CALL },
		{ LBRSCOPE_FILTER_RET, LBR_CTL_RET },
		{ LBRSCOPE_FILTER_FAR, BIT_ULL(22) },
	};
	u64 control = LBR_CTL_EN;
	u32 i;

	if (mode->call_stack)
		return LBR_CTL_USER_STACK;
	for (i = 0; i < ARRAY_SIZE(bits); i++)
		if (mode->filter & bits[i].filter)
			control |= bits[i].control;
	return control;
}

/* Histories stop at the PMI and call stacks do not, see lbr_legacy.c. */
void ls_lbr_arch_start(struct lbr_saved *saved, const struct lbr_mode *mode)
{
	u64 debugctl;

	saved->debugctl = msr_read(MSR_IA32_DEBUGCTLMSR);
	saved->control = msr_read(MSR_ARCH_LBR_CTL);
	saved->tos = msr_read(MSR_ARCH_LBR_DEPTH);
	debugctl = saved->debugctl & ~DEBUGCTLMSR_FREEZE_LBRS_ON_PMI;
	if (mode->history)
		debugctl |= DEBUGCTLMSR_FREEZE_LBRS_ON_PMI;
	msr_write(MSR_IA32_DEBUGCTLMSR, debugctl);
	ls_lbr_arch_clear();
	msr_write(MSR_ARCH_LBR_CTL, lbr_control(mode));
}

void ls_lbr_arch_stop(const struct lbr_saved *saved)
{
	u64 debugctl = msr_read(MSR_IA32_DEBUGCTLMSR) &
		       ~DEBUGCTLMSR_FREEZE_LBRS_ON_PMI;

	msr_write(MSR_ARCH_LBR_CTL, 0);
	msr_write(MSR_ARCH_LBR_DEPTH, saved->tos);
	msr_write(MSR_IA32_DEBUGCTLMSR, debugctl |
		  (saved->debugctl & DEBUGCTLMSR_FREEZE_LBRS_ON_PMI));
	msr_write(MSR_ARCH_LBR_CTL, saved->control);
}

/* 2 nr reads, and one for the end of the run where it is not full. */
void ls_lbr_arch_read_calls(struct lbr_stack *stack)
{
	u32 i;

	for (i = 0; i < ls_caps.lbr_depth; i++) {
		u64 from = msr_read(MSR_ARCH_LBR_FROM_0 + i);

		if (!from)
			break;
		stack->from[i] = from;
		stack->to[i] = msr_read(MSR_ARCH_LBR_TO_0 + i);
	}
	stack->nr = i;
	stack->tos = 0;
}

void ls_lbr_arch_read_history(struct lbr_stack *stack)
{
	u32 i;

	for (i = 0; i < ls_caps.lbr_depth; i++) {
		stack->from[i] = msr_read(MSR_ARCH_LBR_FROM_0 + i);
		stack->to[i] = msr_read(MSR_ARCH_LBR_TO_0 + i);
		stack->info[i] = msr_read(MSR_ARCH_LBR_INFO_0 + i);
	}
	stack->nr = i;
	stack->tos = 0;
}

/* A deep C-state clears them: CPUID.1CH:EAX[31], always assumed. */
bool ls_lbr_arch_holds(const struct lbr_stack *stack)
{
	return !stack->nr || msr_read(MSR_ARCH_LBR_FROM_0);
}

/* All other entries become invalid, see lbr_legacy.c. */
void ls_lbr_arch_restore(const struct lbr_stack *stack)
{
	u32 i;

	ls_lbr_arch_clear();
	for (i = 0; i < stack->nr; i++) {
		msr_write(MSR_ARCH_LBR_FROM_0 + i, stack->from[i]);
		msr_write(MSR_ARCH_LBR_TO_0 + i, stack->to[i]);
	}
}
