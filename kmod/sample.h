/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBRSCOPE_SAMPLE_H
#define LBRSCOPE_SAMPLE_H

#include <linux/types.h>

struct cpu_ctx;
struct lbr_stack;
struct pt_regs;
struct session;
struct trigger;

/* What every sample has: as LBRSCOPE_SESSION_A_SAMPLE and _USER_STACK ask. */
struct sample_config {
	u16 format;	/* of enum lbrscope_format */
	u16 words;	/* of an entry of its branches: ls_lbr_words() */
	u32 stack;	/* bytes, a multiple of 8 */
};

/*
 * When a session is set: completes what is asked for by what the branch registers
 * and the events bring along, so that samples need not work it out.
 */
void ls_sample_prepare(struct session *session);

/*
 * From a trigger's handler, interrupts off: a sample of a trigger that fired at ip,
 * with the branches in memory that the caller gives, goes into the CPU's ring, or
 * counts as lost.
 */
void ls_sample_trigger(struct cpu_ctx *cpu, struct lbr_stack *lbr,
		       const struct trigger *trigger,
		       const struct pt_regs *regs, u64 ip, u64 value);

#endif
