/* SPDX-License-Identifier: GPL-2.0 */
/* How KVM treats IA32_DEBUGCTL. */
#ifndef LBRSCOPE_COMPAT_KVM_H
#define LBRSCOPE_COMPAT_KVM_H

/*
 * Whether KVM on Intel writes IA32_DEBUGCTL after each VM exit with the value from the time
 * when the virtual CPU was loaded (vmx_vcpu_load() of arch/x86/kvm/vmx/vmx.c), however long
 * ago that was.  Newer kernels take the value right before each entry, with interrupts off.
 */
#ifdef COMPAT_HAS_HOST_DEBUGCTL
#define COMPAT_KVM_KEEPS_DEBUGCTL	false
#else
#define COMPAT_KVM_KEEPS_DEBUGCTL	true
#endif

#endif
