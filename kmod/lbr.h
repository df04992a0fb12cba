/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBRSCOPE_LBR_H
#define LBRSCOPE_LBR_H

#include <linux/types.h>

#define LBR_DEPTH_MAX	32

/* Valid entries as the registers had them, youngest first. */
struct lbr_stack {
	u32 nr;
	u32 tos;	/* the register that held entry 0 */
	u64 from[LBR_DEPTH_MAX];
	u64 to[LBR_DEPTH_MAX];
};

/* What ls_lbr_start() found, for ls_lbr_stop() to put back. */
struct lbr_saved {
	u64 debugctl, select, tos;
};

/* All of these act on the CPU they run on, preemption off. */
bool ls_lbr_in_use(void);
void ls_lbr_start(struct lbr_saved *saved);
void ls_lbr_stop(const struct lbr_saved *saved);

void ls_lbr_read(struct lbr_stack *stack);
bool ls_lbr_holds(const struct lbr_stack *stack);
void ls_lbr_restore(const struct lbr_stack *stack);
void ls_lbr_clear(void);

#endif
