/* SPDX-License-Identifier: GPL-2.0 */
/* When a recording goes on in another file, and which files are kept. */
#ifndef LBRCTL_RECORD_ROTATION_H
#define LBRCTL_RECORD_ROTATION_H

#include <stdbool.h>
#include <stdint.h>

/* When a recording goes on in another file, as perf record --switch-output does, and
 * which of its files are kept. */
struct rotation {
	bool wanted;
	uint64_t size;		/* bytes that a file may have; 0: any */
	uint64_t time;		/* ns that it may be about; 0: any */
	unsigned int keep;	/* so many files; 0: all */

	char **files;		/* that are finished, oldest first */
	size_t nr_files, max_files;
	uint64_t since;		/* when the present one was begun, ns */
};

/* Parses perf's "signal", "100M", "60s"; NULL is "signal", which is always meant as well.
 * Returns whether it is one of them. */
bool rotation_parse(struct rotation *rotation, const char *text);

/* The name of the file that begins now (ns, of any clock): base.YYYYMMDDhhmmsscc, as perf
 * has it; malloc'd, NULL with a message. */
char *rotation_begin(struct rotation *rotation, const char *base, uint64_t now);

/* Whether the present file, of so many bytes by now, has had enough. */
bool rotation_due(const struct rotation *rotation, uint64_t bytes, uint64_t now);

/* A file is finished: takes its name, and removes the oldest one if there are too many.
 * Returns 0, or -1 with a message. */
int rotation_finished(struct rotation *rotation, char *file);

/* Removes the oldest file. Returns 0, or -1 with a message; a file that cannot be removed is
 * forgotten. There has to be one. */
int rotation_drop(struct rotation *rotation);

void rotation_free(struct rotation *rotation);

#endif
