// SPDX-License-Identifier: GPL-2.0
/*
 * Function bounds from .eh_frame, which stripping keeps. libdw looks up one address at a time and returns the bounds of
 * a row, not of the function.
 *
 * The linker's table in .eh_frame_hdr has the beginning of each function, sorted, and where its entry (FDE) is; the ends
 * are read of the entries that are asked for. Without such a table, or once it contradicts an entry, all entries
 * are read. Format: Linux Standard Base Core 5.0, "The .eh_frame_hdr section".
 */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/grow.h"
#include "base/search.h"
#include "object/frames.h"
#include "object/tables.h"

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
	return f->table ? f->table_vaddr + (int64_t)row_at(f, i).start : f->list[i].start;
}

static int fde_compare(const void *x, const void *y)
{
	const struct object_range *a = x, *b = y;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->end < b->end ? -1 : a->end > b->end;
}

static void load_list(struct object_fdes *f)
{
	struct frames_piece piece;
	struct frames frames;
	size_t max = 0;

	f->table = NULL;
	f->nr = 0;
	if (frames_open(&frames, f->elf, ".eh_frame"))
		while (frames_next(&frames, &piece) && !room_for(&f->list, f->nr + 1, &max, sizeof(*f->list)))
			f->list[f->nr++] = piece.code;
	frames_close(&frames);
	if (f->nr)
		qsort(f->list, f->nr, sizeof(*f->list), fde_compare);
}

/* Whether the section begins with the usual head: version 1, the address of .eh_frame, the number of rows in 4
 * bytes; rows of two numbers of 4 bytes, relative to the section. */
static bool has_table(const Elf_Data *data)
{
	static const unsigned char head[] = {
		1, DW_EH_PE_pcrel | DW_EH_PE_sdata4, DW_EH_PE_udata4, DW_EH_PE_datarel | DW_EH_PE_sdata4 };

	return data && data->d_buf && data->d_size >= 12 && !memcmp(data->d_buf, head, sizeof(head));
}

static bool is_sorted(const struct object_fdes *f)
{
	for (size_t i = 1; i < f->nr; i++)
		if (row_at(f, i - 1).start >= row_at(f, i).start)
			return false;
	return true;
}

/* Whether the linker's table can be used. */
static bool load_table(struct object_fdes *f)
{
	GElf_Shdr shdr, frames;
	Elf_Scn *scn = object_section(f->elf, ".eh_frame_hdr", &shdr);
	Elf_Data *data = scn && shdr.sh_type != SHT_NOBITS ? elf_rawdata(scn, NULL) : NULL;
	uint32_t nr;

	if (f->fd < 0 || !has_table(data) || !object_section(f->elf, ".eh_frame", &frames) ||
	    frames.sh_type == SHT_NOBITS)
		return false;
	memcpy(&nr, (const unsigned char *)data->d_buf + 8, sizeof(nr));
	if (!nr || nr > (data->d_size - 12) / sizeof(struct row))
		return false;
	f->table = (const unsigned char *)data->d_buf + 12;
	f->table_vaddr = shdr.sh_addr;
	f->frames_vaddr = frames.sh_addr;
	f->frames_offset = frames.sh_offset;
	f->nr = nr;
	f->sizes = is_sorted(f) ? calloc(nr, sizeof(*f->sizes)) : NULL;
	return f->sizes;
}

void object_fdes_load(struct object_fdes *f, Elf *elf, int fd)
{
	*f = (struct object_fdes){ .elf = elf, .fd = fd, .common = UINT64_MAX };
	if (!load_table(f))
		load_list(f);
}

/* Reads the entry at an address. */
static bool read_entry(const struct object_fdes *f, uint64_t vaddr, struct frames_entry *entry)
{
	uint64_t at = f->frames_offset + (vaddr - f->frames_vaddr);
	ssize_t got = (int64_t)at < 0 ? -1 : pread(f->fd, entry->bytes, sizeof(entry->bytes), at);

	entry->vaddr = vaddr;
	entry->size = got > 0 ? got : 0;
	return got > 0;
}

/* Reads the size of function number i; 0: the table is wrong. */
static uint32_t read_size(struct object_fdes *f, size_t i)
{
	struct frames_entry entry;
	struct object_range code;
	uint64_t common;

	if (!read_entry(f, f->table_vaddr + (int64_t)row_at(f, i).entry, &entry) ||
	    !frames_entry_common(&entry, &common))
		return 0;
	if (f->common != common) {
		struct frames_entry of;

		f->encoding = read_entry(f, common, &of) ? frames_entry_encoding(&of, elf_getident(f->elf, NULL)) : -1;
		f->common = common;
	}
	if (f->encoding < 0 || !frames_entry_code(&entry, f->encoding, &code) || code.start != start_at(f, i) ||
	    code.end - code.start > UINT32_MAX)
		return 0;
	return code.end - code.start;
}

static size_t nr_until(const struct object_fdes *f, uint64_t vaddr)
{
	return search_front(f->nr, i, start_at(f, i) <= vaddr);
}

bool object_fdes_before(struct object_fdes *f, uint64_t vaddr, struct object_range *range)
{
	size_t nr = nr_until(f, vaddr);

	if (f->table && nr && !f->sizes[nr - 1]) {
		f->sizes[nr - 1] = read_size(f, nr - 1);
		if (!f->sizes[nr - 1]) {
			load_list(f);
			nr = nr_until(f, vaddr);
		}
	}
	if (!nr)
		return false;
	range->start = start_at(f, nr - 1);
	range->end = f->table ? range->start + f->sizes[nr - 1] : f->list[nr - 1].end;
	return true;
}

bool object_fdes_find(struct object_fdes *f, uint64_t vaddr, struct object_range *range)
{
	return object_fdes_before(f, vaddr, range) && vaddr < range->end;
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
	memset(f, 0, sizeof(*f));
}
