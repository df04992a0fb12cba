/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The step along the frame pointer, out of code that has no unwinding information: code made at
 * run time, hand-written assembly. It is an inference. The code need not keep %rbp for its
 * frame, and a function that has no frame of its own hides its caller.
 */
#ifndef LBRCTL_STACKS_UNWIND_POINTER_H
#define LBRCTL_STACKS_UNWIND_POINTER_H

#include "stacks/unwind_code.h"
#include "stacks/unwind_step.h"

/* Replaces step->now by the caller's %rip, %rsp and %rbp; the other registers become unknown.
 * The frame must lie in the recorded stack, outside of the frames so far, and the return address
 * in mapped code, behind a call if the code can be read. `called`: the spot is behind a call.
 * Returns STACKS_END_NONE, or the reason that this is impossible. */
enum stacks_end unwind_pointer_out(struct unwind_step *step, struct maps *maps,
				   const struct unwind_spot *spot, bool called);

/* The same for a chain that was unwound elsewhere along the frame pointer: judges by the code alone.
 * top: of the function at the spot, which is not behind a call, the first two words of the stack;
 * else NULL. next: the return address to which its frame pointer led. *hidden: a caller that the
 * chain lacks, since the function has no frame; 0: none. Returns as above. */
enum stacks_end unwind_pointer_judge(uint32_t pid, struct maps *maps, const struct unwind_spot *spot,
				     const uint64_t *top, uint64_t next, uint64_t *hidden);

#endif
