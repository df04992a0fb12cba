/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Compares a stack with the recorded depth of the user stack.
 *
 * The LBR does not show which of its entries are still open: a longjmp() leaves entries behind,
 * a return without a call removes one, another coroutine has other calls. But the code shows
 * how many bytes each frame takes. Their sum must be the depth of the stack, or the frames are
 * not those of that stack.
 */
#ifndef LBRCTL_STACKS_PROOF_H
#define LBRCTL_STACKS_PROOF_H

#include "stacks/build.h"

/* Adds to the stack's evidence what the sizes and the kinds of its frames prove. Of a stack that has
 * another size than they, only the leaf remains. */
void proof_collect(const struct stacks_sample *sample, const struct stacks_code *code,
		   struct stacks_stack *stack);

/* Whether the thread runs on another stack than its own: a coroutine's, or a signal handler's. */
bool proof_is_other_stack(const struct stacks_sample *sample);

#endif
