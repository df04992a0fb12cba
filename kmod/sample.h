/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBRSCOPE_SAMPLE_H
#define LBRSCOPE_SAMPLE_H

#include <linux/types.h>

struct cpu_ctx;
struct pt_regs;

/*
 * From the NMI: a sample of the event, of what regs were interrupted at, at
 * the time now (ns, CLOCK_MONOTONIC), goes into the CPU's ring, or counts as
 * lost.
 */
void ls_sample(struct cpu_ctx *cpu, const struct pt_regs *regs, u32 index,
	       u64 now);

#endif
