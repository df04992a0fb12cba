/* SPDX-License-Identifier: GPL-2.0 */
/* The exception table entries of RDMSR and WRMSR. */
#ifndef LBRSCOPE_COMPAT_MSR_H
#define LBRSCOPE_COMPAT_MSR_H

#include <asm/asm.h>
#include <asm/msr.h>

/*
 * The entry of an RDMSR from label 1 to 2, which catches #GP without a word and lets it read
 * as 0.  COMPAT_RDMSR_OUT is the modifier of its outputs, which are 0 before: older kernels
 * leave them as they are.
 */
#ifdef EX_FLAG_CLEAR_AX_DX
#define COMPAT_EXTABLE_RDMSR	_ASM_EXTABLE_TYPE(1b, 2b, EX_TYPE_DEFAULT | EX_FLAG_CLEAR_AX_DX)
#define COMPAT_RDMSR_OUT	"="
#else
#define COMPAT_EXTABLE_RDMSR	_ASM_EXTABLE(1b, 2b)
#define COMPAT_RDMSR_OUT	"+"
#endif

#endif
