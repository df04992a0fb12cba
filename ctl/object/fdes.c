// SPDX-License-Identifier: GPL-2.0
/*
 * Function bounds from .eh_frame, which stripping keeps. libdw looks up one address at a time
 * and returns the bounds of a row, not of the function, so the ranges come from the FDEs here.
 * Pointer encodings: Linux Standard Base Core 5.0, "DWARF Exception Header Encoding".
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/search.h"
#include "object/tables.h"

/* An encoded pointer of at most end - *p bytes; vaddr is the address of *p. */
static bool read_pointer(const unsigned char **p, const unsigned char *end,
			 unsigned int encoding, uint64_t vaddr, uint64_t *value)
{
	size_t size = (encoding & 7) == DW_EH_PE_udata2 ? 2 :
		      (encoding & 7) == DW_EH_PE_udata4 ? 4 : 8;
	uint64_t v = 0;

	if ((encoding & 7) == DW_EH_PE_uleb128 || (encoding & DW_EH_PE_indirect) ||
	    (size_t)(end - *p) < size)
		return false;
	memcpy(&v, *p, size);
	*p += size;
	if (encoding & DW_EH_PE_signed && size < 8)
		v = (uint64_t)((int64_t)(v << (64 - 8 * size)) >> (64 - 8 * size));
	if ((encoding & 0x70) == DW_EH_PE_pcrel)
		v += vaddr;
	else if ((encoding & 0x70) != DW_EH_PE_absptr)
		return false;
	*value = v;
	return true;
}

static size_t skip_leb128(const unsigned char *p, const unsigned char *end)
{
	size_t n = 0;

	while (p + n < end && p[n] & 0x80)
		n++;
	return n + 1;
}

/* The encoding of addresses in the CIE's FDEs; -1 if it is unknown. */
static int cie_encoding(const Dwarf_CIE *cie)
{
	const unsigned char *p = cie->augmentation_data;
	const unsigned char *end = p + cie->augmentation_data_size;
	const char *a = cie->augmentation;

	if (*a != 'z')
		return *a ? -1 : DW_EH_PE_absptr;
	for (a++; *a; a++) {
		if (p >= end && *a != 'S' && *a != 'B')
			return -1;
		switch (*a) {
		case 'R':
			return *p;
		case 'L':
			p++;
			break;
		case 'P': {
			uint64_t unused;
			unsigned int encoding = *p++;

			if ((encoding & 7) == DW_EH_PE_uleb128)
				p += skip_leb128(p, end);
			else if (!read_pointer(&p, end, encoding & 0x0f, 0, &unused))
				return -1;
			break;
		}
		case 'S':
		case 'B':
			break;
		default:
			return -1;
		}
	}
	return DW_EH_PE_absptr;
}

struct cie_seen {
	Dwarf_Off offset;
	int encoding;
};

static int fde_compare(const void *x, const void *y)
{
	const struct object_range *a = x, *b = y;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->end < b->end ? -1 : a->end > b->end;
}

static void fdes_add(struct object_fdes *f, size_t *max, struct object_range r)
{
	if (!room_for(&f->list, f->nr + 1, max, sizeof(*f->list)))
		f->list[f->nr++] = r;
}

static int cie_find(const struct cie_seen *cies, size_t nr, Dwarf_Off offset)
{
	/* FDEs follow their CIE, so the last CIE nearly always matches. */
	while (nr-- > 0)
		if (cies[nr].offset == offset)
			return cies[nr].encoding;
	return -1;
}

static void fdes_scan(struct object_fdes *f, const unsigned char *ident,
		      Elf_Data *data, uint64_t section)
{
	struct cie_seen *cies = NULL;
	size_t nr_cies = 0, max_cies = 0, max = 0;
	Dwarf_Off at = 0, next;
	Dwarf_CFI_Entry entry;

	for (; !dwarf_next_cfi(ident, data, true, at, &next, &entry); at = next) {
		const unsigned char *p, *base = data->d_buf;
		struct object_range r;
		uint64_t size;
		int encoding;

		if (next <= at)
			break;
		if (dwarf_cfi_cie_p(&entry)) {
			if (room_for(&cies, nr_cies + 1, &max_cies, sizeof(*cies)))
				break;
			cies[nr_cies++] = (struct cie_seen){
				at, cie_encoding(&entry.cie) };
			continue;
		}
		encoding = cie_find(cies, nr_cies, entry.fde.CIE_pointer);
		p = entry.fde.start;
		if (encoding < 0 ||
		    !read_pointer(&p, entry.fde.end, encoding,
				  section + (p - base), &r.start) ||
		    !read_pointer(&p, entry.fde.end, encoding & 7, 0, &size) ||
		    !size || __builtin_add_overflow(r.start, size, &r.end))
			continue;
		fdes_add(f, &max, r);
	}
	free(cies);
}

void object_fdes_load(struct object_fdes *f, Elf *elf)
{
	const char *ident = elf_getident(elf, NULL);
	GElf_Shdr shdr;
	Elf_Scn *scn = object_section(elf, ".eh_frame", &shdr);
	Elf_Data *data = NULL;

	if (scn && shdr.sh_type != SHT_NOBITS)
		data = elf_rawdata(scn, NULL);
	if (!data || !data->d_buf || !ident)
		return;
	fdes_scan(f, (const unsigned char *)ident, data, shdr.sh_addr);
	if (f->nr)
		qsort(f->list, f->nr, sizeof(*f->list), fde_compare);
}

const struct object_range *object_fdes_before(const struct object_fdes *f,
					      uint64_t vaddr)
{
	size_t nr = search_front(f->nr, i, f->list[i].start <= vaddr);

	return nr ? &f->list[nr - 1] : NULL;
}

const struct object_range *object_fdes_find(const struct object_fdes *f,
					    uint64_t vaddr)
{
	const struct object_range *fde = object_fdes_before(f, vaddr);

	return fde && vaddr < fde->end ? fde : NULL;
}

void object_fdes_free(struct object_fdes *f)
{
	free(f->list);
	memset(f, 0, sizeof(*f));
}
