/* SPDX-License-Identifier: GPL-2.0 */
/* The entries of a section of call frame information, .eh_frame or .debug_frame: of each piece of code, where the
 * program is that computes its rules. */
#ifndef LBRCTL_OBJECT_FRAMES_H
#define LBRCTL_OBJECT_FRAMES_H

#include <elfutils/libdw.h>

#include "object/object.h"

/* What the pieces of code of a compilation have in common (CIE). */
struct frames_common {
	Dwarf_Off offset;		/* in the section */
	int encoding;			/* of addresses: DW_EH_PE_...; -1: unknown, its pieces are left out */
	bool signal;			/* frames that a signal handler returns to */
	bool sized;			/* pieces have more data before their programs */
	uint64_t unit;			/* bytes of code of an advance by 1 */
	int64_t factor;			/* of offsets from the CFA */
	uint64_t back;			/* the register number of the return address */
	const unsigned char *program, *end;
};

/* A piece of code (FDE). */
struct frames_piece {
	struct object_range code;
	const struct frames_common *common;	/* valid until the next call of frames_next() */
	Dwarf_Off entry;			/* in the section */
	const unsigned char *program, *end;
	uint64_t moved;			/* vaddr - address here of these bytes */
};

/* Initialize by frames_open(). The Elf owns the data and must outlive it. */
struct frames {
	const unsigned char *ident;
	Elf_Data *data;
	uint64_t vaddr;			/* of the section */
	bool eh;			/* .eh_frame's form */
	Dwarf_Off at;
	struct frames_common *commons;
	size_t nr, max;
};

/* Begins with the first entry of the section, .eh_frame or .debug_frame, which is unpacked. Returns false if the file has
 * none. */
bool frames_open(struct frames *frames, Elf *elf, const char *section);

/* Finds the next piece of code with known bounds; false: there are no more. */
bool frames_next(struct frames *frames, struct frames_piece *piece);

/* Finds a piece again, by the `entry` that it had. */
bool frames_again(const struct frames *frames, Dwarf_Off entry, struct frames_piece *piece);

void frames_close(struct frames *frames);

/* One entry of .eh_frame by itself: its beginning in the file, which is nearly always the whole. */
struct frames_entry {
	uint64_t vaddr;
	size_t size;			/* of the bytes, that the file has */
	unsigned char bytes[256];
};

/* Returns how many bytes the whole entry has; 0: it has no contents, or is larger than 4 GiB. */
size_t frames_entry_size(const struct frames_entry *entry);
/* Sets the address of what a piece of code has in common with others; false: the entry is no piece of code. */
bool frames_entry_common(const struct frames_entry *entry, uint64_t *vaddr);
/* Reads what pieces of code have in common, if it is whole. It points into the entry. ident: of the ELF file. */
bool frames_entry_take_common(const struct frames_entry *entry, const char *ident, struct frames_common *common);
/* Reads a piece of code, whose bytes are at `whole`; false: its bounds are not known. */
bool frames_entry_piece(const struct frames_entry *entry, const unsigned char *whole,
			const struct frames_common *common, struct frames_piece *piece);

#endif
