// SPDX-License-Identifier: GPL-2.0
/*
 * Debug exceptions.  Each of them switches the recording of branches off (SDM
 * vol. 3 "Monitoring Branches, Exceptions, and Interrupts"; APM vol. 2
 * "Debug-Extension-Control MSR"), and nobody switches it on again: not for a
 * program in a debugger, not for one that steps over a uprobe.  We do.
 *
 * perf's breakpoints are the first to be notified, and then nobody else is; our
 * own watchpoints look after themselves (trigger.c), those of others end the
 * recording on that CPU until its next switch (hooks.c).
 */
#include <linux/kdebug.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/notifier.h>

#include "cpu.h"
#include "debug.h"
#include "session.h"

/* In the exception, with interrupts off. */
static int debug_notify(struct notifier_block *block, unsigned long what,
			void *data)
{
	const struct cpu_ctx *cpu;

	if (what != DIE_DEBUG)
		return NOTIFY_DONE;
	cpu = this_cpu_ptr(&ls_cpu_ctx);
	if (cpu->session && ls_lbr_wanted(&cpu->session->config.branches))
		ls_lbr_reassert();
	return NOTIFY_DONE;
}
NOKPROBE_SYMBOL(debug_notify);

/* Before uprobes, which take for themselves what is theirs. */
static struct notifier_block debug_block = {
	.notifier_call = debug_notify,
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
