/* SPDX-License-Identifier: GPL-2.0 */
/* Finds the processes that hold the PMU through perf events. */
#ifndef LBRCTL_MODULE_HOLDERS_H
#define LBRCTL_MODULE_HOLDERS_H

#include <stddef.h>

/* Processes by what they have open; bits. */
enum holders_kind {
	HOLDERS_PERF = 1,	/* perf events */
	HOLDERS_KVM = 2,	/* a virtual CPU */
	HOLDERS_MSR = 4,	/* the registers themselves, which it may write without
				 * asking anyone */
};

/* Writes those of these kinds, "name (pid N, why), ...", some at most. Returns how many
 * there are, as far as we may see. */
unsigned int holders_list(unsigned int kinds, char *out, size_t size);

/* Writes one sentence, without a full stop, on who may hold the PMU, and what
 * to do about it. The kernel keeps no record of that: these are the processes
 * that could. */
void holders_describe(char *out, size_t size);

#endif
