/* SPDX-License-Identifier: GPL-2.0 */
/* Frames that may have been left: what a longjmp() or an exception leaves stays in the LBR. */
#ifndef LBRCTL_STACKS_DOUBT_H
#define LBRCTL_STACKS_DOUBT_H

#include "stacks/build.h"

/* These drop from a stack that lacks its outer callers, so that its depth proves nothing, frames that
 * only the LBR shows and that need not be there. */

/* Those beyond a connection that readable code does not confirm (stack->doubtful). */
void doubt_drop_callers(struct stacks_stack *stack);

/* Those between two frames of one function. Calls that were left contradict the code, unless they
 * begin and end in the same function: levels of a recursion. All other frames are on the stack. */
void doubt_drop_levels(const struct stacks_sample *sample, const struct stacks_code *code,
		       struct stacks_stack *stack);

#endif
