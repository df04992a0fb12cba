// SPDX-License-Identifier: GPL-2.0
/*
 * Intel's model-specific last branch records, from Nehalem and Silvermont to the last
 * generation before the architectural ones: SDM vol. 3 "Last Branch, Interrupt, and
 * Exception Recording".  Formats differ in the place of the flags; words are delivered as
 * read, and user space decodes them (ctl/pmu/branches.c).
 *
 * In call-stack mode a near call pushes an entry; a near return clears the youngest one
 * and moves the top of stack (TOS) back.  The valid entries are those from TOS down to
 * the first FROM that is zero.
 */
#include <linux/bits.h>
#include <linux/kprobes.h>
#include <linux/minmax.h>
#include <linux/percpu.h>
#include <asm/cpufeature.h>

#include <linux/lbrscope.h>

#include "lbr/kinds.h"
#include "pmu/caps.h"
#include "pmu/msr.h"

/*
 * MSR_LBR_SELECT: a set bit suppresses a kind of branch, or enables call-stack mode.
 * Call-stack mode leaves ring 0 out: calls of the NMI and the kernel would push the
 * program's frames out.
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
 * The bits of IA32_DEBUGCTL that the module owns while a session runs.  The others (BTF,
 * bus locks, freezing in SMM) belong to the kernel.
 */
#define LBR_DEBUGCTL	(DEBUGCTLMSR_LBR | DEBUGCTLMSR_FREEZE_LBRS_ON_PMI)

#define LBR_FORMAT_EIP_FLAGS2	4	/* Haswell, Broadwell */

/*
 * Intel PT has begun to trace on this CPU, which excludes the branch records there: until
 * the next START no register of them is accessed.  Written on the CPU, by the NMI or with
 * interrupts off.
 */
static DEFINE_PER_CPU(bool, lbr_legacy_excluded);

static bool ls_lbr_legacy_traced(void)
{
	return !ls_caps.lbr_beside_pt && boot_cpu_has(X86_FEATURE_INTEL_PT) &&
	       msr_read(MSR_IA32_RTIT_CTL) & RTIT_CTL_TRACEEN;
}
NOKPROBE_SYMBOL(ls_lbr_legacy_traced);

bool ls_lbr_legacy_lost(void)
{
	if (ls_lbr_legacy_traced())
		this_cpu_write(lbr_legacy_excluded, true);
	return this_cpu_read(lbr_legacy_excluded);
}
NOKPROBE_SYMBOL(ls_lbr_legacy_lost);

/* Returns the register number of entry i, counted from the youngest. */
static __always_inline u32 ls_lbr_legacy_index(u32 tos, u32 i)
{
	return (tos - i) & (ls_caps.lbr_depth - 1);
}

static __always_inline u32 ls_lbr_legacy_from(u32 reg)
{
	return ls_caps.lbr_from + reg;
}

static __always_inline u32 ls_lbr_legacy_to(u32 reg)
{
	return ls_caps.lbr_to + reg;
}

/*
 * In format 4 bits 62:61 of FROM are flags of a transaction.  On CPUs without
 * transactions these bits are part of the sign in a write, which raises #GP if the sign
 * is not extended (lbr_from_signext_quirk_wr() in arch/x86/events/intel/lbr.c).
 */
static u64 ls_lbr_legacy_from_writable(u64 from)
{
	if (ls_caps.lbr_format != LBR_FORMAT_EIP_FLAGS2 ||
	    boot_cpu_has(X86_FEATURE_HLE) || boot_cpu_has(X86_FEATURE_RTM))
		return from;
	from &= ~GENMASK_ULL(62, 61);
	return from | (from & GENMASK_ULL(60, 59)) << 2;
}

bool ls_lbr_legacy_left(const struct ls_lbr_saved *saved)
{
	return saved->ours &&
	       (msr_read(MSR_IA32_DEBUGCTLMSR) & LBR_DEBUGCTL) == saved->ours;
}

void ls_lbr_legacy_clear(void)
{
	u32 i;

	if (unlikely(this_cpu_read(lbr_legacy_excluded)))
		return;
	for (i = 0; i < ls_caps.lbr_depth; i++)
		msr_write(ls_lbr_legacy_from(i), 0);
}
NOKPROBE_SYMBOL(ls_lbr_legacy_clear);

/* Clears everything, for the next owner. */
static void ls_lbr_legacy_wipe(void)
{
	u32 i;

	ls_lbr_legacy_clear();
	for (i = 0; i < ls_caps.lbr_depth; i++) {
		msr_write(ls_lbr_legacy_to(i), 0);
		if (ls_caps.lbr_info)
			msr_write(MSR_LBR_INFO_0 + i, 0);
	}
}

/*
 * The filter has the bits of MSR_LBR_SELECT, inverted.  Where the CPU passes calls only
 * together with jumps of the same form, these are let through as well.
 */
static u64 ls_lbr_legacy_select(const struct ls_lbr_mode *mode)
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
 * A history freezes at the PMI, so that it ends with the program's branches and not with
 * those of the NMI.  A call stack does not freeze: a PMI close to a call or return would
 * move TOS once too often (arch/x86/events/intel/lbr.c), and without ring 0 nothing
 * overwrites it in the NMI.
 */
void ls_lbr_legacy_start(struct ls_lbr_saved *saved, const struct ls_lbr_mode *mode)
{
	this_cpu_write(lbr_legacy_excluded, false);
	saved->debugctl = msr_read(MSR_IA32_DEBUGCTLMSR);
	/* A recording that ls_lbr_left() reports is not restored. */
	if (saved->debugctl & DEBUGCTLMSR_LBR)
		saved->debugctl &= ~LBR_DEBUGCTL;
	saved->ours = DEBUGCTLMSR_LBR |
		      (mode->history ? DEBUGCTLMSR_FREEZE_LBRS_ON_PMI : 0);
	saved->tos = msr_read(MSR_LBR_TOS);
	ls_lbr_legacy_wipe();
	saved->select = msr_read(MSR_LBR_SELECT);
	msr_write(MSR_LBR_SELECT, ls_lbr_legacy_select(mode));
	msr_write(MSR_IA32_DEBUGCTLMSR,
		  (saved->debugctl & ~LBR_DEBUGCTL) | saved->ours);
}

/*
 * While Intel PT traces, the entries and the filter keep their contents: they cannot be
 * read then, and their next user clears them first, as the kernel does.
 */
void ls_lbr_legacy_stop(const struct ls_lbr_saved *saved)
{
	u64 debugctl = msr_read(MSR_IA32_DEBUGCTLMSR) & ~LBR_DEBUGCTL;

	msr_write(MSR_IA32_DEBUGCTLMSR, debugctl);
	this_cpu_write(lbr_legacy_excluded, ls_lbr_legacy_traced());
	if (!this_cpu_read(lbr_legacy_excluded)) {
		ls_lbr_legacy_wipe();
		msr_write(MSR_LBR_TOS, saved->tos);
		msr_write(MSR_LBR_SELECT, saved->select);
	}
	msr_write(MSR_IA32_DEBUGCTLMSR,
		  debugctl | (saved->debugctl & LBR_DEBUGCTL));
}

void ls_lbr_legacy_pause(void)
{
	if (unlikely(this_cpu_read(lbr_legacy_excluded)))
		return;
	msr_write(MSR_IA32_DEBUGCTLMSR,
		  msr_read(MSR_IA32_DEBUGCTLMSR) & ~DEBUGCTLMSR_LBR);
}

/* Before PerfMon version 4, freezing clears IA32_DEBUGCTL.LBR. */
void ls_lbr_legacy_resume(void)
{
	if (unlikely(this_cpu_read(lbr_legacy_excluded)))
		return;
	msr_write(MSR_IA32_DEBUGCTLMSR,
		  msr_read(MSR_IA32_DEBUGCTLMSR) | DEBUGCTLMSR_LBR);
}
NOKPROBE_SYMBOL(ls_lbr_legacy_resume);

/* CPUs with INFO have FROM and TO at Nehalem's place.  packs is a constant. */
static __always_inline u64 *ls_lbr_legacy_put_info(u64 *word, u32 reg, const bool packs)
{
	return ls_lbr_put_entry(word, MSR_LBR_NHM_FROM + reg, MSR_LBR_NHM_TO + reg,
				MSR_LBR_INFO_0 + reg, packs);
}

static __always_inline u64 *ls_lbr_legacy_put_pair(u64 *word, u32 from, u32 to)
{
	ls_lbr_put_word(word, msr_read_halves(from));
	ls_lbr_put_word(word + 1, msr_read_halves(to));
	return word + 2;
}

enum ls_lbr_legacy_entry { LBR_LEGACY_PAIR, LBR_LEGACY_INFO, LBR_LEGACY_PACKED };

/*
 * Reads `depth` entries, youngest first: those down to a multiple of four, then four in a row
 * without a check for the last one, then the rest.
 * Constants are in local variables: the compiler would reload them after each RDMSR.  kind
 * is a constant.
 */
static __always_inline void ls_lbr_legacy_read(u64 *word, u32 depth,
					       const enum ls_lbr_legacy_entry kind)
{
	const u32 mask = ls_caps.lbr_depth - 1;
	const u32 froms = ls_caps.lbr_from, tos = ls_caps.lbr_to;
	u32 reg = ls_lbr_legacy_tos(), first = min((reg + 1) & 3, depth), i;
	u32 left = depth - first;

#define ls_lbr_legacy_put(reg) \
	(kind == LBR_LEGACY_PAIR ? \
	 ls_lbr_legacy_put_pair(word, froms + (reg), tos + (reg)) : \
	 ls_lbr_legacy_put_info(word, reg, kind == LBR_LEGACY_PACKED))
	for (; first; first--, reg--)
		word = ls_lbr_legacy_put(reg);
	for (; left >= 4; left -= 4, reg -= 4) {
		reg &= mask;
#pragma GCC unroll 4
		for (i = 0; i < 4; i++)
			word = ls_lbr_legacy_put(reg - i);
	}
	for (reg &= mask; left; left--, reg--)
		word = ls_lbr_legacy_put(reg);
#undef ls_lbr_legacy_put
}

u32 ls_lbr_legacy_read_history(u64 *word, u32 depth)
{
	if (unlikely(this_cpu_read(lbr_legacy_excluded)))
		return 0;
	if (ls_caps.lbr_packs)
		ls_lbr_legacy_read(word, depth, LBR_LEGACY_PACKED);
	else if (ls_caps.lbr_info)
		ls_lbr_legacy_read(word, depth, LBR_LEGACY_INFO);
	else
		ls_lbr_legacy_read(word, depth, LBR_LEGACY_PAIR);
	return depth;
}
NOKPROBE_SYMBOL(ls_lbr_legacy_read_history);

void ls_lbr_legacy_save(struct ls_lbr_stack *stack, u32 depth, bool targets)
{
	const u64 *end;

	stack->nr = 0;
	if (unlikely(this_cpu_read(lbr_legacy_excluded)))
		return;
	stack->tos = ls_lbr_legacy_tos();
	end = targets ? ls_lbr_legacy_read_calls(stack->words, stack->tos, depth, true) :
			ls_lbr_legacy_read_calls(stack->words, stack->tos, depth, false);
	stack->nr = (end - stack->words) >> targets;
}
NOKPROBE_SYMBOL(ls_lbr_legacy_save);

/*
 * Whether the registers still hold the saved entries.  A deep C-state clears them; the
 * youngest entry tells, as in arch/x86/events/intel/lbr.c.
 */
bool ls_lbr_legacy_holds(const struct ls_lbr_stack *stack)
{
	return !stack->nr || this_cpu_read(lbr_legacy_excluded) ||
	       msr_read(ls_lbr_legacy_from(stack->tos));
}

/*
 * All other entries become invalid: a return from the oldest frame of this stack reaches
 * them, and must not find entries of another task.  Without targets TO is not written,
 * since nobody reads it.
 */
void ls_lbr_legacy_restore(const struct ls_lbr_stack *stack, bool targets)
{
	u32 tos = (stack->nr - 1) & (ls_caps.lbr_depth - 1);
	const u64 *word = stack->words;
	u32 i;

	if (unlikely(this_cpu_read(lbr_legacy_excluded)))
		return;
	for (i = 0; i < stack->nr; i++) {
		u32 reg = ls_lbr_legacy_index(tos, i);

		msr_write(ls_lbr_legacy_from(reg), ls_lbr_legacy_from_writable(*word++));
		if (targets)
			msr_write(ls_lbr_legacy_to(reg), *word++);
	}
	for (; i < ls_caps.lbr_depth; i++)
		msr_write(ls_lbr_legacy_from(ls_lbr_legacy_index(tos, i)), 0);
	msr_write(MSR_LBR_TOS, tos);
}

void ls_lbr_legacy_push(u64 from, u64 to, bool targets)
{
	u32 tos;

	if (unlikely(this_cpu_read(lbr_legacy_excluded)))
		return;
	tos = (ls_lbr_legacy_tos() + 1) & (ls_caps.lbr_depth - 1);
	msr_write(ls_lbr_legacy_from(tos), from);
	if (targets)
		msr_write(ls_lbr_legacy_to(tos), to);
	msr_write(MSR_LBR_TOS, tos);
}
