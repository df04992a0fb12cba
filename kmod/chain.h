/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBRSCOPE_CHAIN_H
#define LBRSCOPE_CHAIN_H

#include <linux/types.h>

struct pt_regs;
struct task_struct;

/*
 * Writes from word on how many calls in the kernel are open where the current
 * task was interrupted, LBRSCOPE_KERNEL_CHAIN_MAX at most, and their return
 * addresses, youngest first.  Returns what is behind them.  Or, with regs NULL,
 * those of a task that is on no CPU, and cannot come on one meanwhile; none if one
 * of its functions returns into a kretprobe, which the kernel's unwinder cannot pass.
 */
u64 *ls_chain_put(u64 *word, struct task_struct *task,
		  const struct pt_regs *regs);

#endif
