// SPDX-License-Identifier: GPL-2.0
/*
 * The state of user mode where it was interrupted: its registers and a window of its
 * stack.
 *
 * - The user registers: those of the interrupt, or, if it interrupted the kernel, those
 *   that the entry code has stored.  Kernel threads, and the workers that io_uring and
 *   vhost start for a process, have no user registers.  A sample has none while the entry
 *   code stores them, because their place still holds those of an earlier entry; the PMI of
 *   a user-mode event arrives there if SYSCALL made the counter overflow.
 * - A window of the stack from their sp on, up to the stack pointer that the thread began
 *   with (task/switch.c), so that the copy is no longer than the part of the stack that is
 *   in use.  Above that pointer are a program's arguments, or the C
 *   library's description of the thread, which no unwinder needs.  Where the beginning is
 *   not known the window is as long as asked for.  On another stack (an alternate signal
 *   stack, a coroutine's) the distance to the beginning is large, or negative, and the
 *   window is whole too; if it is small by chance, the foreign stack is below the
 *   beginning, and is copied all the same.  In sessions that select processes, 16 KiB of a
 *   foreign stack are copied at most: a program of goroutines would else fill the rings
 *   with what lies behind them.  An NMI cannot wait for memory: the copy ends at the first
 *   page that is not present, and the part up to there is delivered.  The record's 16 bits
 *   of size bound the window (60 KiB).
 * - The kernel's call chain, by the kernel's unwinder, as in perf.
 * - The id of the cgroup.
 *
 * Context: NMI, with the rules of nmi.c, or interrupts off.
 */
#include <linux/kprobes.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/uaccess.h>
#include <asm/cpu_entry_area.h>
#include <asm/ptrace.h>

#include <linux/lbrscope_ring.h>

#include "sample/user.h"

/*
 * Returns whether the entry code has stored the registers of user mode.  Until then
 * their place holds those of an earlier entry (arch/x86/kernel/perf_regs.c).  They are
 * not stored yet if the stack pointer is within their place, on the entry stack, or
 * still on the program's stack: SYSCALL does not change RSP
 * (arch/x86/entry/entry_64.S), and the PMI of a user-mode event most often arrives at
 * the first instruction after SYSCALL.
 */
static bool ls_user_regs_stored(const struct pt_regs *user, unsigned long sp)
{
	if (sp < TASK_SIZE_MAX ||
	    (sp > (unsigned long)user && sp <= (unsigned long)(user + 1)))
		return false;
	return sp < CPU_ENTRY_AREA_BASE ||
	       sp >= CPU_ENTRY_AREA_BASE + CPU_ENTRY_AREA_MAP_SIZE;
}
NOKPROBE_SYMBOL(ls_user_regs_stored);

/*
 * A worker that the kernel started for a process (io_uring, vhost) has the memory of
 * the process and no user mode.  It is recognized by a stack pointer of 0
 * (copy_thread() in arch/x86/kernel/process.c); its flags change when it exits.
 */
const struct pt_regs *ls_user_regs(const struct pt_regs *regs)
{
	struct pt_regs *user = task_pt_regs(current);

	if (user_mode((struct pt_regs *)regs))
		return regs;
	if (!current->mm || current->flags & PF_KTHREAD ||
	    !ls_user_regs_stored(user, regs->sp) || !user_mode(user) || !user->sp)
		return NULL;
	return user;
}
NOKPROBE_SYMBOL(ls_user_regs);

u64 *ls_user_put_regs(u64 *word, const struct pt_regs *user)
{
	const u64 regs[LBRSCOPE_USER_REGS_NR] = {
		user->ax, user->bx, user->cx, user->dx, user->si, user->di,
		user->bp, user->sp, user->ip, user->flags, user->cs, user->ss,
		user->r8, user->r9, user->r10, user->r11, user->r12, user->r13,
		user->r14, user->r15,
	};

	memcpy(word, regs, sizeof(regs));
	return word + LBRSCOPE_USER_REGS_NR;
}
NOKPROBE_SYMBOL(ls_user_put_regs);

/*
 * The copy does not fault pages in: it ends at the first page that is not present.
 * A stack pointer outside of user space gives an empty window.
 */
u64 *ls_user_put_stack(u64 *word, const struct pt_regs *user, u32 size)
{
	unsigned long sp = user->sp, left = size;
	u64 *nr = word++;

	if (sp < TASK_SIZE) {
		size = min_t(unsigned long, size, TASK_SIZE - sp);
		left = copy_from_user_nmi(word, (const void __user *)sp, size);
	}
	*nr = round_down(size - left, sizeof(*word));
	return word + *nr / sizeof(*word);
}
NOKPROBE_SYMBOL(ls_user_put_stack);
