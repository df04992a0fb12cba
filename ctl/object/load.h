/* SPDX-License-Identifier: GPL-2.0 */
/* An ELF file and the tables that are loaded of it. Private to load.c, parts.c,
 * segments.c, frame_table.c, cfi.c and object.c. */
#ifndef LBRCTL_OBJECT_LOAD_H
#define LBRCTL_OBJECT_LOAD_H

#include <elfutils/libdw.h>
#include <sys/stat.h>

#include "object/debugfile.h"
#include "object/object.h"
#include "object/tables.h"

struct object_segment {
	uint64_t offset, vaddr, size;	/* size: bytes in the file */
};

struct object {
	int fd;
	struct stat opened;		/* the file's status then */
	const unsigned char *image;	/* or, without a file */
	size_t image_size;
	Elf *elf;
	struct machine *machine;	/* that path is on */
	uint32_t pid;			/* path is in this process's view of the file system;
					 * 0: in lbrctl's */
	char *path;			/* NULL: an image in memory */
	struct debugfile separate;	/* the separate debug file */
	bool separate_tried;
	struct debugfile embedded;	/* symbols besides the exported ones */
	bool x86_64, linker;
	uint64_t entry;
	struct object_range entry_range;	/* the function there */
	bool entry_tried;
	struct object_segment *segments;	/* the executable segments */
	size_t nr_segments;
	uint64_t begin;				/* address of the first segment of any kind */
	/* The tables below are empty until their object_load function was called. */
	struct object_symbols symbols;
	bool symbols_tried, has_symtab;
	struct object_exports exports;
	bool exports_tried;
	struct object_stubs stubs;
	bool stubs_tried;
	struct object_fdes fdes, debug_fdes;
	bool fdes_tried, debug_fdes_tried;
	struct gotable go;
	bool go_tried;
	Dwarf *dwarf, *supplement_dwarf;
	struct debugfile supplement;	/* of dwz: DWARF that several files share */
	struct inlines *inlines;
	bool dwarf_tried;
	bool dwarf_unread;		/* compressed in a way that elfutils cannot read */
};

/*
 * Each of these loads one table, once, and returns it. A question about a file loads the tables
 * that the answer needs and no others: while lbrctl loads a table it does not empty the rings.
 * The answers do not depend on the moment of loading, so the object counts as const.
 */
const struct object_symbols *object_load_symbols(const struct object *object);
const struct object_exports *object_load_exports(const struct object *object);
const struct object_stubs *object_load_stubs(const struct object *object);
struct object_fdes *object_load_fdes(const struct object *object);
/* Call frame information: .eh_frame, else, as in unstripped Go programs, .debug_frame. */
struct object_fdes *object_load_rules(const struct object *object);
/* The function at the entry point. */
const struct object_range *object_load_entry(const struct object *object);

/* Loads DWARF: of the file, else of its separate debug file. */
void object_load_dwarf(struct object *object);

/* Loads Go's table of functions, once. */
void object_load_go(struct object *object);

#endif
