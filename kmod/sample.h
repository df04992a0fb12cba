/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBRSCOPE_SAMPLE_H
#define LBRSCOPE_SAMPLE_H

#include <linux/types.h>

struct cpu_ctx;
struct lbr_stack;
struct pt_regs;
struct trigger;

/* What a sample has on request: LBRSCOPE_SESSION_A_SAMPLE, _USER_STACK. */
struct sample_config {
	u16 format;	/* of LBRSCOPE_FORMAT_REQUESTS */
	u32 stack;	/* bytes, a multiple of 8 */
};

/*
 * From the NMI: a sample of the event, of what regs were interrupted at, at
 * the time now (ns, CLOCK_MONOTONIC), goes into the CPU's ring, or counts as
 * lost.
 */
void ls_sample(struct cpu_ctx *cpu, const struct pt_regs *regs, u32 index,
	       u64 now);

/*
 * From a trigger's handler, interrupts off: the same, of a trigger that fired at
 * ip, with the branches in memory that the caller gives.
 */
void ls_sample_trigger(struct cpu_ctx *cpu, struct lbr_stack *lbr,
		       const struct trigger *trigger,
		       const struct pt_regs *regs, u64 ip, u64 value);

#endif
