// SPDX-License-Identifier: GPL-2.0
/*
 * Switches the branch records on again after a debug exception, which clears
 * IA32_DEBUGCTL.LBR (SDM vol. 3 "Monitoring Branches, Exceptions, and Interrupts"; APM
 * vol. 2 "Debug-Extension-Control MSR").  The kernel does not: neither for a program in a
 * debugger, nor for one that steps over a uprobe.
 *
 * perf's breakpoints are notified first and stop the chain of notifiers.  trigger.c
 * therefore does the same for the module's own watchpoints.  After another owner's
 * watchpoint nothing is recorded on that CPU until its next sample or switch, which finds
 * it (ls_lbr_heal()).
 */
#include <linux/kdebug.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/notifier.h>

#include "cpu/cpu.h"
#include "session/session.h"
#include "trigger/debug.h"

/* Context: debug exception, interrupts off. */
static int ls_debug_notify(struct notifier_block *block, unsigned long what,
			   void *data)
{
	const struct ls_cpu_ctx *cpu;

	if (what != DIE_DEBUG)
		return NOTIFY_DONE;
	cpu = this_cpu_ptr(&ls_cpu_ctx);
	if (cpu->session && ls_lbr_wanted(&cpu->session->config.branches))
		ls_lbr_reassert();
	return NOTIFY_DONE;
}
NOKPROBE_SYMBOL(ls_debug_notify);

/* Called before uprobes, which stop the chain at their own exceptions. */
static struct notifier_block debug_block = {
	.notifier_call = ls_debug_notify,
	.priority = INT_MAX,
};

void ls_debug_start(void)
{
	register_die_notifier(&debug_block);
}

void ls_debug_stop(void)
{
	unregister_die_notifier(&debug_block);
}
