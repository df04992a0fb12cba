/* SPDX-License-Identifier: GPL-2.0 */
/* The packages of a machine's distribution. */
#ifndef LBRCTL_MACHINE_PACKAGE_H
#define LBRCTL_MACHINE_PACKAGE_H

#include <stddef.h>

#include "machine/machine.h"

/* Writes how to install the debug symbols of a file: "apt install libc6-dbg"; "install its debug symbols"
 * if the package manager is not known, as on another machine. */
void package_debug(const struct machine *machine, const char *path, char *command, size_t size);

#endif
