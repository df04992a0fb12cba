/* SPDX-License-Identifier: GPL-2.0 */
/* RDMSR and WRMSR without a tracepoint, for the NMI and the scheduler's hooks. */
#ifndef LBRSCOPE_MSR_H
#define LBRSCOPE_MSR_H

#include <linux/types.h>

#include "compat/msr.h"

/*
 * The accessors for NMI and scheduler context: the bare instruction, without
 * the tracepoint and the paravirt call of rdmsrl() and wrmsrl().  A #GP is
 * caught by the exception table: a read returns 0, a write does nothing.  It
 * is not reported, as by rdmsrl(), since printk() with the run queue locked
 * may wake a task.  Registers that might be absent are probed at load with
 * rdmsrl_safe().  The unit tests replace this file by a machine of their own.
 */
static __always_inline u64 msr_read(u32 msr)
{
	unsigned long low = 0, high = 0;

	asm volatile("1: rdmsr\n2:\n" COMPAT_EXTABLE_RDMSR
		     : COMPAT_RDMSR_OUT "a" (low), COMPAT_RDMSR_OUT "d" (high) : "c" (msr));
	return low | high << 32;
}

/*
 * The two halves as RDMSR returns them, for callers that store them.  Joining them to one
 * word would cost as much as all other work on an entry of the branch registers.
 */
struct ls_msr_halves {
	u32 low, high;
};

static __always_inline struct ls_msr_halves msr_read_halves(u32 msr)
{
	struct ls_msr_halves value = {};

	asm volatile("1: rdmsr\n2:\n" COMPAT_EXTABLE_RDMSR
		     : COMPAT_RDMSR_OUT "a" (value.low), COMPAT_RDMSR_OUT "d" (value.high)
		     : "c" (msr));
	return value;
}

static __always_inline void msr_write(u32 msr, u64 value)
{
	asm volatile("1: wrmsr\n2:\n" _ASM_EXTABLE(1b, 2b)
		     : : "c" (msr), "a" (lower_32_bits(value)), "d" (upper_32_bits(value))
		     : "memory");
}

#endif
