/* SPDX-License-Identifier: GPL-2.0 */
/* An ELF file and the tables that are loaded of it. Private to load.c and object.c. */
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
	uint32_t pid;			/* path is in this process's view of the file system;
					 * 0: in lbrctl's */
	char *path;			/* NULL: an image in memory */
	struct debugfile separate;	/* the separate debug file */
	bool separate_tried;
	struct debugfile embedded;	/* symbols besides the exported ones */
	bool x86_64, linker;
	uint64_t entry;
	struct object_range entry_range;
	struct object_segment *segments;	/* the executable segments */
	size_t nr_segments;
	uint64_t begin;				/* address of the first segment of any kind */
	bool loaded;			/* the fields below are set by object_load_tables() */
	bool has_symtab;
	struct object_symbols symbols;
	struct object_exports exports;
	struct object_stubs stubs;
	struct object_fdes fdes;
	struct gotable go;
	bool go_tried;
	Dwarf_CFI *cfi;
	bool cfi_tried, cfi_is_dwarfs;
	Dwarf *dwarf, *supplement_dwarf;
	struct debugfile supplement;	/* of dwz: DWARF that several files share */
	struct inlines *inlines;
	bool dwarf_tried;
};

/* Loads symbols, exports, PLT stubs, the ranges of FDEs, and the function at the entry point. */
void object_load_tables(struct object *object);

/* Loads DWARF: of the file, else of its separate debug file. */
void object_load_dwarf(struct object *object);

/* Loads Go's table of functions, once. */
void object_load_go(struct object *object);

/* Loads call frame information: .eh_frame, else, as in unstripped Go programs, .debug_frame. */
void object_load_cfi(struct object *object);

#endif
