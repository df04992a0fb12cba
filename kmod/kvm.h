/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBRSCOPE_KVM_H
#define LBRSCOPE_KVM_H

#include <linux/types.h>

/* Does KVM give virtual machines the counters, whoever has reserved them? */
bool ls_kvm_takes_counters(void);

#endif
