/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBRSCOPE_COMPAT_MM_H
#define LBRSCOPE_COMPAT_MM_H

#include <linux/mm.h>

/* vm_flags is written through an accessor, and const otherwise, since 6.3. */
static inline void compat_vm_flags_mod(struct vm_area_struct *vma,
				       unsigned long set, unsigned long clear)
{
#ifdef COMPAT_HAS_VM_FLAGS_MOD
	vm_flags_mod(vma, set, clear);
#else
	vma->vm_flags = (vma->vm_flags | set) & ~clear;
#endif
}

#endif
