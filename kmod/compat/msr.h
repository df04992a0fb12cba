/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBRSCOPE_COMPAT_MSR_H
#define LBRSCOPE_COMPAT_MSR_H

#include <asm/asm.h>
#include <asm/msr.h>

/* What catches the #GP of an RDMSR from 1 to 2 and warns: of types since 5.16. */
#ifdef EX_TYPE_RDMSR
#define COMPAT_EXTABLE_RDMSR	_ASM_EXTABLE_TYPE(1b, 2b, EX_TYPE_RDMSR)
#else
#define COMPAT_EXTABLE_RDMSR	_ASM_EXTABLE_HANDLE(1b, 2b, ex_handler_rdmsr_unsafe)
#endif

#endif
