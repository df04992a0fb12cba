/* SPDX-License-Identifier: GPL-2.0 */
/* Frames that may have been left: what a longjmp() or an exception leaves stays in the LBR. */
#ifndef LBRCTL_STACKS_DOUBT_H
#define LBRCTL_STACKS_DOUBT_H

#include "stacks/build.h"

/* Both are about frames that only the LBR shows, in a stack that lacks its outer callers: its depth
 * proves nothing, and such frames need not be there. */

/* Whether there are some beyond the innermost stack->doubtful frames. */
bool doubt_has_callers(const struct stacks_stack *stack);

/* Drops those between two frames of one function. Calls that were left contradict the code, unless
 * they begin and end in the same function: levels of a recursion. All other frames are on the stack. */
void doubt_drop_levels(const struct stacks_sample *sample, const struct stacks_code *code,
		       struct stacks_stack *stack);

#endif
