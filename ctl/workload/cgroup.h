/* SPDX-License-Identifier: GPL-2.0 */
/* Finds a cgroup by its path. */
#ifndef LBRCTL_WORKLOAD_CGROUP_H
#define LBRCTL_WORKLOAD_CGROUP_H

#include <limits.h>

/* Where the hierarchy of cgroup v2 is mounted, without a slash at its end.
 * Returns 0 or -1 with a message. */
int cgroup_mount(char mount[PATH_MAX]);

/* Opens the directory of a cgroup of that hierarchy, by its path in there.
 * Returns its descriptor, or -1 with a message. */
int cgroup_open(const char *path);

#endif
