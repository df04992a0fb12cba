/* SPDX-License-Identifier: GPL-2.0 */
/* Opens files as another process sees them, or below another root folder. */
#ifndef LBRCTL_BASE_SYSROOT_H
#define LBRCTL_BASE_SYSROOT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Makes the folder stand for / of the recorded machine. Returns 0, or -1 with a message. */
int root_set(const char *folder);
/* Where source files are looked for first; returns the same. */
int root_set_sources(const char *folder);

/* Whether paths are not those of this machine: root_set() was called, or an archive is open. */
bool root_is_elsewhere(void);

/* Opens a regular file for reading and follows symbolic links. With root_set() the path is
 * below that folder; else, while archives are open, it is that of a member (base/archive.h); else
 * it is as process pid sees it, in its mount namespace and
 * below its root; pid 0: as lbrctl sees it. Returns a descriptor, or -1. */
int root_open(uint32_t pid, const char *path);

/* The same as a stream, or NULL. */
FILE *root_fopen(uint32_t pid, const char *path);

/* Opens a source file: below the folder of root_set_sources() by any end of its path, the longest first;
 * then below the folder of root_set(); then as lbrctl sees it, also while archives are open: developers
 * read them where they have the sources. Returns NULL on failure. */
FILE *root_fopen_source(const char *path);

/* As root_fopen(), for a file that the process `writer` wrote about itself in a place where
 * every user may write, or that it can replace in a mount namespace of its own. Follows no
 * symbolic links. Returns NULL, with a warning, unless the file is regular, no mount point,
 * belongs to the user of lbrctl or to that process's user, and has no other name (hard link). If
 * root_is_elsewhere(), owners and names are ignored; in archives there are only files. */
FILE *root_fopen_own(uint32_t pid, const char *path, uint32_t writer);

/* Returns the id of process pid in its own PID namespace; pid itself if it has no other, or
 * has ended. */
uint32_t root_inner_pid(uint32_t pid);

#endif
