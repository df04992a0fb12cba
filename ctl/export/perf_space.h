/* SPDX-License-Identifier: GPL-2.0 */
/* The addresses at which an exported perf.data has the files of a capture. */
#ifndef LBRCTL_EXPORT_PERF_SPACE_H
#define LBRCTL_EXPORT_PERF_SPACE_H

#include "export/locations.h"
#include "object/buildid.h"

/* Consecutive pages of a file. */
struct perf_mapping {
	uint32_t file;			/* number of struct maps, or MAPS_KERNEL */
	uint64_t start, end, pgoff;	/* addresses; the offset of start */
	uint64_t delta;			/* of user code: start of the segment's addresses in the
					 * ELF file less their offsets */
	bool kernel;
	const char *path;
};

struct perf_space {
	const struct analysis *first;
	struct locations locations;
	struct perf_mapping *list;
	size_t nr, max;
	uint64_t *bases;		/* by file: added to addresses of the ELF file */
};

/* Lays out the files in which the traces of these analyses have frames. Returns 0, or -1 with a
 * message; perf_space_free() in both cases. */
int perf_space_init(struct perf_space *space, const struct analysis *first);
void perf_space_free(struct perf_space *space);

/* Returns the address of a frame; of a caller, one byte into the call. */
uint64_t perf_space_address(struct perf_space *space, const struct stacks_frame *frame,
			    bool *kernel);

/* Adds the build ids of these files. Returns 0, or -1 with a message. */
int perf_space_build_ids(const struct perf_space *space, struct buildid_table *ids);

#endif
