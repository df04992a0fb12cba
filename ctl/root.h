/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBRCTL_ROOT_H
#define LBRCTL_ROOT_H

#include <stdint.h>

/* Opens a regular file to be read, as process pid sees it in its mount namespace and
 * below its root, symbolic links included; pid 0: as we do. A descriptor, or -1. */
int root_open(uint32_t pid, const char *path);

#endif
