/* SPDX-License-Identifier: GPL-2.0 */
/* Samples: the rare parts. */
#ifndef LBRSCOPE_SAMPLE_H
#define LBRSCOPE_SAMPLE_H

#include <linux/types.h>

#include <linux/lbrscope_ring.h>

struct ls_cpu_ctx;
struct ls_event;
struct ls_lbr_stack;
struct pt_regs;
struct ls_session;
struct ls_trigger;

/* The contents of samples: LBRSCOPE_SESSION_A_SAMPLE, _USER_STACK and _STACK_*. */
struct ls_sample_config {
	u16 format;	/* of enum lbrscope_format: the parts of each sample */
	u16 words;	/* of each branch entry: ls_lbr_words() */
	u32 stack;	/* bytes of the user stack at most, a multiple of 8; 0: none */
	bool selects;	/* LBRSCOPE_STACKS_SELECTED, _NEW: chosen samples have the stack */
	bool selects_new;	/* LBRSCOPE_STACKS_NEW: of new programs as well */
	bool chains;	/* a call chain replaces the stack where tables give it */
	u32 audit;	/* one in n of the other samples has the stack as well; 0: none */
	u64 seed;	/* seed of this choice */
};

/* The parts of a sample that carries the user stack. */
#define SAMPLE_STACK	(LBRSCOPE_FORMAT_USER_REGS | LBRSCOPE_FORMAT_USER_STACK)
/* Flags of a sample that was chosen to carry the stack. */
#define SAMPLE_CHOICES	(LBRSCOPE_SAMPLE_AUDIT | LBRSCOPE_SAMPLE_CROWDED)

/* Whether samples need the stack pointer that a task began with. */
static inline bool ls_sample_wants_base(const struct ls_sample_config *config)
{
	return config->stack || config->format & LBRSCOPE_FORMAT_USER_DEPTH;
}

/*
 * Computes the format of each event's samples from the request, the branch records and
 * the event, so that the NMI does not have to.
 * Context: SESSION_SET.
 */
void ls_sample_prepare(struct ls_session *session);

/* Context: on the CPU, before it samples. */
void ls_sample_begin(struct ls_cpu_ctx *cpu, const struct ls_sample_config *config);

/*
 * Writes a sample of a clock event, whose period has just ended, to the CPU's ring, or
 * counts it as lost.  Otherwise as below; regs: where the CPU was interrupted.
 */
void ls_sample_clock(struct ls_cpu_ctx *cpu, struct ls_lbr_stack *lbr,
		     const struct ls_event *event, u32 index,
		     const struct pt_regs *regs, u64 now);

/*
 * Writes a sample of a trigger that fired at ip to the CPU's ring, or counts it as lost.
 * lbr: memory of the caller for the branches.
 * Context: handler of a trigger, interrupts off.
 */
void ls_sample_trigger(struct ls_cpu_ctx *cpu, struct ls_lbr_stack *lbr,
		       const struct ls_trigger *trigger,
		       const struct pt_regs *regs, u64 ip, u64 value);

#endif
