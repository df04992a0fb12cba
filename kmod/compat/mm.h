/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBRSCOPE_COMPAT_MM_H
#define LBRSCOPE_COMPAT_MM_H

#include <linux/mm.h>
#include <linux/version.h>

/* vm_flags is written through an accessor, and const otherwise, since 6.3. */
static inline void compat_vm_flags_mod(struct vm_area_struct *vma,
				       unsigned long set, unsigned long clear)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
	vm_flags_mod(vma, set, clear);
#else
	vma->vm_flags = (vma->vm_flags | set) & ~clear;
#endif
}

#endif
