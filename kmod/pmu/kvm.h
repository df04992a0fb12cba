/* SPDX-License-Identifier: GPL-2.0 */
/* Whether KVM takes the counters despite the reservation. */
#ifndef LBRSCOPE_KVM_H
#define LBRSCOPE_KVM_H

#include <linux/types.h>

/*
 * Returns: whether KVM gives virtual machines the physical counters, regardless of their
 * reservation.
 * Context: process, may sleep.
 */
bool ls_kvm_takes_counters(void);

#endif
