/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's call chain of a sample. */
#ifndef LBRSCOPE_CHAIN_H
#define LBRSCOPE_CHAIN_H

#include <linux/types.h>

struct pt_regs;
struct task_struct;

/*
 * Writes a kernel call chain to word: the number of entries, at most
 * LBRSCOPE_KERNEL_CHAIN_MAX, and then the return addresses, youngest first.
 *
 * regs: where the current task was interrupted.  NULL: the chain of a task that is on no
 * CPU and stays so.  That chain is empty if a function of the task returns into a
 * kretprobe, which the kernel's unwinder cannot pass.
 *
 * Context: NMI, or interrupts off.
 * Returns: the first word behind the chain.
 */
u64 *ls_chain_put(u64 *word, struct task_struct *task,
		  const struct pt_regs *regs);

#endif
