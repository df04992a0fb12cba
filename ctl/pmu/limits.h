/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBRCTL_PMU_LIMITS_H
#define LBRCTL_PMU_LIMITS_H

#include <stdint.h>

/*
 * The general counters that count an event on an Intel CPU, a bit each, by
 * CPUID.1's display family and model. On others the event reads too little, or
 * nothing, and the CPU does not say so. UINT32_MAX: all, or it is not known here.
 */
uint32_t events_limits(uint32_t family, uint32_t model, uint64_t select);

#endif
