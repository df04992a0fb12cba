/* SPDX-License-Identifier: GPL-2.0 */
/* Finds a cgroup by its path. */
#ifndef LBRCTL_WORKLOAD_CGROUP_H
#define LBRCTL_WORKLOAD_CGROUP_H

#include <limits.h>

/* Finds the mount point of the cgroup v2 hierarchy, without a trailing slash. Returns 0, or -1
 * with a message. */
int cgroup_mount(char mount[PATH_MAX]);

/* Opens the directory of a cgroup by its path in that hierarchy. Returns its descriptor, or -1
 * with a message. */
int cgroup_open(const char *path);

#endif
