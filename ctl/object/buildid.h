/* SPDX-License-Identifier: GPL-2.0 */
/* The build ids of a capture. */
#ifndef LBRCTL_OBJECT_BUILDID_H
#define LBRCTL_OBJECT_BUILDID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define BUILDID_MAX	20	/* bytes; perf.data has no room for more */

struct buildid {
	uint8_t size;		/* bytes; 0: none */
	uint8_t bytes[BUILDID_MAX];
};

/* Whether a file's own id is the recorded one, which perf pads with zeros to a multiple of 4 bytes. */
bool buildid_same(const void *own, size_t own_size, const uint8_t *recorded, size_t size);

/* Reads the build id from the notes of an ELF file; size 0 if it has none or cannot be read. */
struct buildid buildid_file(const char *path);

/* Reads the build id from a file of bare ELF notes, such as /sys/kernel/notes. */
struct buildid buildid_notes(const char *path);
/* The same from a stream, which is closed; NULL: size 0. */
struct buildid buildid_stream(FILE *in);

/* The files of a capture, each once per build id, in the order of insertion. */
struct buildid_table {
	struct buildid_entry {
		struct buildid id;
		uint16_t cpumode;	/* PERF_RECORD_MISC_USER or _KERNEL */
		char *name;
	} *entries;
	size_t nr, max;
	void *index;		/* tsearch() tree over the entries' names */
};

/* Adds a file unless the list has it; a file without a build id is left out. Returns 0 or -1
 * with a message. */
int buildid_table_add(struct buildid_table *table, const struct buildid *id,
		      uint16_t cpumode, const char *name);
void buildid_table_free(struct buildid_table *table);

#endif
