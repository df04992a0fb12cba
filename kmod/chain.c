// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel's own call chain, by the kernel's own unwinder, as
 * perf_callchain_kernel() goes through it.
 *
 * In NMI context, with all that nmi.c says of it; and in the scheduler.
 */
#include <linux/sched.h>
#include <asm/unwind.h>

#include <linux/lbrscope_ring.h>

#include "chain.h"
#include "compat/kprobes.h"

u64 *ls_chain_put(u64 *word, struct task_struct *task,
		  const struct pt_regs *regs)
{
	u64 *nr = word++, *end = word + LBRSCOPE_KERNEL_CHAIN_MAX;
	struct unwind_state state;
	unsigned long address;

	/* A task that comes back to the CPU is running already. */
	if (compat_unwinding_warns(task)) {
		*nr = 0;
		return word;
	}
	unwind_start(&state, task, (struct pt_regs *)regs, NULL);
	for (; word < end && !unwind_done(&state); unwind_next_frame(&state)) {
		address = unwind_get_return_address(&state);
		if (!address)
			break;
		*word++ = address;
	}
	*nr = word - nr - 1;
	return word;
}
NOKPROBE_SYMBOL(ls_chain_put);
