/* SPDX-License-Identifier: GPL-2.0 */
/* The packages of this machine's distribution. */
#ifndef LBRCTL_BASE_PACKAGE_H
#define LBRCTL_BASE_PACKAGE_H

#include <stddef.h>

/* Writes how to install the debug symbols of a file: "apt install libc6-dbg", or without a known
 * package manager "install its debug symbols". */
void package_debug(const char *path, char *command, size_t size);

#endif
