/* SPDX-License-Identifier: GPL-2.0 */
/* Opens files as another process sees them, or below another root folder. */
#ifndef LBRCTL_BASE_SYSROOT_H
#define LBRCTL_BASE_SYSROOT_H

#include <stdint.h>
#include <stdio.h>

/* The folder has what the recorded machine has in /. Returns 0, or -1 with a message. */
int root_set(const char *folder);

/* Opens a regular file to be read, symbolic links included: in that folder, if one was
 * set; else as process pid sees it in its mount namespace and below its root; pid 0: as
 * we do. A descriptor, or -1. */
int root_open(uint32_t pid, const char *path);

/* The same as a stream, or NULL. */
FILE *root_fopen(uint32_t pid, const char *path);

/* As root_fopen(), for what the process `writer` is to have written about itself, in a place
 * where anybody may write: NULL, with a warning, unless the file is root's, ours or that
 * process's. In the folder of root_set() owners mean nothing. */
FILE *root_fopen_own(uint32_t pid, const char *path, uint32_t writer);

/* The number that process pid has in its own PID namespace: what it calls itself. The same
 * where it has none, or is gone. */
uint32_t root_inner_pid(uint32_t pid);

#endif
