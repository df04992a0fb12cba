/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The locations of code in the traces of a capture, each once, with the files that they are in.
 *
 * A file is mapped at one made-up address for all processes, where it overlaps no other file: the
 * addresses of a location in different processes would differ. Kernel code, and memory that
 * belongs to no file, keeps its own addresses.
 */
#ifndef LBRCTL_EXPORT_LOCATIONS_H
#define LBRCTL_EXPORT_LOCATIONS_H

#include "base/hash.h"
#include "profile/analysis.h"

struct location {
	struct place place;		/* an instruction: of a caller, its call */
	bool function_only;		/* only the function is known: place is its begin */
	uint64_t offset;		/* in the file; the address itself without a file */
};

/* The part of a file that locations are in. */
struct location_file {
	uint64_t first, last;		/* offsets */
	uint64_t base;			/* address of offset 0, after locations_lay_out() */
	bool used;
};

struct locations {
	const struct analysis *analysis;
	struct location *list;
	size_t max;
	struct hash index;		/* index.used: the number of locations */
	struct location_file *files;	/* by number of struct maps */
	size_t nr_files;
};

/* Returns 0, or -1 when memory is short; locations_free() in both cases. */
int locations_init(struct locations *locations, const struct analysis *analysis);
void locations_free(struct locations *locations);

/* Returns the number of a frame's location from 0 on, or -1 when memory is short. */
int64_t locations_number(struct locations *locations, const struct stacks_frame *frame);

/* Chooses the addresses of the files. Call it after the last locations_number(). */
void locations_lay_out(struct locations *locations);
uint64_t locations_address(const struct locations *locations, const struct location *location);

/* The pages of a file that have locations, as one mapping. */
struct location_range {
	uint64_t start, limit;		/* addresses */
	uint64_t offset;		/* of start, in the file */
};
struct location_range locations_range(const struct locations *locations, uint32_t file);

/* The functions at a location, the outermost first, each inlined into the one before. */
const struct symbols_frame *locations_frames(const struct locations *locations,
					     const struct location *location, size_t *nr);

/* The path of a file, "[kernel.kallsyms]", or "[unknown]". */
const char *locations_path(const struct locations *locations, uint32_t file);

/* Returns the bytes of the capture's build id of a file; without one, of that of the file that was
 * read; 0: it has none. */
size_t locations_build_id(const struct locations *locations, uint32_t file, const uint8_t **id);
/* The same in hexadecimal digits; "": none. */
void locations_build_id_text(const struct locations *locations, uint32_t file, char *text,
			     size_t size);

#endif
