/* SPDX-License-Identifier: GPL-2.0 */
/* The charge of pages that are mapped into user space. */
#ifndef LBRSCOPE_COMPAT_MM_H
#define LBRSCOPE_COMPAT_MM_H

#include <linux/mm.h>

/*
 * For pages that are charged to a memory cgroup and mapped into user space: before 5.11 a
 * page is either charged or mapped, since both say so in the same field of struct page.
 */
#ifdef COMPAT_HAS_MEMCG_DATA
#define COMPAT_GFP_MAPPED_ACCOUNT	__GFP_ACCOUNT
#else
#define COMPAT_GFP_MAPPED_ACCOUNT	0
#endif

/* Since 6.3 vm_flags is const and written through an accessor. */
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
