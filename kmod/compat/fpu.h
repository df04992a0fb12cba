/* SPDX-License-Identifier: GPL-2.0 */
/* How a kernel restores the FPU state, to which branch records belong. */
#ifndef LBRSCOPE_COMPAT_FPU_H
#define LBRSCOPE_COMPAT_FPU_H

#include <asm/fpu/xstate.h>

/*
 * Whether the kernel restores a task's FPU state with an XRSTORS of all components in
 * IA32_XSS.  The branch records are one of them and are not in that state, so that they
 * are emptied and switched off.  Since 5.14 the kernel restores its own components only.
 */
#ifdef COMPAT_HAS_XFEATURE_INDEPENDENT
#define COMPAT_FPU_RESTORES_ALL	false
#else
#define COMPAT_FPU_RESTORES_ALL	true
#endif

#endif
