/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where the functions of a text are. A position is an offset in the file; of the kernel, and of code that has no file, it is
 * the address.
 *
 * Of the frames of a chain, perf script of Linux 6.1 prints positions. Where the text has the mappings
 * (--show-mmap-events), the addresses are known by them; elsewhere they are made up, the same in all processes.
 *
 * Of a sample without chain, and in later versions of all frames, it prints addresses. Where no mapping tells the position, the
 * file is at first one of this process and its program alone, whose positions are the addresses; relate.h makes one file of
 * them.
 *
 * Functions that were inlined share positions with others, and get some of their own.
 */
#ifndef LBRCTL_IMPORT_PLACES_H
#define LBRCTL_IMPORT_PLACES_H

#include "import/items.h"
#include "import/names.h"
#include "object/buildid.h"

#define PLACES_KERNEL	(1ULL << 63)	/* addresses from here on are the kernel's */
#define PLACES_INLINED	(1ULL << 47)	/* positions from here on are those of inlined functions */
#define PLACES_INLINED_SIZE	16
#define PLACES_PAGE	4096

/* Where the inlined function of this number is, from 0. */
static inline uint64_t places_inlined(size_t number)
{
	return PLACES_INLINED + number * PLACES_INLINED_SIZE;
}

/* Positions in use, and the address that the first of them has. Multiples of PLACES_PAGE. */
struct places_range {
	uint64_t begin, end, address;
};

struct places_file {
	uint64_t owner;			/* stands for the process whose addresses are the positions, and its program; 0: none */
	char *path;			/* of the kernel and its modules: what the text has, such as "[kernel.kallsyms]" */
	struct buildid id;		/* made up, of a file with an owner that is not related: others have the path, too */
	bool related;			/* of a file with an owner: it is the one without, at addresses that */
	uint64_t shift;			/* are its positions plus this */
	bool kernel;
	bool made;			/* code that a program made at run time: positions are addresses */
	struct places_range code, inlines;
	struct names names;		/* by position */
	struct names inlined;		/* end: its number, from 1 */
	struct names firsts;		/* each text once; end: its start + 1, 0: it has several */
};

/* A file as one process has it. */
struct places_mapping {
	int32_t pid;
	uint32_t file;
	bool mapped, inlines_mapped;	/* for the writer: at the made-up addresses. Not of a file with an owner */
	struct text_mapping *list;	/* those of the text, in its order, without paths */
	size_t nr, max;
};

struct places {
	struct places_file *files;
	struct places_mapping *mappings;
	struct hash file_index, mapping_index;
	size_t max_files, max_mappings;
	bool has_addresses;		/* a frame of a chain was an address for certain: all are */
};

/* Makes up the build id of a file, of which the text has none. */
struct buildid places_id(uint64_t hash);

/* Whether this stands for code that a program made at run time. */
bool places_is_made(const char *path);

/* Learns what a sample names. Returns 0, or -1 with a message. */
int places_learn(struct places *places, const struct item *item);
/* Notes that a file has code at these positions. */
static inline void places_use(struct places_file *file, uint64_t begin, uint64_t end)
{
	file->code.begin = begin < file->code.begin ? begin : file->code.begin;
	file->code.end = end > file->code.end ? end : file->code.end;
}

/* From here on the process has this mapping of the text. Returns 0, or -1 with a message. */
int places_map(struct places *places, const struct text_mapping *mapping);
/* Call it after the last item. Forgets the mappings. Returns 0, or -1 with a message. */
int places_settle(struct places *places);

/* Where a frame is. */
struct places_spot {
	uint64_t address;
	const struct places_file *file;	/* NULL: the text does not say which it is */
	const struct places_range *range;	/* has to be mapped for this process; NULL: the text does that, or it is the kernel */
	uint64_t offset;		/* position of the range */
	bool *mapped;			/* whether that was done; NULL: of a file with an owner, which others may replace */
};

/* Finds frame i of an item of the second reading. Returns 0, or -1 with a message. */
int places_find(struct places *places, const struct item *item, size_t i, struct places_spot *spot);

void places_free(struct places *places);

#endif
