/* SPDX-License-Identifier: GPL-2.0 */
/* The families of branch records, for lbr.c. */
#ifndef LBRSCOPE_LBR_KINDS_H
#define LBRSCOPE_LBR_KINDS_H

#include "lbr/lbr.h"

/*
 * Reads an entry of a history from its registers to word and returns the end.  In a packed
 * entry INFO replaces the upper bits of FROM and TO, which are only their sign.
 */
static __always_inline u64 *ls_lbr_put_entry(u64 *word, u32 from, u32 to, u32 info,
					     bool packs)
{
	struct lbrscope_branch *branch = (struct lbrscope_branch *)word;
	struct ls_msr_halves value;

	if (!packs) {
		ls_lbr_put_word(word++, msr_read_halves(from));
		ls_lbr_put_word(word++, msr_read_halves(to));
		ls_lbr_put_word(word++, msr_read_halves(info));
		return word;
	}
	value = msr_read_halves(from);
	branch->from_low = value.low;
	branch->from_high = value.high;
	value = msr_read_halves(info);
	branch->cycles = value.low;
	/* The upper half of this is the flags; to_high then replaces the lower one. */
	((u32 *)word)[3] = value.high;
	value = msr_read_halves(to);
	branch->to_low = value.low;
	branch->to_high = value.high;
	return word + 2;
}

/*
 * What each family of branch records provides to lbr.c; lbr.h describes the functions.
 * AMD's records have no call-stack mode.
 */
bool ls_lbr_legacy_lost(void);
bool ls_lbr_legacy_left(const struct ls_lbr_saved *saved);
void ls_lbr_legacy_start(struct ls_lbr_saved *saved, const struct ls_lbr_mode *mode);
void ls_lbr_legacy_stop(const struct ls_lbr_saved *saved);
void ls_lbr_legacy_save(struct ls_lbr_stack *stack, u32 depth, bool targets);
bool ls_lbr_legacy_holds(const struct ls_lbr_stack *stack);
void ls_lbr_legacy_restore(const struct ls_lbr_stack *stack, bool targets);
void ls_lbr_legacy_push(u64 from, u64 to, bool targets);
void ls_lbr_legacy_pause(void);
void ls_lbr_legacy_resume(void);
void ls_lbr_legacy_clear(void);

int ls_lbr_arch_init(void);
void ls_lbr_arch_exit(void);
bool ls_lbr_arch_in_use(void);
void ls_lbr_arch_start(struct ls_lbr_saved *saved, const struct ls_lbr_mode *mode);
void ls_lbr_arch_stop(const struct ls_lbr_saved *saved);
size_t ls_lbr_arch_image_size(void);
void ls_lbr_arch_set_image(struct ls_lbr_stack *stack, void *memory);
void ls_lbr_arch_unpack(struct ls_lbr_stack *stack, bool targets);
bool ls_lbr_arch_save(struct ls_lbr_stack *stack, u32 depth, bool targets);
bool ls_lbr_arch_holds(const struct ls_lbr_stack *stack);
void ls_lbr_arch_restore(const struct ls_lbr_stack *stack, bool targets);
void ls_lbr_arch_push(u64 from, u64 to, bool targets);
void ls_lbr_arch_pause(void);
void ls_lbr_arch_resume(void);
void ls_lbr_arch_clear(void);

void ls_lbr_amd_start(struct ls_lbr_saved *saved, const struct ls_lbr_mode *mode);
void ls_lbr_amd_stop(const struct ls_lbr_saved *saved);
void ls_lbr_amd_pause(void);
void ls_lbr_amd_resume(void);
void ls_lbr_amd_clear(void);

#endif
