// SPDX-License-Identifier: GPL-2.0
/*
 * The last branch records, of whichever family this CPU has.
 *
 * By comparing and not by function pointers: an indirect call costs a
 * retpoline, and these are in the NMI and in the scheduler.
 */
#include <linux/compiler.h>
#include <linux/kprobes.h>
#include <linux/percpu.h>

#include "caps.h"
#include "lbr.h"
#include "lbr_kinds.h"

/* ls_lbr_pause() holds.  Written on the CPU, interrupts off. */
static DEFINE_PER_CPU(bool, lbr_paused);

int ls_lbr_init(void)
{
	return ls_lbr_arch_init();
}

void ls_lbr_exit(void)
{
	ls_lbr_arch_exit();
}

/* Somebody records branches now. */
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

void ls_lbr_start(struct lbr_saved *saved, const struct lbr_mode *mode)
{
	if (ls_caps.lbr == CAPS_LBR_LEGACY)
		ls_lbr_legacy_start(saved, mode);
	else if (ls_caps.lbr == CAPS_LBR_ARCH)
		ls_lbr_arch_start(saved, mode);
	else
		ls_lbr_amd_start(saved, mode);
}

void ls_lbr_stop(const struct lbr_saved *saved)
{
	if (ls_caps.lbr == CAPS_LBR_LEGACY)
		ls_lbr_legacy_stop(saved);
	else if (ls_caps.lbr == CAPS_LBR_ARCH)
		ls_lbr_arch_stop(saved);
	else
		ls_lbr_amd_stop(saved);
}

bool ls_lbr_holds(const struct lbr_stack *stack)
{
	if (ls_caps.lbr == CAPS_LBR_LEGACY)
		return ls_lbr_legacy_holds(stack);
	return ls_lbr_arch_holds(stack);
}

void ls_lbr_restore(const struct lbr_stack *stack, bool targets)
{
	if (ls_caps.lbr == CAPS_LBR_LEGACY)
		ls_lbr_legacy_restore(stack, targets);
	else
		ls_lbr_arch_restore(stack, targets);
}

static bool lbr_is_filled(const struct lbr_stack *stack, u32 i)
{
	const struct lbrscope_branch *branch = &stack->packed[i];

	return ls_caps.lbr_packs ? branch->from_low || branch->from_high :
				   stack->from[i];
}

void ls_lbr_read_history(struct lbr_stack *stack)
{
	if (ls_caps.lbr == CAPS_LBR_LEGACY)
		ls_lbr_legacy_read_history(stack);
	else if (ls_caps.lbr == CAPS_LBR_ARCH)
		ls_lbr_arch_read_history(stack);
	else
		ls_lbr_amd_read_history(stack);
	/*
	 * Registers that were never filled say nothing.  Clearing leaves the TO
	 * of another task behind.
	 */
	while (stack->nr && !lbr_is_filled(stack, stack->nr - 1))
		stack->nr--;
}
NOKPROBE_SYMBOL(ls_lbr_read_history);

/* Since PerfMon version 4, and on AMD, the acknowledgement thaws it. */
bool ls_lbr_freezes(const struct lbr_mode *mode)
{
	return mode->history && ls_caps.lbr == CAPS_LBR_LEGACY &&
	       ls_caps.pmu_version < 4;
}

void ls_lbr_thaw(void)
{
	if (!this_cpu_read(lbr_paused))
		ls_lbr_legacy_resume();
}
NOKPROBE_SYMBOL(ls_lbr_thaw);

/* The flag first: what an NMI finds paused, it leaves so. */
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

void ls_lbr_resume(void)
{
	this_cpu_write(lbr_paused, false);
	barrier();
	ls_lbr_reassert();
}

/* No valid entries: what the next task sees. */
void ls_lbr_clear(void)
{
	if (ls_caps.lbr == CAPS_LBR_LEGACY)
		ls_lbr_legacy_clear();
	else if (ls_caps.lbr == CAPS_LBR_ARCH)
		ls_lbr_arch_clear();
	else
		ls_lbr_amd_clear();
}

/* The topmost bit of an address, with page tables of 4 levels and of 5. */
#define LBR_SIGN_4_LEVELS	BIT_ULL(47)
#define LBR_SIGN_5_LEVELS	BIT_ULL(56)
#define LBR_SIGN_PACKED		BIT(15)	/* of its upper half: the 47th again */

static void lbr_hide_packed(struct lbr_stack *stack)
{
	u32 i;

	for (i = 0; i < stack->nr; i++) {
		struct lbrscope_branch *branch = &stack->packed[i];

		if ((branch->from_high | branch->to_high) & LBR_SIGN_PACKED)
			*branch = (struct lbrscope_branch){ 0 };
	}
}

void ls_lbr_hide_kernel(struct lbr_stack *stack, const struct lbr_mode *mode)
{
	bool targets = mode->history || mode->targets;
	u64 signs = LBR_SIGN_4_LEVELS;
	u32 i;

	if (mode->history && ls_caps.lbr_packs) {
		lbr_hide_packed(stack);
		return;
	}
	/* There, TO has cycles above the address, and no CPU has 5 levels. */
	if (ls_caps.lbr_format != LBRSCOPE_LBR_FORMAT_TIME)
		signs |= LBR_SIGN_5_LEVELS;
	for (i = 0; i < stack->nr; i++) {
		if (!((stack->from[i] | (targets ? stack->to[i] : 0)) & signs))
			continue;
		stack->from[i] = 0;
		stack->to[i] = 0;
		stack->info[i] = 0;
	}
}
NOKPROBE_SYMBOL(ls_lbr_hide_kernel);
