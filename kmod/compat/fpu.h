/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBRSCOPE_COMPAT_FPU_H
#define LBRSCOPE_COMPAT_FPU_H

#include <asm/fpu/xstate.h>

/*
 * Does the kernel give a task its FPU state back by an XRSTORS of all components that
 * IA32_XSS allows, branch records included, of which that state says nothing?  That
 * empties them and switches them off.  Since 5.14 it asks for its own components.
 */
#ifdef COMPAT_HAS_XFEATURE_INDEPENDENT
#define COMPAT_FPU_RESTORES_ALL	false
#else
#define COMPAT_FPU_RESTORES_ALL	true
#endif

#endif
