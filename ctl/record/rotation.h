/* SPDX-License-Identifier: GPL-2.0 */
/* Decides when a recording switches to a new file, and which files are kept. */
#ifndef LBRCTL_RECORD_ROTATION_H
#define LBRCTL_RECORD_ROTATION_H

#include <stdbool.h>
#include <stdint.h>

/* When a recording switches to a new file, as with perf record --switch-output, and which of
 * its files are kept. */
struct rotation {
	bool wanted;
	uint64_t size;		/* maximum bytes of a file; 0: unlimited */
	uint64_t time;		/* maximum ns that a file covers; 0: unlimited */
	uint64_t first;		/* the same for the first file, if it is less; 0: it is not */
	unsigned int keep;	/* number of files to keep; 0: all */

	char **files;		/* the finished files, oldest first */
	size_t nr_files, max_files;
	uint64_t since;		/* beginning of the current file, ns */
};

/* Parses perf's "signal", "100M", "60s"; NULL means "signal", which always works in addition.
 * Returns whether the text is valid. */
bool rotation_parse(struct rotation *rotation, const char *text);

/* Returns the name of the file that begins at this time (ns of any clock):
 * base.YYYYMMDDhhmmsscc, as with perf. The caller frees it. NULL with a message on failure. */
char *rotation_begin(struct rotation *rotation, const char *base, uint64_t now);

/* Whether the current file, with this number of bytes, has reached its limit. */
bool rotation_due(const struct rotation *rotation, uint64_t bytes, uint64_t now);

/* Call when a file is finished. Takes over its name, and removes the oldest file if there are
 * too many. Returns 0, or -1 with a message. */
int rotation_finished(struct rotation *rotation, char *file);

/* Removes the oldest file, which must exist. Returns 0, or -1 with a message; a file that
 * cannot be removed is forgotten. */
int rotation_drop(struct rotation *rotation);

void rotation_free(struct rotation *rotation);

#endif
