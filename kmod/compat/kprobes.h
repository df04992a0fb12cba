/* SPDX-License-Identifier: GPL-2.0 */
/* The fields of a return probe's instance. */
#ifndef LBRSCOPE_COMPAT_KPROBES_H
#define LBRSCOPE_COMPAT_KPROBES_H

#include <linux/kprobes.h>
#include <linux/llist.h>
#include <linux/sched.h>

/*
 * Since 5.14 accessors read the instance of a return probe, if the kernel has return probes;
 * else none can be registered, and there is no instance.
 */
#ifndef CONFIG_KRETPROBES
#define compat_kretprobe(instance)	((struct kretprobe *)NULL)
#define compat_kretprobe_to(instance)	0UL
#elif defined(COMPAT_HAS_GET_KRETPROBE)
#define compat_kretprobe(instance)	get_kretprobe(instance)
#define compat_kretprobe_to(instance)	get_kretprobe_retaddr(instance)
#else
#define compat_kretprobe(instance)	((instance)->rp)
#define compat_kretprobe_to(instance)	((unsigned long)(instance)->ret_addr)
#endif

/*
 * Whether the unwinder would warn about this task: since 5.18 it looks up the real
 * return address of a function that returns into a probe (rethook_find_ret_addr()), and
 * warns unless the task is the current one or asleep.
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
