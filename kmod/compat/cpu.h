/* SPDX-License-Identifier: GPL-2.0 */
/* CPUID and the checked MSR accessors, by their names in each kernel. */
#ifndef LBRSCOPE_COMPAT_CPU_H
#define LBRSCOPE_COMPAT_CPU_H

#include <asm/cpufeature.h>
#include <asm/msr.h>
#include <asm/processor.h>
/* Since 6.16 cpuid() has its own header. */
#ifdef COMPAT_HAS_CPUID_API
#include <asm/cpuid/api.h>
#endif

/* 6.16 renamed these together with rdmsrl(). */
#ifndef rdmsrl
#define rdmsrl_safe	rdmsrq_safe
#define wrmsrl_safe	wrmsrq_safe
#endif

/* CPUID.07H:EDX[15]: older kernels have the word, but no name for the bit. */
#ifndef X86_FEATURE_HYBRID_CPU
#define X86_FEATURE_HYBRID_CPU	(18 * 32 + 15)
#endif

#endif
