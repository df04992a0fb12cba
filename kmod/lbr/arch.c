// SPDX-License-Identifier: GPL-2.0
/*
 * Intel's architectural last branch records: SDM vol. 3 "Architectural Last
 * Branch Records".  Entry 0 is always the youngest, there is no TOS, and a
 * write to IA32_LBR_DEPTH empties them all.
 *
 * Before 5.14 the kernel restores a task's FPU state by an XRSTORS of all components
 * (__copy_kernel_to_fpregs() with a mask of -1), which clears the architectural branch
 * records and switches them off.  There the module clears their bit in IA32_XSS while a
 * session uses them, and reads them by RDMSR.
 */
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/percpu.h>
#include <linux/string.h>

#include <linux/lbrscope.h>

#include "compat/fpu.h"
#include "lbr/kinds.h"
#include "pmu/caps.h"
#include "pmu/msr.h"

/* IA32_LBR_CTL */
#define LBR_CTL_EN		BIT_ULL(0)
#define LBR_CTL_OS		BIT_ULL(1)
#define LBR_CTL_USR		BIT_ULL(2)
#define LBR_CTL_CALL_STACK	BIT_ULL(3)
#define LBR_CTL_REL_CALL	BIT_ULL(19)
#define LBR_CTL_IND_CALL	BIT_ULL(20)
#define LBR_CTL_RET		BIT_ULL(21)

/* Ring 0 is left out, see lbr/legacy.c. */
#define LBR_CTL_USER_STACK	(LBR_CTL_EN | LBR_CTL_USR | LBR_CTL_CALL_STACK | \
				 LBR_CTL_REL_CALL | LBR_CTL_IND_CALL | \
				 LBR_CTL_RET)

/*
 * The image that XSAVES and XRSTORS read and write: all registers in one instruction, if
 * the CPU and the kernel have that.  SDM vol. 1 "Compacted XSAVE Format", with the LBR
 * state as the only component; bits and offsets of the header are from the manual.
 */
struct ls_lbr_image {
	u8 legacy[512];
	struct {
		u64 xstate_bv;	/* components that are not in their initial state */
		u64 xcomp_bv;	/* components that are here */
		u64 reserved[6];
	} header;
	struct {
		u64 control, depth, ler_from, ler_to, ler_info;
		struct ls_lbr_registers {
			u64 from, to, info;
		} entries[LBR_DEPTH_MAX];
	} lbr;
} __aligned(64);

/*
 * The images of a CPU: one for a clock's interrupt, one for a trigger that fires in
 * it, and one for the NMI that may interrupt both.  in_nmi() cannot distinguish them,
 * since it is true in a probe as well.  Context: interrupts off.
 */
struct ls_lbr_areas {
	u32 used;
	struct ls_lbr_image areas[3];
};

/*
 * Allocated, because all modules together have 8 KiB of static data per CPU, and this is
 * half of that.  NULL: there is no XSAVES.
 */
static struct ls_lbr_areas __percpu *lbr_areas;

/* IA32_LBR_CTL of the running session; written before its CPUs start. */
static u64 lbr_running;

/* The same for this CPU; 0 while its recording is paused. */
static DEFINE_PER_CPU(u64, lbr_control_now);

/*
 * Takes an image.  The caller returns it; nested users have returned theirs before.
 * Returns: NULL if there is no XSAVES, or if more than one trigger has interrupted a
 * clock's interrupt.  The caller then accesses the registers by RDMSR and WRMSR.
 */
static struct ls_lbr_image *ls_lbr_arch_area_get(void)
{
	struct ls_lbr_areas *mine;
	u32 used;

	if (!ls_caps.lbr_xsaves)
		return NULL;
	mine = this_cpu_ptr(lbr_areas);
	used = READ_ONCE(mine->used);
	if (unlikely(used == ARRAY_SIZE(mine->areas)))
		return NULL;
	WRITE_ONCE(mine->used, used + 1);
	barrier();
	return &mine->areas[used];
}

static void ls_lbr_arch_area_put(void)
{
	barrier();
	this_cpu_dec(lbr_areas->used);
}

/* XSAVES64 and XRSTORS64 [rdi] as bytes, since not every assembler knows them. */
static __always_inline void ls_lbr_arch_xsaves(struct ls_lbr_image *area)
{
	asm volatile(".byte 0x48, 0x0f, 0xc7, 0x2f"
		     : : "D" (area), "a" ((u32)LBR_XSTATE), "d" (0) : "memory");
}

/*
 * Returns: false if XRSTORS raises #GP: a WRMSR has taken an address, or another tool a
 * control, that the image must not have.  The manual excludes neither.
 */
static __always_inline bool ls_lbr_arch_xrstors(const struct ls_lbr_image *area)
{
	asm goto("1: .byte 0x48, 0x0f, 0xc7, 0x1f\n" _ASM_EXTABLE(1b, (%l[refused]))
		 : : "D" (area), "a" ((u32)LBR_XSTATE), "d" (0) : "memory" : refused);
	return true;
refused:
	return false;
}

/* As ls_lbr_heal(); lbr_control_now is 0 while the recording is paused. */
static bool ls_lbr_arch_heal(void)
{
	u64 control = this_cpu_read(lbr_control_now);

	if (!control)
		return false;
	ls_lbr_arch_clear();
	msr_write(MSR_ARCH_LBR_CTL, control);
	return true;
}
NOKPROBE_SYMBOL(ls_lbr_arch_heal);

/*
 * Reads all entries into the image.  The control is written again, because XSAVES of this
 * component may leave the recording off: the manual does not exclude it.  The image tells
 * whether it was off before.
 * Returns: 1; 0: there are no entries; LBR_OFF: it was off, and is on again.
 */
static u32 ls_lbr_arch_xsave(struct ls_lbr_image *area)
{
	u64 control = this_cpu_read(lbr_control_now);

	ls_lbr_arch_xsaves(area);
	if (!(area->header.xstate_bv & LBR_XSTATE)) {
		msr_write(MSR_ARCH_LBR_CTL, control);
		return 0;
	}
	if (unlikely(~area->lbr.control & control & LBR_CTL_EN)) {
		ls_lbr_arch_heal();
		return LBR_OFF;
	}
	msr_write(MSR_ARCH_LBR_CTL, control);
	return 1;
}
NOKPROBE_SYMBOL(ls_lbr_arch_xsave);

/* Whether somebody else has switched the recording off, where no image tells it. */
static bool ls_lbr_arch_off(void)
{
	return unlikely(!ls_lbr_arch_in_use()) && ls_lbr_arch_heal();
}
NOKPROBE_SYMBOL(ls_lbr_arch_off);

int ls_lbr_arch_init(void)
{
	if (!ls_caps.lbr_xsaves)
		return 0;
	lbr_areas = alloc_percpu(struct ls_lbr_areas);
	return lbr_areas ? 0 : -ENOMEM;
}

void ls_lbr_arch_exit(void)
{
	free_percpu(lbr_areas);
}

bool ls_lbr_arch_in_use(void)
{
	return msr_read(MSR_ARCH_LBR_CTL) & LBR_CTL_EN;
}
NOKPROBE_SYMBOL(ls_lbr_arch_in_use);

void ls_lbr_arch_clear(void)
{
	msr_write(MSR_ARCH_LBR_DEPTH, ls_caps.lbr_depth);
}
NOKPROBE_SYMBOL(ls_lbr_arch_clear);

static u64 ls_lbr_arch_control(const struct ls_lbr_mode *mode)
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

/*
 * If the kernel restored the records with each task's state, they would be lost.  So they
 * are no component of that state while the session uses them.  Nobody else needs the
 * component meanwhile, since perf has no event.
 */
static void ls_lbr_arch_leave_xsaves(struct ls_lbr_saved *saved)
{
	if (!COMPAT_FPU_RESTORES_ALL || !boot_cpu_has(X86_FEATURE_XSAVES))
		return;
	saved->xss = msr_read(MSR_IA32_XSS);
	if (saved->xss & LBR_XSTATE)
		msr_write(MSR_IA32_XSS, saved->xss & ~LBR_XSTATE);
}

static void ls_lbr_arch_rejoin_xsaves(const struct ls_lbr_saved *saved)
{
	if (COMPAT_FPU_RESTORES_ALL && saved->xss & LBR_XSTATE)
		msr_write(MSR_IA32_XSS, msr_read(MSR_IA32_XSS) | LBR_XSTATE);
}

/* A history freezes at the PMI and a call stack does not, see lbr/legacy.c. */
void ls_lbr_arch_start(struct ls_lbr_saved *saved, const struct ls_lbr_mode *mode)
{
	u64 debugctl;

	ls_lbr_arch_leave_xsaves(saved);
	saved->debugctl = msr_read(MSR_IA32_DEBUGCTLMSR);
	saved->control = msr_read(MSR_ARCH_LBR_CTL);
	saved->tos = msr_read(MSR_ARCH_LBR_DEPTH);
	debugctl = saved->debugctl & ~DEBUGCTLMSR_FREEZE_LBRS_ON_PMI;
	if (mode->history)
		debugctl |= DEBUGCTLMSR_FREEZE_LBRS_ON_PMI;
	msr_write(MSR_IA32_DEBUGCTLMSR, debugctl);
	ls_lbr_arch_clear();
	WRITE_ONCE(lbr_running, ls_lbr_arch_control(mode));
	ls_lbr_arch_resume();
}

void ls_lbr_arch_pause(void)
{
	this_cpu_write(lbr_control_now, 0);
	barrier();
	msr_write(MSR_ARCH_LBR_CTL, 0);
}

void ls_lbr_arch_resume(void)
{
	this_cpu_write(lbr_control_now, lbr_running);
	barrier();
	msr_write(MSR_ARCH_LBR_CTL, lbr_running);
}
NOKPROBE_SYMBOL(ls_lbr_arch_resume);

void ls_lbr_arch_stop(const struct ls_lbr_saved *saved)
{
	u64 debugctl = msr_read(MSR_IA32_DEBUGCTLMSR) &
		       ~DEBUGCTLMSR_FREEZE_LBRS_ON_PMI;

	msr_write(MSR_ARCH_LBR_CTL, 0);
	msr_write(MSR_ARCH_LBR_DEPTH, saved->tos);
	msr_write(MSR_IA32_DEBUGCTLMSR, debugctl |
		  (saved->debugctl & DEBUGCTLMSR_FREEZE_LBRS_ON_PMI));
	msr_write(MSR_ARCH_LBR_CTL, saved->control);
	ls_lbr_arch_rejoin_xsaves(saved);
}

/* Copies the open calls of an image and returns their end.  targets is a constant. */
static __always_inline u64 *ls_lbr_arch_copy_calls(const struct ls_lbr_image *area, u64 *word,
						   u32 depth, const bool targets)
{
	const struct ls_lbr_registers *entry = area->lbr.entries;
	const struct ls_lbr_registers *end = entry + depth;
	u64 from;

	for (; entry != end && (from = entry->from); entry++) {
		word[0] = from;
		if (targets)
			word[1] = entry->to;
		word += 1 + targets;
	}
	return word;
}

static u64 *ls_lbr_arch_put_calls(const struct ls_lbr_image *area, u64 *word, u32 depth,
				  bool targets)
{
	return targets ? ls_lbr_arch_copy_calls(area, word, depth, true) :
			 ls_lbr_arch_copy_calls(area, word, depth, false);
}
NOKPROBE_SYMBOL(ls_lbr_arch_put_calls);

static u64 *ls_lbr_arch_xsave_calls(struct ls_lbr_image *area, u64 *word, u32 depth,
				    bool targets)
{
	u32 has = ls_lbr_arch_xsave(area);

	if (likely(has))
		word = has == LBR_OFF ? NULL :
				       ls_lbr_arch_put_calls(area, word, depth, targets);
	ls_lbr_arch_area_put();
	return word;
}

/*
 * Costs one XSAVES; or 2 nr RDMSR (nr without targets), and one more to find the end if the
 * records are not full.
 */
u64 *ls_lbr_arch_read_calls(u64 *word, u32 depth, bool targets)
{
	struct ls_lbr_image *area = ls_lbr_arch_area_get();
	u32 i;

	if (likely(area))
		return ls_lbr_arch_xsave_calls(area, word, depth, targets);
	if (ls_lbr_arch_off())
		return NULL;
	for (i = 0; i < depth; i++) {
		u64 from = msr_read(MSR_ARCH_LBR_FROM_0 + i);

		if (!from)
			break;
		*word++ = from;
		if (targets)
			*word++ = msr_read(MSR_ARCH_LBR_TO_0 + i);
	}
	return word;
}
NOKPROBE_SYMBOL(ls_lbr_arch_read_calls);

size_t ls_lbr_arch_image_size(void)
{
	return ls_caps.lbr_xsaves ? sizeof(struct ls_lbr_image) +
				    __alignof__(struct ls_lbr_image) - 1 : 0;
}

void ls_lbr_arch_set_image(struct ls_lbr_stack *stack, void *memory)
{
	stack->image = PTR_ALIGN(memory, __alignof__(struct ls_lbr_image));
}

/*
 * A task's registers stay in its image as XSAVES wrote them: most tasks come back before a
 * record needs their calls.
 */
bool ls_lbr_arch_save(struct ls_lbr_stack *stack, u32 depth, bool targets)
{
	const u64 *end;
	u32 has;

	if (stack->image) {
		has = ls_lbr_arch_xsave(stack->image);
		stack->nr = has == 1 && stack->image->lbr.entries[0].from;
		return has != LBR_OFF;
	}
	end = ls_lbr_arch_read_calls(stack->words, depth, targets);
	stack->nr = end ? (end - stack->words) >> targets : 0;
	return end;
}
NOKPROBE_SYMBOL(ls_lbr_arch_save);

void ls_lbr_arch_unpack(struct ls_lbr_stack *stack, bool targets)
{
	if (stack->nr)
		stack->nr = (ls_lbr_arch_put_calls(stack->image, stack->words, ls_caps.lbr_depth,
						   targets) - stack->words) >> targets;
}

/* INFO replaces the bits of FROM and TO that are only their sign. */
static __always_inline void ls_lbr_arch_pack(u64 *word, const struct ls_lbr_registers *entry)
{
	struct lbrscope_branch *branch = (struct lbrscope_branch *)word;

	word[0] = entry->from;
	word[1] = entry->to;
	branch->cycles = entry->info;
	branch->flags = entry->info >> 48;
}

/* Packs eight entries at a time: that of the registers is a multiple of 8. */
static void ls_lbr_arch_pack_all(u64 *word, const struct ls_lbr_registers *entry, u32 depth)
{
	const struct ls_lbr_registers *end = entry + round_up(depth, 8);

	do {
		u32 i;

#pragma GCC unroll 8
		for (i = 0; i < 8; i++)
			ls_lbr_arch_pack(word + 2 * i, entry + i);
		word += 16;
		entry += 8;
	} while (entry != end);
}

static u32 ls_lbr_arch_xsave_history(struct ls_lbr_image *area, u64 *word, u32 depth)
{
	u32 nr = ls_lbr_arch_xsave(area);

	if (likely(nr == 1)) {
		nr = depth;
		if (ls_caps.lbr_packs)
			ls_lbr_arch_pack_all(word, area->lbr.entries, depth);
		else
			ls_lbr_copy(word, (const u64 *)area->lbr.entries, nr * LBR_WORDS_MAX);
	}
	ls_lbr_arch_area_put();
	return nr;
}

u32 ls_lbr_arch_read_history(u64 *word, u32 depth)
{
	struct ls_lbr_image *area = ls_lbr_arch_area_get();
	u32 i;

	if (likely(area))
		return ls_lbr_arch_xsave_history(area, word, depth);
	if (ls_lbr_arch_off())
		return LBR_OFF;
	for (i = 0; i < depth; i++)
		word = ls_lbr_put_entry(word, MSR_ARCH_LBR_FROM_0 + i,
					MSR_ARCH_LBR_TO_0 + i, MSR_ARCH_LBR_INFO_0 + i,
					ls_caps.lbr_packs);
	return i;
}
NOKPROBE_SYMBOL(ls_lbr_arch_read_history);

/* A deep C-state clears the entries (CPUID.1CH:EAX[31]); this is always assumed. */
bool ls_lbr_arch_holds(const struct ls_lbr_stack *stack)
{
	return !stack->nr || msr_read(MSR_ARCH_LBR_FROM_0);
}

/*
 * Makes all other entries invalid, see lbr/legacy.c.  An image has all entries.  A stack
 * has it wherever there is XSAVES.
 */
void ls_lbr_arch_restore(const struct ls_lbr_stack *stack, bool targets)
{
	const u64 *word = stack->words;
	u32 i;

	if (stack->image && stack->nr) {
		stack->image->lbr.control = this_cpu_read(lbr_control_now);
		if (unlikely(!ls_lbr_arch_xrstors(stack->image)))
			ls_lbr_arch_clear();
		return;
	}
	ls_lbr_arch_clear();
	for (i = 0; i < stack->nr; i++) {
		msr_write(MSR_ARCH_LBR_FROM_0 + i, *word++);
		if (targets)
			msr_write(MSR_ARCH_LBR_TO_0 + i, *word++);
	}
}

/* Entry 0 is the youngest: the valid entries move up by one. */
void ls_lbr_arch_push(u64 from, u64 to, bool targets)
{
	u32 i;

	for (i = 0; i < ls_caps.lbr_depth && from; i++) {
		u64 older_from = msr_read(MSR_ARCH_LBR_FROM_0 + i), older_to;

		msr_write(MSR_ARCH_LBR_FROM_0 + i, from);
		from = older_from;
		if (!targets)
			continue;
		older_to = msr_read(MSR_ARCH_LBR_TO_0 + i);
		msr_write(MSR_ARCH_LBR_TO_0 + i, to);
		to = older_to;
	}
}
