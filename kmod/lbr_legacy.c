// SPDX-License-Identifier: GPL-2.0
/*
 * The last branch records in call-stack mode, as model-specific registers:
 * format 5 (Skylake and later), SDM vol. 3 "Last Branch, Interrupt, and
 * Exception Recording".
 *
 * In call-stack mode a near call pushes an entry and a near return pops one,
 * clearing it and moving the top of stack (TOS) back, so that the valid
 * entries are the run from TOS down to the first FROM that is zero.
 */
#include "caps.h"
#include "lbr.h"
#include "msr.h"

/*
 * MSR_LBR_SELECT: the branch kinds are suppressed by a set bit, call-stack
 * mode is enabled by one.  Ring 0 is left out: the NMI's own calls, and the
 * kernel's, would push the program's frames out.
 */
enum {
	LBR_SELECT_NO_CPL_EQ_0	= 1 << 0,	/* do not capture at ring 0 */
	LBR_SELECT_NO_JCC	= 1 << 2,	/* nor conditional branches */
	LBR_SELECT_NO_IND_JMP	= 1 << 6,
	LBR_SELECT_NO_REL_JMP	= 1 << 7,
	LBR_SELECT_NO_FAR	= 1 << 8,
	LBR_SELECT_CALL_STACK	= 1 << 9,

	LBR_SELECT_USER_STACK	= LBR_SELECT_NO_CPL_EQ_0 | LBR_SELECT_NO_JCC |
				  LBR_SELECT_NO_IND_JMP |
				  LBR_SELECT_NO_REL_JMP | LBR_SELECT_NO_FAR |
				  LBR_SELECT_CALL_STACK,
};

/*
 * The bits of IA32_DEBUGCTL that are ours while a session runs; the others
 * (BTF, bus locks, freezing in SMM) are somebody else's.
 */
#define LBR_DEBUGCTL	(DEBUGCTLMSR_LBR | DEBUGCTLMSR_FREEZE_LBRS_ON_PMI)

/* Registers of entry i, counted from the youngest. */
static __always_inline u32 lbr_index(u32 tos, u32 i)
{
	return (tos - i) & (ls_caps.lbr_depth - 1);
}

/* Somebody records branches now. */
bool ls_lbr_in_use(void)
{
	return msr_read(MSR_IA32_DEBUGCTLMSR) & DEBUGCTLMSR_LBR;
}

/* No valid entries: what the next task sees. */
void ls_lbr_clear(void)
{
	u32 i;

	for (i = 0; i < ls_caps.lbr_depth; i++)
		msr_write(MSR_LBR_NHM_FROM + i, 0);
}

/* Not even traces of entries: what the next owner sees. */
static void lbr_wipe(void)
{
	u32 i;

	ls_lbr_clear();
	for (i = 0; i < ls_caps.lbr_depth; i++) {
		msr_write(MSR_LBR_NHM_TO + i, 0);
		msr_write(MSR_LBR_INFO_0 + i, 0);
	}
}

/*
 * Freezing the records on a PMI is off: a PMI close to a call or return would
 * move TOS once too often (arch/x86/events/intel/lbr.c), and with ring 0 left
 * out there is nothing that could overwrite them meanwhile.
 */
void ls_lbr_start(struct lbr_saved *saved)
{
	saved->debugctl = msr_read(MSR_IA32_DEBUGCTLMSR);
	saved->select = msr_read(MSR_LBR_SELECT);
	saved->tos = msr_read(MSR_LBR_TOS);
	lbr_wipe();
	msr_write(MSR_LBR_SELECT, LBR_SELECT_USER_STACK);
	msr_write(MSR_IA32_DEBUGCTLMSR,
		  (saved->debugctl & ~LBR_DEBUGCTL) | DEBUGCTLMSR_LBR);
}

void ls_lbr_stop(const struct lbr_saved *saved)
{
	u64 debugctl = msr_read(MSR_IA32_DEBUGCTLMSR) & ~LBR_DEBUGCTL;

	msr_write(MSR_IA32_DEBUGCTLMSR, debugctl);
	lbr_wipe();
	msr_write(MSR_LBR_TOS, saved->tos);
	msr_write(MSR_LBR_SELECT, saved->select);
	msr_write(MSR_IA32_DEBUGCTLMSR,
		  debugctl | (saved->debugctl & LBR_DEBUGCTL));
}

/* 1 + 2 nr reads, and one for the end of the run where it is not full. */
void ls_lbr_read(struct lbr_stack *stack)
{
	u32 tos = msr_read(MSR_LBR_TOS) & (ls_caps.lbr_depth - 1);
	u32 i;

	for (i = 0; i < ls_caps.lbr_depth; i++) {
		u32 reg = lbr_index(tos, i);
		u64 from = msr_read(MSR_LBR_NHM_FROM + reg);

		if (!from)
			break;
		stack->from[i] = from;
		stack->to[i] = msr_read(MSR_LBR_NHM_TO + reg);
	}
	stack->nr = i;
	stack->tos = tos;
}

/*
 * Do the registers still hold what was read from them?  A deep C-state clears
 * them; the youngest entry tells, as in arch/x86/events/intel/lbr.c.
 */
bool ls_lbr_holds(const struct lbr_stack *stack)
{
	return !stack->nr || msr_read(MSR_LBR_NHM_FROM + stack->tos);
}

/*
 * All other entries become invalid: returns out of the oldest frame of this
 * stack step through them, and must not come upon those of another task.
 */
void ls_lbr_restore(const struct lbr_stack *stack)
{
	u32 tos = (stack->nr - 1) & (ls_caps.lbr_depth - 1);
	u32 i;

	for (i = 0; i < stack->nr; i++) {
		u32 reg = lbr_index(tos, i);

		msr_write(MSR_LBR_NHM_FROM + reg, stack->from[i]);
		msr_write(MSR_LBR_NHM_TO + reg, stack->to[i]);
	}
	for (; i < ls_caps.lbr_depth; i++)
		msr_write(MSR_LBR_NHM_FROM + lbr_index(tos, i), 0);
	msr_write(MSR_LBR_TOS, tos);
}
