/* SPDX-License-Identifier: GPL-2.0 */
/* RDMSR and WRMSR without a tracepoint, for the NMI and the scheduler's hooks. */
#ifndef LBRSCOPE_MSR_H
#define LBRSCOPE_MSR_H

#include <linux/types.h>

#include "compat/msr.h"

/*
 * The accessors for NMI and scheduler context: the bare instruction, without
 * the tracepoint and the paravirt call of rdmsrl() and wrmsrl().  A #GP is
 * caught by the exception table and warned of; registers that might be absent
 * are probed at load with rdmsrl_safe().  The unit tests replace this file by
 * a machine of their own.
 */
static __always_inline u64 msr_read(u32 msr)
{
	return __rdmsr(msr);
}

/*
 * The two halves as RDMSR returns them, for callers that store them.  Joining them to one
 * word would cost as much as all other work on an entry of the branch registers.
 */
struct msr_halves {
	u32 low, high;
};

static __always_inline struct msr_halves msr_read_halves(u32 msr)
{
	struct msr_halves value;

	asm volatile("1: rdmsr\n2:\n" COMPAT_EXTABLE_RDMSR
		     : "=a" (value.low), "=d" (value.high) : "c" (msr));
	return value;
}

static __always_inline void msr_write(u32 msr, u64 value)
{
	native_wrmsr(msr, lower_32_bits(value), upper_32_bits(value));
}

#endif
