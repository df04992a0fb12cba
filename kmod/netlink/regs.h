/* SPDX-License-Identifier: GPL-2.0 */
/* The registers of a CPU, for lbrctl regs. */
#ifndef LBRSCOPE_REGS_H
#define LBRSCOPE_REGS_H

#include <linux/types.h>

struct lbrscope_reg;
struct ls_extack;

/*
 * Reads the registers of a CPU into regs, which has room for LBRSCOPE_REGS_MAX.
 * Context: process, may sleep.
 * Returns: the number of registers, or a negative errno as LBRSCOPE_CMD_REGS_GET has it,
 * with the reason in extack.
 */
int ls_regs_get(u32 cpu, struct lbrscope_reg *regs,
		struct ls_extack *extack);

#endif
