/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBRSCOPE_SAMPLE_H
#define LBRSCOPE_SAMPLE_H

#include <linux/types.h>

struct cpu_ctx;
struct lbr_stack;
struct pt_regs;
struct session;
struct trigger;

/* The contents of each sample: LBRSCOPE_SESSION_A_SAMPLE and _USER_STACK. */
struct sample_config {
	u16 format;	/* of enum lbrscope_format */
	u16 words;	/* of each branch entry: ls_lbr_words() */
	u32 stack;	/* bytes of the user stack, a multiple of 8 */
};

/*
 * Computes the format of each event's samples from the request, the branch records and
 * the event, so that the NMI does not have to.
 * Context: SESSION_SET.
 */
void ls_sample_prepare(struct session *session);

/*
 * Writes a sample of a trigger that fired at ip to the CPU's ring, or counts it as lost.
 * lbr: memory for the branches, the caller's.
 * Context: handler of a trigger, interrupts off.
 */
void ls_sample_trigger(struct cpu_ctx *cpu, struct lbr_stack *lbr,
		       const struct trigger *trigger,
		       const struct pt_regs *regs, u64 ip, u64 value);

#endif
