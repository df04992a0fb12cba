// SPDX-License-Identifier: GPL-2.0
/*
 * Intel's last branch records as model-specific registers, from Core 2 to the
 * generations before the architectural ones: SDM vol. 3 "Last Branch,
 * Interrupt, and Exception Recording".  The formats differ in where the flags
 * are, which is for user space to know; words are handled as they are.
 *
 * In call-stack mode a near call pushes an entry and a near return pops one,
 * clearing it and moving the top of stack (TOS) back, so that the valid
 * entries are the run from TOS down to the first FROM that is zero.
 */
#include <linux/bits.h>
#include <linux/kprobes.h>
#include <asm/cpufeature.h>

#include <linux/lbrscope.h>

#include "caps.h"
#include "lbr_kinds.h"
#include "msr.h"

/*
 * MSR_LBR_SELECT: the branch kinds are suppressed by a set bit, call-stack
 * mode is enabled by one.  In call-stack mode ring 0 is left out: the NMI's own
 * calls, and the kernel's, would push the program's frames out.
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

#define LBR_FORMAT_EIP_FLAGS2	4	/* Haswell, Broadwell */

/* Registers of entry i, counted from the youngest. */
static __always_inline u32 lbr_index(u32 tos, u32 i)
{
	return (tos - i) & (ls_caps.lbr_depth - 1);
}

static __always_inline u32 lbr_from(u32 reg)
{
	return ls_caps.lbr_from + reg;
}

static __always_inline u32 lbr_to(u32 reg)
{
	return ls_caps.lbr_to + reg;
}

/*
 * Format 4 has the flags of a transaction in bits 62:61 of FROM.  Where there
 * are no transactions these bits are part of the sign when written, and a
 * write whose sign is not extended faults (lbr_from_signext_quirk_wr() in
 * arch/x86/events/intel/lbr.c).
 */
static u64 lbr_from_writable(u64 from)
{
	if (ls_caps.lbr_format != LBR_FORMAT_EIP_FLAGS2 ||
	    boot_cpu_has(X86_FEATURE_HLE) || boot_cpu_has(X86_FEATURE_RTM))
		return from;
	from &= ~GENMASK_ULL(62, 61);
	return from | (from & GENMASK_ULL(60, 59)) << 2;
}

bool ls_lbr_legacy_in_use(void)
{
	return msr_read(MSR_IA32_DEBUGCTLMSR) & DEBUGCTLMSR_LBR;
}

bool ls_lbr_legacy_left(const struct lbr_saved *saved)
{
	return saved->ours &&
	       (msr_read(MSR_IA32_DEBUGCTLMSR) & LBR_DEBUGCTL) == saved->ours;
}

void ls_lbr_legacy_clear(void)
{
	u32 i;

	for (i = 0; i < ls_caps.lbr_depth; i++)
		msr_write(lbr_from(i), 0);
}

/* Not even traces of entries: what the next owner sees. */
static void lbr_wipe(void)
{
	u32 i;

	ls_lbr_legacy_clear();
	for (i = 0; i < ls_caps.lbr_depth; i++) {
		msr_write(lbr_to(i), 0);
		if (ls_caps.lbr_info)
			msr_write(MSR_LBR_INFO_0 + i, 0);
	}
}

/*
 * The filter's bits are those of MSR_LBR_SELECT, the other way round.  Where
 * calls need the jumps of their form, these come along.
 */
static u64 lbr_select(const struct lbr_mode *mode)
{
	u32 filter = mode->filter;

	if (mode->call_stack)
		return LBR_SELECT_USER_STACK;
	if (ls_caps.lbr_calls_as_jumps && filter & LBRSCOPE_FILTER_REL_CALL)
		filter |= LBRSCOPE_FILTER_REL_JMP;
	if (ls_caps.lbr_calls_as_jumps && filter & LBRSCOPE_FILTER_IND_CALL)
		filter |= LBRSCOPE_FILTER_IND_JMP;
	return ~filter & LBRSCOPE_FILTER_ALL;
}

/*
 * A history stops at the PMI, so that it ends with the program's branches and
 * not with the NMI's.  Call stacks do not: a PMI close to a call or return
 * would move TOS once too often (arch/x86/events/intel/lbr.c), and with ring 0
 * left out there is nothing that could overwrite them meanwhile.
 */
void ls_lbr_legacy_start(struct lbr_saved *saved, const struct lbr_mode *mode)
{
	saved->debugctl = msr_read(MSR_IA32_DEBUGCTLMSR);
	/* Recording is on only where ls_lbr_left(): that is not to be put back. */
	if (saved->debugctl & DEBUGCTLMSR_LBR)
		saved->debugctl &= ~LBR_DEBUGCTL;
	saved->ours = DEBUGCTLMSR_LBR |
		      (mode->history ? DEBUGCTLMSR_FREEZE_LBRS_ON_PMI : 0);
	saved->tos = msr_read(MSR_LBR_TOS);
	lbr_wipe();
	if (ls_caps.lbr_filter) {
		saved->select = msr_read(MSR_LBR_SELECT);
		msr_write(MSR_LBR_SELECT, lbr_select(mode));
	}
	msr_write(MSR_IA32_DEBUGCTLMSR,
		  (saved->debugctl & ~LBR_DEBUGCTL) | saved->ours);
}

void ls_lbr_legacy_stop(const struct lbr_saved *saved)
{
	u64 debugctl = msr_read(MSR_IA32_DEBUGCTLMSR) & ~LBR_DEBUGCTL;

	msr_write(MSR_IA32_DEBUGCTLMSR, debugctl);
	lbr_wipe();
	msr_write(MSR_LBR_TOS, saved->tos);
	if (ls_caps.lbr_filter)
		msr_write(MSR_LBR_SELECT, saved->select);
	msr_write(MSR_IA32_DEBUGCTLMSR,
		  debugctl | (saved->debugctl & LBR_DEBUGCTL));
}

void ls_lbr_legacy_pause(void)
{
	msr_write(MSR_IA32_DEBUGCTLMSR,
		  msr_read(MSR_IA32_DEBUGCTLMSR) & ~DEBUGCTLMSR_LBR);
}

/* Before version 4 freezing is switching off. */
void ls_lbr_legacy_resume(void)
{
	msr_write(MSR_IA32_DEBUGCTLMSR,
		  msr_read(MSR_IA32_DEBUGCTLMSR) | DEBUGCTLMSR_LBR);
}
NOKPROBE_SYMBOL(ls_lbr_legacy_resume);

/* With INFO, the others are where Nehalem has them; packs is constant. */
static __always_inline void lbr_read_info(u64 *word, const bool packs)
{
	const u32 mask = ls_caps.lbr_depth - 1;
	const u64 *end = word + ls_caps.lbr_depth * (packs ? 2 : 3);
	u32 reg = ls_lbr_legacy_tos();

	do {
		word = lbr_put_entry(word, MSR_LBR_NHM_FROM + reg,
				     MSR_LBR_NHM_TO + reg, MSR_LBR_INFO_0 + reg,
				     packs);
		reg = (reg - 1) & mask;
	} while (word != end);
}

/* What is constant is in registers: the compiler would read it again after each MSR. */
static void lbr_read_pairs(u64 *word)
{
	const u32 mask = ls_caps.lbr_depth - 1;
	const u32 froms = lbr_from(0), tos = lbr_to(0);
	const u64 *end = word + ls_caps.lbr_depth * 2;
	u32 reg = ls_lbr_legacy_tos();

	do {
		lbr_put_word(word++, msr_read_halves(froms + reg));
		lbr_put_word(word++, msr_read_halves(tos + reg));
		reg = (reg - 1) & mask;
	} while (word != end);
}

void ls_lbr_legacy_read_history(u64 *word)
{
	if (ls_caps.lbr_packs)
		lbr_read_info(word, true);
	else if (ls_caps.lbr_info)
		lbr_read_info(word, false);
	else
		lbr_read_pairs(word);
}
NOKPROBE_SYMBOL(ls_lbr_legacy_read_history);

void ls_lbr_legacy_save(struct lbr_stack *stack, bool targets)
{
	const u64 *end;

	stack->tos = ls_lbr_legacy_tos();
	end = targets ? lbr_legacy_read_calls(stack->words, stack->tos, true) :
			lbr_legacy_read_calls(stack->words, stack->tos, false);
	stack->nr = (end - stack->words) >> targets;
}
NOKPROBE_SYMBOL(ls_lbr_legacy_save);

/*
 * Do the registers still hold what was read from them?  A deep C-state clears
 * them; the youngest entry tells, as in arch/x86/events/intel/lbr.c.
 */
bool ls_lbr_legacy_holds(const struct lbr_stack *stack)
{
	return !stack->nr || msr_read(lbr_from(stack->tos));
}

/*
 * All other entries become invalid: returns out of the oldest frame of this
 * stack step through them, and must not come upon those of another task.  Without
 * targets TO stays as it was, and nobody reads it.
 */
void ls_lbr_legacy_restore(const struct lbr_stack *stack, bool targets)
{
	u32 tos = (stack->nr - 1) & (ls_caps.lbr_depth - 1);
	const u64 *word = stack->words;
	u32 i;

	for (i = 0; i < stack->nr; i++) {
		u32 reg = lbr_index(tos, i);

		msr_write(lbr_from(reg), lbr_from_writable(*word++));
		if (targets)
			msr_write(lbr_to(reg), *word++);
	}
	for (; i < ls_caps.lbr_depth; i++)
		msr_write(lbr_from(lbr_index(tos, i)), 0);
	msr_write(MSR_LBR_TOS, tos);
}

void ls_lbr_legacy_push(u64 from, u64 to, bool targets)
{
	u32 tos = (ls_lbr_legacy_tos() + 1) & (ls_caps.lbr_depth - 1);

	msr_write(lbr_from(tos), from);
	if (targets)
		msr_write(lbr_to(tos), to);
	msr_write(MSR_LBR_TOS, tos);
}
