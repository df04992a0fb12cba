/* SPDX-License-Identifier: GPL-2.0 */
/* The tables of object.c, which alone uses them. Each is sorted, by start unless stated
 * otherwise. */
#ifndef LBRCTL_OBJECT_TABLES_H
#define LBRCTL_OBJECT_TABLES_H

#include <gelf.h>
#include <libelf.h>

#include "object/frames.h"
#include "object/gotable.h"
#include "object/object.h"

/* The pieces of code of .eh_frame: by the linker's table, or a list; or those of .debug_frame. */
struct object_fdes {
	Elf *elf;
	int fd;				/* the file's, which remains the caller's; -1: an image */
	uint64_t file_size;
	size_t nr;
	const unsigned char *table;	/* the Elf's; NULL: list is used */
	uint64_t table_vaddr;		/* of .eh_frame_hdr */
	uint32_t *sizes;		/* bytes of each function; 0: not yet read */
	uint64_t frames_vaddr, frames_offset;	/* of .eh_frame */
	struct frames_entry *recent;		/* entries (FDE) that were read of late: slots by address */
	struct frames_entry last_common;	/* the common entry (CIE) that was read last, */
	struct frames_common common;		/* and what it says */
	unsigned char *whole;			/* all bytes of a longer entry */
	size_t max_whole;
	uint64_t whole_vaddr;
	struct object_fde {
		struct object_range code;
		Dwarf_Off entry;
	} *list;
	struct frames frames;		/* with the list */
};

void object_fdes_load(struct object_fdes *fdes, Elf *elf, int fd);
/* Loads the list of .debug_frame, which has no table. */
void object_fdes_load_debug(struct object_fdes *fdes, Elf *elf);
/* Sets the range that contains vaddr; false: none. */
bool object_fdes_find(struct object_fdes *fdes, uint64_t vaddr, struct object_range *range);
/* Sets the piece of code that contains vaddr, until the next question; false: none, or its entry is wrong. */
bool object_fdes_piece(struct object_fdes *fdes, uint64_t vaddr, struct frames_piece *piece);
/* Sets the last range that begins at vaddr or before; false: none. */
bool object_fdes_before(struct object_fdes *fdes, uint64_t vaddr, struct object_range *range);
/* Returns the beginning of the first range behind vaddr; UINT64_MAX: none. */
uint64_t object_fdes_next(const struct object_fdes *fdes, uint64_t vaddr);
void object_fdes_free(struct object_fdes *fdes);

struct object_symbols {
	struct object_symbol *list;	/* the best name of each start */
	uint64_t *reach;		/* reach[i]: largest end of list[0..i] */
	size_t nr;
};

/* A table of symbols, .symtab (SHT_SYMTAB) or .dynsym (SHT_DYNSYM), or of Go's functions. */
struct object_symbols_source {
	Elf *elf;
	unsigned int table_type;
	const struct gotable *go;	/* instead of these two */
};

/* Loads the function names of these sources, together. False if they have no names. The Elfs own
 * the names. */
bool object_symbols_load(struct object_symbols *symbols,
			 const struct object_symbols_source *sources, size_t nr);
/* Ends exported symbols without a size where the next function begins. */
void object_symbols_trim(struct object_symbols *symbols, const struct object_fdes *fdes);
const struct object_symbol *
object_symbols_find(const struct object_symbols *symbols, uint64_t vaddr);
/* Returns the last symbol that begins at vaddr or before, wherever it ends, or NULL. */
const struct object_symbol *
object_symbols_before(const struct object_symbols *symbols, uint64_t vaddr);
void object_symbols_free(struct object_symbols *symbols);

/* The functions of .dynsym that others can call. The Elf owns the data. */
struct object_exports {
	Elf *elf;
	Elf_Data *symbols;
	size_t names;			/* section of their names */
	size_t nr;
	/* Of .gnu.hash: the first symbol of each bucket, and the hashes of symbols from `first` on. */
	const uint32_t *buckets, *hashes;
	uint32_t nr_buckets, first;	/* 0 buckets: the file has none */
	size_t nr_hashes;
};

void object_exports_load(struct object_exports *exports, Elf *elf);
/* As object_export(). */
bool object_exports_find(const struct object_exports *exports, const char *name, size_t *position, uint64_t *vaddr,
			 bool *ifunc);

struct object_stub {
	struct object_range range;
	char *name;
};

struct object_stubs {
	struct object_stub *list;
	size_t nr, max;
};

/* The stubs of .plt, .plt.sec, .plt.got and .iplt, named after the relocation
 * of the GOT slot that they jump through. */
void object_stubs_load(struct object_stubs *stubs, Elf *elf);
const struct object_stub *object_stubs_find(const struct object_stubs *stubs,
					    uint64_t vaddr);
void object_stubs_free(struct object_stubs *stubs);

/* Finds a section by name; NULL if the file has none. */
Elf_Scn *object_section(Elf *elf, const char *name, GElf_Shdr *shdr);

#endif
