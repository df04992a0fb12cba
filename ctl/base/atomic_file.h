/* SPDX-License-Identifier: GPL-2.0 */
/* A file that appears whole or not at all: written beside its place, under no name where the
 * file system can do that, so that a process that is killed leaves nothing; then moved. That
 * of the name "-" is the standard output. */
#ifndef LBRCTL_BASE_ATOMIC_FILE_H
#define LBRCTL_BASE_ATOMIC_FILE_H

#include <stdbool.h>
#include <stdio.h>

struct atomic_file {
	FILE *stream;		/* write here */
	char *path, *temporary;
	bool named;		/* it has the temporary name */
};

/* 0, or -1 with the reason printed. */
int atomic_file_open(struct atomic_file *file, const char *path);
/* Puts the file in its place. 0; or -1 with the reason printed, and what was
 * written is gone. */
int atomic_file_commit(struct atomic_file *file);
/* Throws away what was written. */
void atomic_file_abort(struct atomic_file *file);

#endif
