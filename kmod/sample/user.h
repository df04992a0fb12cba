/* SPDX-License-Identifier: GPL-2.0 */
/* The state of user mode for samples: registers and stack window. */
#ifndef LBRSCOPE_USER_H
#define LBRSCOPE_USER_H

#include <linux/types.h>
#include <asm/ptrace.h>

/*
 * The state of user mode where it was interrupted, for records.
 * Context: NMI, or interrupts off.
 */

/*
 * Returns: the user-mode registers of the current task, which was interrupted at regs.
 * NULL: it has no user mode, or the registers are not known.
 */
const struct pt_regs *ls_user_regs(const struct pt_regs *regs);

/*
 * Both write to word and return the first word behind.  put_regs writes
 * LBRSCOPE_USER_REGS_NR words in the order of the ring's contract; put_stack writes
 * the number of bytes, a multiple of 8 and at most size, and then the bytes.
 */
u64 *ls_user_put_regs(u64 *word, const struct pt_regs *user);
u64 *ls_user_put_stack(u64 *word, const struct pt_regs *user, u32 size);

/* The largest stack of a thread by far: a stack pointer that is farther away is on another. */
#define USER_STACK_FAR	(64UL << 20)

static inline bool ls_user_is_foreign(unsigned long base, const struct pt_regs *user)
{
	return base && base - user->sp > USER_STACK_FAR;
}

/*
 * Returns: how many bytes of a user stack that began at base are in use, from the stack
 * pointer on: a multiple of 8, and no more than most.  base 0: not known.
 */
static inline u32 ls_user_window(u32 most, unsigned long base, const struct pt_regs *user)
{
	/* With another stack at higher addresses the difference is huge. */
	unsigned long depth = base - user->sp;

	return depth < most ? round_up(depth, sizeof(u64)) : most;
}

#endif
