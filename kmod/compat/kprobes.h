/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBRSCOPE_COMPAT_KPROBES_H
#define LBRSCOPE_COMPAT_KPROBES_H

#include <linux/kprobes.h>

/* An instance of a return probe tells of itself by accessors since 5.14. */
#ifdef COMPAT_HAS_GET_KRETPROBE
#define compat_kretprobe(instance)	get_kretprobe(instance)
#define compat_kretprobe_to(instance)	get_kretprobe_retaddr(instance)
#else
#define compat_kretprobe(instance)	((instance)->rp)
#define compat_kretprobe_to(instance)	((unsigned long)(instance)->ret_addr)
#endif

#endif
