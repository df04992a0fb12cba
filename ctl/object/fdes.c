// SPDX-License-Identifier: GPL-2.0
/*
 * Finds the piece of code (FDE) of an address in .eh_frame, which stripping keeps, or in .debug_frame.
 *
 * The linker's table in .eh_frame_hdr has the beginning of each function, sorted, and where its entry is; the entries
 * are read that are asked for. Without such a table, or once it contradicts an entry, all entries are read.
 */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/grow.h"
#include "base/search.h"
#include "object/frame_header.h"
#include "object/tables.h"

/* Other addresses of the same functions are asked about later. */
#define RECENT		64

/* A row of the table. */
struct row {
	int32_t start, entry;		/* addresses relative to the section's */
};

static struct row row_at(const struct object_fdes *f, size_t i)
{
	struct row row;

	memcpy(&row, f->table + i * sizeof(row), sizeof(row));
	return row;
}

static uint64_t start_at(const struct object_fdes *f, size_t i)
{
	return f->table ? f->table_vaddr + (int64_t)row_at(f, i).start : f->list[i].code.start;
}

static uint64_t entry_at(const struct object_fdes *f, size_t i)
{
	return f->table_vaddr + (int64_t)row_at(f, i).entry;
}

static int fde_compare(const void *x, const void *y)
{
	const struct object_range *a = &((const struct object_fde *)x)->code, *b = &((const struct object_fde *)y)->code;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->end < b->end ? -1 : a->end > b->end;
}

static void load_list(struct object_fdes *f, const char *section)
{
	struct frames_piece piece;
	size_t max = 0;

	f->table = NULL;
	f->nr = 0;
	if (frames_open(&f->frames, f->elf, section))
		while (frames_next(&f->frames, &piece) && !room_for(&f->list, f->nr + 1, &max, sizeof(*f->list)))
			f->list[f->nr++] = (struct object_fde){ piece.code, piece.entry };
	if (f->nr)
		qsort(f->list, f->nr, sizeof(*f->list), fde_compare);
}

/* Whether the section begins with the usual head: version 1, the address of .eh_frame, the number of rows in 4
 * bytes; rows of two numbers of 4 bytes, relative to the section. */
static bool has_table(const Elf_Data *data)
{
	static const unsigned char head[] = {
		1, DW_EH_PE_pcrel | DW_EH_PE_sdata4, DW_EH_PE_udata4, DW_EH_PE_datarel | DW_EH_PE_sdata4 };

	return data->d_size >= 12 && !memcmp(data->d_buf, head, sizeof(head));
}

static bool is_sorted(const struct object_fdes *f)
{
	for (size_t i = 1; i < f->nr; i++)
		if (row_at(f, i - 1).start >= row_at(f, i).start)
			return false;
	return true;
}

/* Whether the linker's table can be used. A file of debug information has headers of what was in the other file. */
static bool load_table(struct object_fdes *f)
{
	struct frame_header header;
	struct stat status;
	GElf_Shdr shdr;
	uint32_t nr;

	if (f->fd < 0 || fstat(f->fd, &status) || !frame_header_find(f->elf, &header) || !has_table(header.data) ||
	    (object_section(f->elf, ".eh_frame", &shdr) && shdr.sh_type == SHT_NOBITS))
		return false;
	memcpy(&nr, (const unsigned char *)header.data->d_buf + 8, sizeof(nr));
	if (!nr || nr > (header.data->d_size - 12) / sizeof(struct row))
		return false;
	f->table = (const unsigned char *)header.data->d_buf + 12;
	f->table_vaddr = header.vaddr;
	f->frames_vaddr = header.frames_vaddr;
	f->frames_offset = header.frames_offset;
	f->file_size = status.st_size;
	f->nr = nr;
	if (is_sorted(f)) {
		f->sizes = calloc(nr, sizeof(*f->sizes));
		f->recent = calloc(RECENT, sizeof(*f->recent));
	}
	return f->sizes && f->recent;
}

void object_fdes_load(struct object_fdes *f, Elf *elf, int fd)
{
	*f = (struct object_fdes){ .elf = elf, .fd = fd };
	if (!load_table(f))
		load_list(f, ".eh_frame");
}

void object_fdes_load_debug(struct object_fdes *f, Elf *elf)
{
	*f = (struct object_fdes){ .elf = elf, .fd = -1 };
	load_list(f, ".debug_frame");
}

/* Reads up to nr bytes at an address of .eh_frame; returns how many. */
static size_t read_bytes(const struct object_fdes *f, uint64_t vaddr, unsigned char *bytes, size_t nr)
{
	const uint64_t at = f->frames_offset + (vaddr - f->frames_vaddr);
	ssize_t got = at < f->file_size ? pread(f->fd, bytes, nr, at) : -1;

	return got > 0 ? got : 0;
}

static void read_entry(const struct object_fdes *f, uint64_t vaddr, struct frames_entry *entry)
{
	if (entry->size && entry->vaddr == vaddr)
		return;
	entry->vaddr = vaddr;
	entry->size = read_bytes(f, vaddr, entry->bytes, sizeof(entry->bytes));
}

/* Returns all bytes of an entry, until the next question; NULL: the file has less. */
static const unsigned char *whole_entry(struct object_fdes *f, const struct frames_entry *entry)
{
	const size_t size = frames_entry_size(entry);

	if (size <= entry->size)
		return entry->bytes;
	if (f->max_whole && f->whole_vaddr == entry->vaddr)
		return f->whole;
	f->whole_vaddr = UINT64_MAX;
	if (size > f->file_size || room_for(&f->whole, size, &f->max_whole, 1) ||
	    read_bytes(f, entry->vaddr, f->whole, size) < size)
		return NULL;
	f->whole_vaddr = entry->vaddr;
	return f->whole;
}

/* Reads what pieces of code have in common, at an address. */
static bool read_common(struct object_fdes *f, uint64_t vaddr)
{
	struct frames_entry *c = &f->last_common;

	if (c->size && c->vaddr == vaddr)
		return true;
	read_entry(f, vaddr, c);
	if (!frames_entry_take_common(c, elf_getident(f->elf, NULL), &f->common))
		c->size = 0;
	return c->size;
}

/* Reads the piece at entry `vaddr` of .eh_frame. */
static bool read_piece(struct object_fdes *f, uint64_t vaddr, struct frames_piece *piece)
{
	struct frames_entry *entry = &f->recent[vaddr / 8 % RECENT];
	const unsigned char *whole;
	uint64_t common;

	read_entry(f, vaddr, entry);
	whole = whole_entry(f, entry);
	return whole && frames_entry_common(entry, &common) && read_common(f, common) &&
	       frames_entry_piece(entry, whole, &f->common, piece);
}

/* Reads the size of function number i; 0: the table is wrong. */
static uint32_t read_size(struct object_fdes *f, size_t i)
{
	struct frames_piece piece;

	if (!read_piece(f, entry_at(f, i), &piece) || piece.code.start != start_at(f, i) ||
	    piece.code.end - piece.code.start > UINT32_MAX)
		return 0;
	return piece.code.end - piece.code.start;
}

/* Returns the number of pieces that begin at vaddr or before. */
static size_t nr_until(const struct object_fdes *f, uint64_t vaddr)
{
	return search_front(f->nr, i, start_at(f, i) <= vaddr);
}

static uint64_t end_at(const struct object_fdes *f, size_t i)
{
	return f->table ? start_at(f, i) + f->sizes[i] : f->list[i].code.end;
}

/* The same, and the end of the last one is known. */
static size_t nr_ended(struct object_fdes *f, uint64_t vaddr)
{
	const size_t nr = nr_until(f, vaddr);

	if (!f->table || !nr || f->sizes[nr - 1])
		return nr;
	f->sizes[nr - 1] = read_size(f, nr - 1);
	if (f->sizes[nr - 1])
		return nr;
	load_list(f, ".eh_frame");
	return nr_until(f, vaddr);
}

bool object_fdes_before(struct object_fdes *f, uint64_t vaddr, struct object_range *range)
{
	const size_t nr = nr_ended(f, vaddr);

	if (nr)
		*range = (struct object_range){ start_at(f, nr - 1), end_at(f, nr - 1) };
	return nr;
}

bool object_fdes_find(struct object_fdes *f, uint64_t vaddr, struct object_range *range)
{
	return object_fdes_before(f, vaddr, range) && vaddr < range->end;
}

bool object_fdes_piece(struct object_fdes *f, uint64_t vaddr, struct frames_piece *piece)
{
	const size_t nr = nr_ended(f, vaddr);

	if (!nr || vaddr >= end_at(f, nr - 1))
		return false;
	return f->table ? read_piece(f, entry_at(f, nr - 1), piece) :
	       frames_again(&f->frames, f->list[nr - 1].entry, piece);
}

uint64_t object_fdes_next(const struct object_fdes *f, uint64_t vaddr)
{
	size_t nr = nr_until(f, vaddr);

	return nr < f->nr ? start_at(f, nr) : UINT64_MAX;
}

void object_fdes_free(struct object_fdes *f)
{
	free(f->list);
	free(f->sizes);
	free(f->recent);
	free(f->whole);
	frames_close(&f->frames);
	memset(f, 0, sizeof(*f));
}
