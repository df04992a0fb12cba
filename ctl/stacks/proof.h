/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Holds a stack against the recorded depth of the user stack.
 *
 * The LBR alone does not tell which of its entries are still open: a longjmp() leaves
 * entries behind, a return that no call belongs to removes one, another coroutine has calls
 * of its own. But each frame takes a number of bytes that the code tells. Together they are
 * as many as the stack is deep, or the frames are not those of that stack.
 */
#ifndef LBRCTL_STACKS_PROOF_H
#define LBRCTL_STACKS_PROOF_H

#include "stacks/build.h"

/* Sets stack->proved. A stack that cannot be true becomes broken, with its leaf alone. A
 * stack that reaches the thread's entry on a way that nothing proves becomes unproved. */
void proof_judge(const struct stacks_sample *sample, const struct stacks_code *code,
		 struct stacks_stack *stack);

#endif
