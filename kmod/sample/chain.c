// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel's call chain, from the kernel's unwinder, which is used as in
 * perf_callchain_kernel().
 *
 * Context: NMI, with the rules of nmi.c, or the scheduler's hooks.
 */
#include <linux/sched.h>
#include <asm/unwind.h>

#include <linux/lbrscope_ring.h>

#include "compat/kprobes.h"
#include "sample/chain.h"

u64 *ls_chain_put(u64 *word, struct task_struct *task,
		  const struct pt_regs *regs)
{
	u64 *nr = word++, *end = word + LBRSCOPE_KERNEL_CHAIN_MAX;
	struct unwind_state state;
	unsigned long address;

	/* A task at its switch is neither current nor asleep: the unwinder would warn. */
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
