/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBRSCOPE_LBR_KINDS_H
#define LBRSCOPE_LBR_KINDS_H

#include "lbr.h"

/* FROM and TO are there as they are: INFO goes over what is only their sign. */
static __always_inline void lbr_pack_info(struct lbrscope_branch *branch, u64 info)
{
	branch->cycles = info;
	branch->flags = info >> 48;
}

/*
 * What each family of branch registers provides to lbr.c; lbr.h says what
 * these do.  AMD's have no call-stack mode.
 */
bool ls_lbr_legacy_in_use(void);
void ls_lbr_legacy_start(struct lbr_saved *saved, const struct lbr_mode *mode);
void ls_lbr_legacy_stop(const struct lbr_saved *saved);
bool ls_lbr_legacy_holds(const struct lbr_stack *stack);
void ls_lbr_legacy_restore(const struct lbr_stack *stack, bool targets);
void ls_lbr_legacy_read_history(struct lbr_stack *stack);
void ls_lbr_legacy_pause(void);
void ls_lbr_legacy_resume(void);
void ls_lbr_legacy_clear(void);

int ls_lbr_arch_init(void);
void ls_lbr_arch_exit(void);
bool ls_lbr_arch_in_use(void);
void ls_lbr_arch_start(struct lbr_saved *saved, const struct lbr_mode *mode);
void ls_lbr_arch_stop(const struct lbr_saved *saved);
bool ls_lbr_arch_holds(const struct lbr_stack *stack);
void ls_lbr_arch_restore(const struct lbr_stack *stack, bool targets);
void ls_lbr_arch_read_history(struct lbr_stack *stack);
void ls_lbr_arch_pause(void);
void ls_lbr_arch_resume(void);
void ls_lbr_arch_clear(void);

bool ls_lbr_amd_in_use(void);
void ls_lbr_amd_start(struct lbr_saved *saved, const struct lbr_mode *mode);
void ls_lbr_amd_stop(const struct lbr_saved *saved);
void ls_lbr_amd_read_history(struct lbr_stack *stack);
void ls_lbr_amd_pause(void);
void ls_lbr_amd_resume(void);
void ls_lbr_amd_clear(void);

#endif
