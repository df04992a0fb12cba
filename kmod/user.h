/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBRSCOPE_USER_H
#define LBRSCOPE_USER_H

#include <linux/types.h>

struct pt_regs;

/*
 * What user mode left behind when it was interrupted, for records: in NMI, or
 * with interrupts off.
 */

/*
 * The user-mode registers of the current task, which was interrupted at regs;
 * NULL where there are none, or where they are not known.
 */
const struct pt_regs *ls_user_regs(const struct pt_regs *regs);

/* Both write from word on, and return what is behind it. */
u64 *ls_user_put_regs(u64 *word, const struct pt_regs *user);
u64 *ls_user_put_stack(u64 *word, const struct pt_regs *user, u32 size);

#endif
