/* SPDX-License-Identifier: GPL-2.0 */
/* Finds the processes that hold the PMU through perf events. */
#ifndef LBRCTL_MODULE_HOLDERS_H
#define LBRCTL_MODULE_HOLDERS_H

#include <stddef.h>

/* Processes by the kind of their open files; bits. */
enum holders_kind {
	HOLDERS_PERF = 1,	/* perf events */
	HOLDERS_KVM = 2,	/* a virtual CPU */
	HOLDERS_MSR = 4,	/* the registers themselves, which it can write without
				 * reserving them
				 */
};

/* Writes the processes of these kinds as "name (pid N, why), ...", up to a limit. Returns the
 * number of those that the user may see. */
unsigned int holders_list(unsigned int kinds, char *out, size_t size);

/* Writes one sentence, without a full stop, about the processes that may use the PMU, and the
 * remedy. The kernel keeps no record of the owner: these are the processes that could be it. */
void holders_describe(char *out, size_t size);

#endif
