/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBRSCOPE_COMPAT_KPROBES_H
#define LBRSCOPE_COMPAT_KPROBES_H

#include <linux/kprobes.h>
#include <linux/llist.h>
#include <linux/sched.h>

/* An instance of a return probe tells of itself by accessors since 5.14. */
#ifdef COMPAT_HAS_GET_KRETPROBE
#define compat_kretprobe(instance)	get_kretprobe(instance)
#define compat_kretprobe_to(instance)	get_kretprobe_retaddr(instance)
#else
#define compat_kretprobe(instance)	((instance)->rp)
#define compat_kretprobe_to(instance)	((unsigned long)(instance)->ret_addr)
#endif

/*
 * Does a function that is open in the task return into a probe?  Since 5.18 the
 * unwinder then looks the real address up (rethook_find_ret_addr()), and warns
 * unless the task is the current one or asleep.
 */
static inline bool compat_unwinding_warns(const struct task_struct *task)
{
#ifdef CONFIG_RETHOOK
	return task != current && !llist_empty(&task->rethooks);
#else
	return false;
#endif
}

#endif
