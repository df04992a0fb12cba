/* SPDX-License-Identifier: GPL-2.0 */
/* Lists of CPUs, as the kernel and options write them ("0-3,8"). */
#ifndef LBRCTL_BASE_CPULIST_H
#define LBRCTL_BASE_CPULIST_H

#include <stddef.h>

/* CPU numbers, ascending. */
struct cpulist {
	unsigned int *cpus;
	unsigned int nr;
	size_t max;		/* number of elements that cpus has room for */
};

/* Reads /sys/devices/system/cpu/WHICH ("online", "possible"). Returns 0, or -1 with a message.
 * Free the result with cpulist_free(). */
int cpulist_read(struct cpulist *list, const char *which);

/* Reads the same file as a text without the end of its line. Returns 0; -EINVAL if the file is not a list,
 * as that of nohz_full ("(null)") where no CPU is isolated; or another negative errno. */
int cpulist_text(const char *which, char *text, size_t size);

/* Parses the argument of option -C, in the kernel's form "0-3,8,10-11"; it replaces the list.
 * Returns 0, or the verb's exit status with a message. Free the result with cpulist_free(). */
int cpulist_option(const char *verb, struct cpulist *list, const char *text);

void cpulist_free(struct cpulist *list);

#endif
