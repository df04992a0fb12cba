// SPDX-License-Identifier: GPL-2.0
/*
 * The last branch records: calls the family that this CPU has.
 *
 * The family is chosen by comparisons and not by function pointers: an indirect call
 * costs a retpoline, in the NMI and in the scheduler.
 *
 * There are three families of branch records.  Intel's legacy ones have formats 1 to 7
 * (format 0 belongs to 32-bit CPUs, which the module does not support), 8 to 32 entries, a
 * filter, and call-stack mode since Haswell.  The architectural ones are accessed by XSAVES
 * and XRSTORS where the CPU and the kernel have them enabled, else by RDMSR and WRMSR.  The
 * third family is AMD's LbrExtV2.  The words are delivered as they are, with all flags.
 */
#include <linux/compiler.h>
#include <linux/kprobes.h>
#include <linux/percpu.h>

#include "compat/kvm.h"
#include "lbr/kinds.h"
#include "lbr/lbr.h"
#include "pmu/caps.h"

/* Whether ls_lbr_pause() is in force.  Written on the CPU, interrupts off. */
static DEFINE_PER_CPU(bool, lbr_paused);

int ls_lbr_init(void)
{
	return ls_lbr_arch_init();
}

void ls_lbr_exit(void)
{
	ls_lbr_arch_exit();
}

/* Whether the recording of branches is switched on, by the module or not. */
bool ls_lbr_in_use(void)
{
	switch (ls_caps.lbr) {
	case CAPS_LBR_LEGACY:
		return ls_lbr_legacy_in_use();
	case CAPS_LBR_ARCH:
		return ls_lbr_arch_in_use();
	case CAPS_LBR_AMD:
		return ls_lbr_amd_in_use();
	case CAPS_LBR_NONE:
		break;
	}
	return false;
}
NOKPROBE_SYMBOL(ls_lbr_in_use);

/*
 * Checked from time to time.  If Intel PT has begun in between, each entry that is read
 * raises a #GP, which msr.h catches, and reads as empty.
 */
bool ls_lbr_lost(void)
{
	return ls_caps.lbr == CAPS_LBR_LEGACY && ls_lbr_legacy_lost();
}
NOKPROBE_SYMBOL(ls_lbr_lost);

/*
 * A kernel whose KVM keeps IA32_DEBUGCTL with the virtual CPU restores the session's
 * value after STOP, until that virtual CPU is loaded anew.  The next START must not take
 * this for another user of the branch records.
 */
bool ls_lbr_left(const struct ls_lbr_saved *saved)
{
	return COMPAT_KVM_KEEPS_DEBUGCTL && ls_caps.lbr == CAPS_LBR_LEGACY &&
	       ls_lbr_legacy_left(saved);
}

void ls_lbr_start(struct ls_lbr_saved *saved, const struct ls_lbr_mode *mode)
{
	if (ls_caps.lbr == CAPS_LBR_LEGACY)
		ls_lbr_legacy_start(saved, mode);
	else if (ls_caps.lbr == CAPS_LBR_ARCH)
		ls_lbr_arch_start(saved, mode);
	else
		ls_lbr_amd_start(saved, mode);
}

void ls_lbr_stop(const struct ls_lbr_saved *saved)
{
	if (ls_caps.lbr == CAPS_LBR_LEGACY)
		ls_lbr_legacy_stop(saved);
	else if (ls_caps.lbr == CAPS_LBR_ARCH)
		ls_lbr_arch_stop(saved);
	else
		ls_lbr_amd_stop(saved);
}

bool ls_lbr_save(struct ls_lbr_stack *stack, u32 depth, bool targets)
{
	if (ls_caps.lbr != CAPS_LBR_LEGACY)
		return ls_lbr_arch_save(stack, depth, targets);
	if (unlikely(!ls_lbr_legacy_in_use()) && ls_lbr_heal()) {
		stack->nr = 0;
		return false;
	}
	ls_lbr_legacy_save(stack, depth, targets);
	return true;
}
NOKPROBE_SYMBOL(ls_lbr_save);

size_t ls_lbr_image_size(void)
{
	return ls_lbr_arch_image_size();
}

void ls_lbr_set_image(struct ls_lbr_stack *stack, void *memory)
{
	ls_lbr_arch_set_image(stack, memory);
}

void ls_lbr_unpack(struct ls_lbr_stack *stack, bool targets)
{
	if (stack->image)
		ls_lbr_arch_unpack(stack, targets);
}

bool ls_lbr_holds(const struct ls_lbr_stack *stack)
{
	if (ls_caps.lbr == CAPS_LBR_LEGACY)
		return ls_lbr_legacy_holds(stack);
	return ls_lbr_arch_holds(stack);
}

void ls_lbr_restore(const struct ls_lbr_stack *stack, bool targets)
{
	if (ls_caps.lbr == CAPS_LBR_LEGACY)
		ls_lbr_legacy_restore(stack, targets);
	else
		ls_lbr_arch_restore(stack, targets);
}

void ls_lbr_push(u64 from, u64 to, bool targets)
{
	if (ls_caps.lbr == CAPS_LBR_LEGACY)
		ls_lbr_legacy_push(from, to, targets);
	else
		ls_lbr_arch_push(from, to, targets);
}

u32 ls_lbr_words(const struct ls_lbr_mode *mode)
{
	if (mode->call_stack)
		return mode->targets ? 2 : 1;
	if (!mode->history)
		return 0;
	return ls_caps.lbr_info && !ls_caps.lbr_packs ? 3 : 2;
}

/* The bits of FROM in the first word of a packed entry; the others are INFO's. */
#define LBR_PACKED_FROM		GENMASK_ULL(47, 0)

/* FROM decides: clearing leaves the TO of another task in place. */
u32 ls_lbr_filled(const u64 *word, u32 nr, u32 words)
{
	const u64 from = ls_caps.lbr_packs ? LBR_PACKED_FROM : ~0ULL;

	while (nr && !(word[(nr - 1) * words] & from))
		nr--;
	return nr;
}
NOKPROBE_SYMBOL(ls_lbr_filled);

/* Since PerfMon version 4, and on AMD, acknowledging the overflow thaws the records. */
bool ls_lbr_freezes(const struct ls_lbr_mode *mode)
{
	return mode->history && ls_lbr_stops_at_pmi();
}
NOKPROBE_SYMBOL(ls_lbr_freezes);

void ls_lbr_thaw(void)
{
	if (!this_cpu_read(lbr_paused))
		ls_lbr_legacy_resume();
}
NOKPROBE_SYMBOL(ls_lbr_thaw);

/* The flag is set first: an NMI then does not switch the records on again. */
void ls_lbr_pause(void)
{
	this_cpu_write(lbr_paused, true);
	barrier();
	if (likely(ls_caps.lbr == CAPS_LBR_LEGACY))
		ls_lbr_legacy_pause();
	else if (ls_caps.lbr == CAPS_LBR_ARCH)
		ls_lbr_arch_pause();
	else
		ls_lbr_amd_pause();
}

void ls_lbr_reassert(void)
{
	if (this_cpu_read(lbr_paused))
		return;
	if (ls_caps.lbr == CAPS_LBR_LEGACY)
		ls_lbr_legacy_resume();
	else if (ls_caps.lbr == CAPS_LBR_ARCH)
		ls_lbr_arch_resume();
	else
		ls_lbr_amd_resume();
}
NOKPROBE_SYMBOL(ls_lbr_reassert);

bool ls_lbr_heal(void)
{
	if (this_cpu_read(lbr_paused))
		return false;
	ls_lbr_clear();
	ls_lbr_reassert();
	return true;
}
NOKPROBE_SYMBOL(ls_lbr_heal);

/* A debug exception does not stop the architectural records: see debug.c. */
bool ls_lbr_stopped(void)
{
	return ls_caps.lbr != CAPS_LBR_ARCH && !this_cpu_read(lbr_paused) &&
	       !ls_lbr_in_use();
}
NOKPROBE_SYMBOL(ls_lbr_stopped);

void ls_lbr_resume(void)
{
	this_cpu_write(lbr_paused, false);
	barrier();
	ls_lbr_reassert();
}

/* Makes all entries invalid, for the next task. */
void ls_lbr_clear(void)
{
	if (ls_caps.lbr == CAPS_LBR_LEGACY)
		ls_lbr_legacy_clear();
	else if (ls_caps.lbr == CAPS_LBR_ARCH)
		ls_lbr_arch_clear();
	else
		ls_lbr_amd_clear();
}
NOKPROBE_SYMBOL(ls_lbr_clear);

/* The topmost bit of an address, with page tables of 4 levels and of 5. */
#define LBR_SIGN_4_LEVELS	BIT_ULL(47)
#define LBR_SIGN_5_LEVELS	BIT_ULL(56)

void ls_lbr_hide_kernel(struct ls_lbr_stack *stack, const struct ls_lbr_mode *mode)
{
	const u32 words = ls_lbr_words(mode);
	const u64 *end = stack->words + stack->nr * words;
	u64 signs = LBR_SIGN_4_LEVELS;
	u64 *word;

	/*
	 * Packed entries, and those with cycles in TO, have other bits above the
	 * address, and do not occur with 5 levels.
	 */
	if (!(mode->history && ls_caps.lbr_packs) &&
	    ls_caps.lbr_format != LBRSCOPE_LBR_FORMAT_TIME)
		signs |= LBR_SIGN_5_LEVELS;
	for (word = stack->words; word != end; word += words) {
		if (!((word[0] | (words > 1 ? word[1] : 0)) & signs))
			continue;
		word[0] = 0;
		if (words > 1)
			word[1] = 0;
		if (words > 2)
			word[2] = 0;
	}
}
NOKPROBE_SYMBOL(ls_lbr_hide_kernel);
