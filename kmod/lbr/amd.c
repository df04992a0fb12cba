// SPDX-License-Identifier: GPL-2.0
/*
 * AMD's last branch records, LbrExtV2 (since Zen 4): APM vol. 2 "Last Branch Stack
 * Registers", and arch/x86/events/amd/lbr.c.  Entry 0 is always the youngest.  Flags in
 * the words of an entry tell whether it is valid or of a mispredicted path.
 */
#include <linux/bits.h>
#include <linux/kprobes.h>

#include <linux/lbrscope.h>

#include "lbr/kinds.h"
#include "pmu/caps.h"
#include "pmu/msr.h"

/* Registers and bits that some kernels do not name. */
enum {
	LBR_AMD_SELECT		= 0xc000010e,	/* set bits suppress, as on Intel */
	LBR_AMD_EXTN_CFG	= 0xc000010f,
	LBR_AMD_FROM		= 0xc0010300,	/* of entry 0, followed by its TO */
	LBR_AMD_STRIDE		= 2,		/* registers of an entry */
};

#define LBR_AMD_EXTN_V2_EN	BIT_ULL(6)

static __always_inline u32 ls_lbr_amd_from(u32 i)
{
	return LBR_AMD_FROM + i * LBR_AMD_STRIDE;
}

static __always_inline u32 ls_lbr_amd_to(u32 i)
{
	return ls_lbr_amd_from(i) + 1;
}

bool ls_lbr_amd_in_use(void)
{
	return msr_read(LBR_AMD_EXTN_CFG) & LBR_AMD_EXTN_V2_EN;
}
NOKPROBE_SYMBOL(ls_lbr_amd_in_use);

void ls_lbr_amd_clear(void)
{
	u32 i;

	for (i = 0; i < ls_caps.lbr_depth; i++) {
		msr_write(ls_lbr_amd_from(i), 0);
		msr_write(ls_lbr_amd_to(i), 0);
	}
}
NOKPROBE_SYMBOL(ls_lbr_amd_clear);

void ls_lbr_amd_start(struct ls_lbr_saved *saved, const struct ls_lbr_mode *mode)
{
	saved->debugctl = msr_read(MSR_IA32_DEBUGCTLMSR);
	saved->control = msr_read(LBR_AMD_EXTN_CFG);
	saved->select = msr_read(LBR_AMD_SELECT);
	ls_lbr_amd_clear();
	msr_write(LBR_AMD_SELECT, ~mode->filter & LBRSCOPE_FILTER_ALL);
	if (ls_caps.lbr_freeze)
		msr_write(MSR_IA32_DEBUGCTLMSR, saved->debugctl |
			  DEBUGCTLMSR_FREEZE_LBRS_ON_PMI);
	msr_write(LBR_AMD_EXTN_CFG, saved->control | LBR_AMD_EXTN_V2_EN);
}

void ls_lbr_amd_stop(const struct ls_lbr_saved *saved)
{
	msr_write(LBR_AMD_EXTN_CFG, saved->control & ~LBR_AMD_EXTN_V2_EN);
	ls_lbr_amd_clear();
	msr_write(LBR_AMD_SELECT, saved->select);
	if (ls_caps.lbr_freeze)
		msr_write(MSR_IA32_DEBUGCTLMSR,
			  (msr_read(MSR_IA32_DEBUGCTLMSR) &
			   ~DEBUGCTLMSR_FREEZE_LBRS_ON_PMI) |
			  (saved->debugctl & DEBUGCTLMSR_FREEZE_LBRS_ON_PMI));
	msr_write(LBR_AMD_EXTN_CFG, saved->control);
}

void ls_lbr_amd_pause(void)
{
	msr_write(LBR_AMD_EXTN_CFG,
		  msr_read(LBR_AMD_EXTN_CFG) & ~LBR_AMD_EXTN_V2_EN);
}

void ls_lbr_amd_resume(void)
{
	msr_write(LBR_AMD_EXTN_CFG,
		  msr_read(LBR_AMD_EXTN_CFG) | LBR_AMD_EXTN_V2_EN);
}
NOKPROBE_SYMBOL(ls_lbr_amd_resume);

/* The words are in the order of the registers: FROM and TO of each entry. */
u32 ls_lbr_amd_read_history(u64 *word, u32 depth)
{
	const u64 *end = word + depth * LBR_AMD_STRIDE;
	u32 msr = LBR_AMD_FROM;

	do {
		ls_lbr_put_word(word++, msr_read_halves(msr));
		ls_lbr_put_word(word++, msr_read_halves(msr + 1));
		msr += LBR_AMD_STRIDE;
	} while (word != end);
	return depth;
}
NOKPROBE_SYMBOL(ls_lbr_amd_read_history);
