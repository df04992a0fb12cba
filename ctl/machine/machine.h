/* SPDX-License-Identifier: GPL-2.0 */
/* The machine that a capture comes from, and the files on it: those of an archive, of the folder of
 * --symfs, or of this machine. */
#ifndef LBRCTL_MACHINE_MACHINE_H
#define LBRCTL_MACHINE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* NULL: this machine. A capture holds its machine, and whatever opens files later holds it, too. Each
 * function below takes NULL. */
struct machine;

/* Makes the folder stand for / of the machines of all captures that are opened from now on. Returns 0, or
 * -1 with a message. */
int machine_symfs(const char *folder);
/* Where source files are looked for first; returns the same. */
int machine_sources(const char *folder);

/* Stores the machine of the capture that the descriptor refers to. If that is an archive, *fd is closed,
 * and becomes the capture inside of it. path is for messages. Returns 0, or -1 with a message; *fd is the
 * caller's in both cases, or -1. */
int machine_open(const char *path, int *fd, struct machine **machine);
struct machine *machine_hold(struct machine *machine);
void machine_drop(struct machine *machine);

/* Whether paths are not those of this machine. */
bool machine_is_other(const struct machine *machine);

/* Opens a regular file for reading and follows symbolic links: below the folder of --symfs; else a member of
 * the archive; else as process pid sees it, in its mount namespace and below its root; pid 0: as lbrctl
 * sees it. Returns a descriptor, or -1. */
int machine_file(const struct machine *machine, uint32_t pid, const char *path);
/* The same as a stream, or NULL. */
FILE *machine_stream(const struct machine *machine, uint32_t pid, const char *path);

/* Opens a file of the archive by its build id; kind: see archive.h. Returns a descriptor, or -1. */
int machine_file_by_id(const struct machine *machine, const uint8_t *id, size_t size, const char *kind);

/* Opens a source file: below the folder of machine_sources() by any end of its path, the longest first;
 * then below the folder of --symfs; then as lbrctl sees it, also for archives: developers read them where
 * they have the sources. Returns NULL on failure. */
FILE *machine_source(const struct machine *machine, const char *path);

/* As machine_stream(), for a file that the process `writer` wrote about itself in a place where
 * every user may write, or that it can replace in a mount namespace of its own. Follows no
 * symbolic links. Returns NULL, with a warning, unless the file is regular, no mount point,
 * belongs to the user of lbrctl or to that process's user, and has no other name (hard link). Of
 * another machine, owners and names are ignored; in archives there are only files. */
FILE *machine_own_stream(const struct machine *machine, uint32_t pid, const char *path, uint32_t writer);

/* Returns the id of this machine's process pid in its own PID namespace; pid itself if it has no
 * other, or has ended. */
uint32_t machine_inner_pid(uint32_t pid);

#endif
