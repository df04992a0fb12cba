/* SPDX-License-Identifier: GPL-2.0 */
/* A file that appears complete or not at all. It is written in the target's folder, without a
 * name if the file system can do that, so that a killed process leaves nothing, and then
 * moved. Otherwise its name is FILE.partial. and 16 hexadecimal digits. The writer holds a
 * lock (flock), so that the next writer of FILE can delete the file of a killed one, and no
 * other. The name "-" stands for the standard output. */
#ifndef LBRCTL_BASE_ATOMIC_FILE_H
#define LBRCTL_BASE_ATOMIC_FILE_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

struct atomic_file {
	FILE *stream;		/* the caller writes here */
	char *path, *temporary;
	bool named;		/* it has the temporary name */
	bool shared;		/* set by the caller before the commit: other users read it */
};

/* Notes the mode and the group of a file that outputs come from. Those who may read each of
 * these files may read an output of root. Root alone may read it (0600) if there is no such file.
 * A shared output has the mode 0644. Other users' outputs have the mode 0666. The umask applies to
 * all. */
void atomic_file_limit(mode_t mode, gid_t group);

/* Returns 0, or -1 with the reason printed. */
int atomic_file_open(struct atomic_file *file, const char *path);
/* Moves the file to its place. Returns 0, or -1 with the reason printed and the written data
 * deleted. */
int atomic_file_commit(struct atomic_file *file);
/* Deletes the written data. */
void atomic_file_abort(struct atomic_file *file);

#endif
