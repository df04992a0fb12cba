/* SPDX-License-Identifier: GPL-2.0 */
/* How far a stack reaches: the evidence that ends it. */
#ifndef LBRCTL_STACKS_REACH_H
#define LBRCTL_STACKS_REACH_H

#include "stacks/build.h"

/* The state while a stack is built, from its innermost user frame out. */
struct builder {
	const struct stacks_sample *sample;
	const struct stacks_code *code;
	struct stacks_stack *stack;
	struct place inner;		/* the frame whose caller is added next */
	size_t lbr, unwound;		/* index of the next of these */
	bool leaf_unwound;		/* the unwound callers begin at the leaf, */
	bool by_stack;			/* or join the stack at a later frame */
	bool by_pointer;		/* frames are marked so */
	bool misled;			/* a frame pointer led to what is no caller */
	bool switched;			/* the remaining LBR entries belong to another stack */
	bool contradicted;		/* the evidence has a contradiction */
	size_t agreed;			/* frames before LBR and memory disagreed; 0: they do not */
	size_t sure;			/* frames inside of the innermost call with an unknown
					 * target; 0: all targets are known */
};

/* Adds evidence that the next frame contradicts the others. The contradiction may come from a call
 * that could not be checked: drops the frames from there. */
void reach_contradiction(struct builder *builder, uint64_t evidence);

/* Collects the evidence for a stack to which no further caller can be added. */
void reach_collect(struct builder *builder);

/* An open stack that reaches main() is as good as whole. The outer frames belong to the C library and
 * are always the same. It calls main() through the address that it was given; any other caller of
 * main() is the program itself. */
void reach_main(struct stacks_stack *stack, const struct stacks_code *code);

#endif
