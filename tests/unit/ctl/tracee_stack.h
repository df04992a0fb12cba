/* SPDX-License-Identifier: GPL-2.0 */
/* What lbrctl unwinds of a tracee (tracee.h) at its present instruction, and what to print when
 * that is wrong. */
#ifndef ANALYSIS_TRACEE_STACK_H
#define ANALYSIS_TRACEE_STACK_H

#include "tracee.h"

#include "stacks/unwind.h"

#define MOST_WINDOW	8192

/* The unwound frames belong to `unwind` and stay valid until the next call. */
static inline void unwind_now(struct tracee *t, struct unwind *unwind, struct stacks_sample *s)
{
	static unsigned char window[MOST_WINDOW];
	const struct user_regs_struct *r = &t->regs;
	struct unwind_start start = {
		.pid = t->pid, .stack = window,
		.registers = { r->rax, r->rdx, r->rcx, r->rbx, r->rsi, r->rdi, r->rbp,
			       r->rsp, r->r8, r->r9, r->r10, r->r11, r->r12, r->r13,
			       r->r14, r->r15, r->rip },
	};
	struct unwind_result result;
	size_t size;

	read_memory(t, r->rsp, window, sizeof(window), &size);
	start.size = size;
	result = unwind_stack(unwind, &start);
	s->unwound = result.frames;
	s->nr_unwound = result.nr;
	s->unwound_end = result.end;
	s->pointed = result.pointed;
}

/* The branch records of call-stack mode, which stay valid until the next call. */
static inline void take_lbr(struct tracee *t, struct stacks_sample *s)
{
	static struct stacks_branch lbr[MOST_DEPTH];

	for (size_t i = 0; i < t->nr_lbr; i++) {
		const struct stacks_branch *b = &t->lbr[t->nr_lbr - 1 - i];

		lbr[i] = (struct stacks_branch){ place_of(t, b->from.addr),
						 place_of(t, b->to.addr) };
	}
	s->has_lbr = true;
	s->lbr = lbr;
	s->nr_lbr = t->nr_lbr;
	s->depth = t->most_lbr;
}

/* Prints the stack and the true one, and fails. used: what of the sample was used. */
static inline void fail_at(struct tracee *t, const struct stacks_stack *stack,
			   const char *used, const char *what)
{
	print_message("# %s, from %s, at %llx: %s, %s\n", what, used, t->regs.rip,
		      stacks_verdict_name(stack->verdict), stack->why->reason);
	for (size_t i = 0; i < stack->nr_frames; i++)
		print_message("#   kind %d %u:%lx\n", stack->frames[i].kind,
			      stack->frames[i].place.file, stack->frames[i].place.addr);
	for (size_t i = t->depth; i-- > 0;)
		print_message("#   true %s %lx = %lx\n", t->shadow[i].signal ? "signal" : "call",
			      t->shadow[i].from, place_of(t, t->shadow[i].from).addr);
	fail();
}

#endif
