/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One ELF file: its code, and the names and bounds of its functions. Addresses are the file's
 * own virtual addresses (vaddr).
 *
 * The file may be hostile: all of it is read through libelf and libdw, which check their
 * bounds, or with pread().
 */
#ifndef LBRCTL_OBJECT_OBJECT_H
#define LBRCTL_OBJECT_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "object/inlines.h"

struct machine;
struct object;

enum object_state {
	OBJECT_OK,
	OBJECT_MISSING,		/* the file does not exist, or cannot be read */
	OBJECT_NOT_ELF,
	OBJECT_MISMATCH,	/* it is another file of that name */
	OBJECT_NO_FILE,		/* the mapping is no file */
};

struct object_range {
	uint64_t start, end;	/* end is the first byte behind the range */
};

struct object_symbol {
	uint64_t start, end;
	const char *name;	/* owned by the object, as the file spells it */
	bool sized;		/* the file states its size */
};

/* Opens path as process pid of the machine sees it (0: as lbrctl does). If id_size is not 0 the file must
 * have that build id. Returns NULL with the reason in *state. */
struct object *object_open(struct machine *machine, uint32_t pid, const char *path,
			   const uint8_t *build_id, size_t id_size,
			   enum object_state *state);
/* The same for an image in memory, which must outlive the object (the vdso). */
struct object *object_from_memory(const void *image, size_t size);
void object_close(struct object *object);

/* Its file, when it was opened; object's. */
const struct stat *object_status(const struct object *object);

/* Loads now what questions about functions and calls need, the symbols and bounds of all functions: 0.2 s for
 * 95 MB of code. */
void object_prepare(const struct object *object);

/* Whether its path still leads to the same file, unchanged since it was opened. */
bool object_is_current(const struct object *object);

/* Returns the number of bytes of the build id, or 0 without a build id. */
size_t object_build_id(const struct object *object, const void **id);

/* Converts a file offset that was mapped executable to its address; false if no segment holds
 * it. Segments may differ in p_vaddr - p_offset, so that difference is no constant of the
 * file. */
bool object_vaddr(const struct object *object, uint64_t offset, uint64_t *vaddr);

/* Converts an address to its file offset. */
bool object_offset(const struct object *object, uint64_t vaddr, uint64_t *offset);

/* Returns the address of the first segment; of the first executable segment's first page. */
uint64_t object_begin(const struct object *object);
uint64_t object_code_begin(const struct object *object);

/* Reads up to size bytes of code at vaddr. Returns the number of bytes read. */
size_t object_read(const struct object *object, uint64_t vaddr, void *buf,
		   size_t size);

/* True if code of this object can be decoded as x86-64. */
bool object_is_x86_64(const struct object *object);

/* Returns the symbol whose range contains vaddr, or NULL. Without .symtab in the file or its
 * debug file, only exported symbols, those of .gnu_debugdata and the functions of Go's table
 * are known. A symbol never extends beyond its size; a symbol without a size never extends into
 * another function of the call frame information. */
const struct object_symbol *object_symbol(const struct object *object,
					  uint64_t vaddr);

/* Whether the symbols are those of .symtab, here or in the separate debug file: without them
 * only exported functions, and those of Go, have names. */
bool object_has_symtab(const struct object *object);

/* Whether the file has Go's table of functions (gotable.h). */
bool object_has_gotable(const struct object *object);

/* Returns the number of different addresses with a function called `name`; *vaddr: one of
 * them. */
size_t object_named(const struct object *object, const char *name,
		    uint64_t *vaddr);

/* Returns the name of the PLT stub at vaddr ("puts@plt") with its range, or NULL. */
const char *object_plt(const struct object *object, uint64_t vaddr,
		       struct object_range *range);

/* Finds the next function that the file exports as `name`; each version of a symbol is one.
 * *position: 0 at first. *ifunc: the function at *vaddr only chooses another function of this file. */
bool object_export(const struct object *object, const char *name, size_t *position,
		   uint64_t *vaddr, bool *ifunc);

/* True for the dynamic linker: a PLT stub jumps there to be bound. */
bool object_is_linker(const struct object *object);

/* Finds the bounds of the function that contains vaddr: by call frame information if it has
 * some (stripped files too), else by its symbol. */
bool object_function(const struct object *object, uint64_t vaddr,
		     struct object_range *range);

/* True if a function begins at vaddr, by call frame information, symbol (any alias) or ELF
 * entry point. */
bool object_is_entry(const struct object *object, uint64_t vaddr);

/* True if neither call frame information nor a symbol gives the bounds of the function that
 * contains vaddr; *from: a lower bound of its start. */
bool object_unclaimed(const struct object *object, uint64_t vaddr, uint64_t *from);

/* Returns the ELF entry point of a program or of the dynamic linker; 0 for a library. */
uint64_t object_entry(const struct object *object);

/* True if vaddr is in code that was entered without a call: its call frame information says
 * that the return address is undefined, or it is the function at the ELF entry point of a
 * program or of the dynamic linker. */
bool object_is_outermost(const struct object *object, uint64_t vaddr);

/* True if the call frame information says that a frame is already set up at vaddr, so that no
 * call can have led there: part of a function that the compiler split off. */
bool object_is_fragment(const struct object *object, uint64_t vaddr);

/* Finds the functions that were inlined into one another at vaddr and, if wanted, the source
 * lines, as inlines_at(), by DWARF here or in the separate debug file. */
size_t object_inlines(const struct object *object, uint64_t vaddr, bool lines,
		      struct inlines_frame frames[INLINES_MAX]);

/* True if there is DWARF that the elfutils here cannot read: compressed by zstd, before 0.189. */
bool object_is_unread(const struct object *object);

/* A file that an object consists of; kind: ARCHIVE_ELF, ARCHIVE_DEBUG or ARCHIVE_VDSO. */
struct object_part {
	const char *kind;
	const void *id;			/* its build id; id_size 0: none */
	size_t id_size;
	const void *data;		/* its contents, valid during the call */
	size_t size;
};

/* Calls part() for the file itself, for its separate debug file, and for the debug file that
 * several share. Returns 0; -1 with a message; what part() returned if that is not 0. */
int object_parts(struct object *object, int (*part)(void *ctx, const struct object_part *part),
		 void *ctx);

#endif
