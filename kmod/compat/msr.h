/* SPDX-License-Identifier: GPL-2.0 */
/* The exception table entry of an RDMSR. */
#ifndef LBRSCOPE_COMPAT_MSR_H
#define LBRSCOPE_COMPAT_MSR_H

#include <asm/asm.h>
#include <asm/msr.h>

/* The exception table entry of an RDMSR from label 1 to 2, which catches #GP and warns. */
#ifdef EX_TYPE_RDMSR
#define COMPAT_EXTABLE_RDMSR	_ASM_EXTABLE_TYPE(1b, 2b, EX_TYPE_RDMSR)
#else
#define COMPAT_EXTABLE_RDMSR	_ASM_EXTABLE_HANDLE(1b, 2b, ex_handler_rdmsr_unsafe)
#endif

#endif
