// SPDX-License-Identifier: GPL-2.0
/*
 * Reads .eh_frame, which stripping keeps, and .debug_frame. libdw divides the section into entries; what is in an
 * entry is read here, since libdw computes the rules of one address at a time.
 * Augmentations: Linux Standard Base Core 5.0, "DWARF Exception Header Encoding".
 */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/search.h"
#include "object/encoded.h"
#include "object/frame_header.h"
#include "object/frames.h"
#include "object/tables.h"

/* Steps over the address of a personality routine. */
static bool skip_personality(const unsigned char **p, const unsigned char *end)
{
	unsigned int encoding;
	uint64_t unused;

	if (*p >= end)
		return false;
	encoding = *(*p)++;
	if ((encoding & 7) != DW_EH_PE_uleb128)
		return encoded_address(p, end, encoding & 0x0f, 0, &unused);
	encoded_number(p, end);
	return true;
}

/* Reads what the letters of the augmentation say; the encoding stays -1 if one is unknown. */
static void take_augmentation(struct frames_common *c, const Dwarf_CIE *cie)
{
	const unsigned char *p = cie->augmentation_data, *end = p + cie->augmentation_data_size;
	int encoding = DW_EH_PE_absptr;

	for (const char *letter = cie->augmentation + 1; *letter; letter++) {
		switch (*letter) {
		case 'R':
			if (p >= end)
				return;
			encoding = *p++;
			break;
		case 'L':
			p++;
			break;
		case 'P':
			if (!skip_personality(&p, end))
				return;
			break;
		case 'S':
			c->signal = true;
			break;
		case 'B':
			break;
		default:
			return;
		}
	}
	c->encoding = encoding;
}

static void take_common(struct frames_common *c, Dwarf_Off offset, const Dwarf_CIE *cie)
{
	*c = (struct frames_common){
		.offset = offset, .encoding = -1, .sized = *cie->augmentation == 'z',
		.unit = cie->code_alignment_factor, .factor = cie->data_alignment_factor,
		.back = cie->return_address_register,
		.program = cie->initial_instructions, .end = cie->initial_instructions_end,
	};
	if (c->sized)
		take_augmentation(c, cie);
	else if (!*cie->augmentation)
		c->encoding = DW_EH_PE_absptr;
}

/* Pieces follow what they have in common, so the last one nearly always matches. */
static const struct frames_common *find_common(const struct frames *f, Dwarf_Off offset)
{
	size_t i = f->nr - 1;

	if (f->nr && f->commons[i].offset != offset)
		i = search_front(f->nr, k, f->commons[k].offset < offset);
	return i < f->nr && f->commons[i].offset == offset ? &f->commons[i] : NULL;
}

/* Reads the beginning and the size of a piece of code at *p, whose own address is vaddr. */
static bool take_code(const unsigned char **p, const unsigned char *end, unsigned int encoding, uint64_t vaddr,
		      struct object_range *code)
{
	uint64_t size;

	return encoded_address(p, end, encoding, vaddr, &code->start) &&
	       encoded_address(p, end, encoding & 7, 0, &size) && size &&
	       !__builtin_add_overflow(code->start, size, &code->end);
}

/* Reads a piece of code whose bytes begin at p. */
static bool take_contents(const unsigned char *p, const unsigned char *end, uint64_t moved,
			  const struct frames_common *c, struct frames_piece *piece)
{
	uint64_t size;

	if (c->encoding < 0 || !take_code(&p, end, c->encoding, moved + (uintptr_t)p, &piece->code))
		return false;
	if (c->sized) {
		size = encoded_number(&p, end);
		if (size > (size_t)(end - p))
			return false;
		p += size;
	}
	piece->common = c;
	piece->program = p;
	piece->end = end;
	piece->moved = moved;
	return true;
}

static bool take_piece(const struct frames *f, Dwarf_Off offset, const Dwarf_FDE *fde, struct frames_piece *piece)
{
	const struct frames_common *c = find_common(f, fde->CIE_pointer);

	piece->entry = offset;
	return c && take_contents(fde->start, fde->end, f->vaddr - (uintptr_t)f->data->d_buf, c, piece);
}

/* Only sections that are not loaded are compressed. */
static Elf_Data *unpacked(Elf *elf)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = object_section(elf, ".debug_frame", &shdr);

	if (!scn) {
		scn = object_section(elf, ".zdebug_frame", &shdr);
		if (!scn || elf_compress_gnu(scn, 0, 0) < 0)
			return NULL;
	} else if (shdr.sh_type == SHT_NOBITS || (shdr.sh_flags & SHF_COMPRESSED && elf_compress(scn, 0, 0) < 0)) {
		return NULL;
	}
	return elf_getdata(scn, NULL);
}

/* A program runs without section headers. */
static Elf_Data *loaded(Elf *elf, uint64_t *vaddr)
{
	struct frame_header header;
	GElf_Shdr shdr;
	Elf_Scn *scn = object_section(elf, ".eh_frame", &shdr);

	if (scn) {
		*vaddr = shdr.sh_addr;
		return shdr.sh_type == SHT_NOBITS ? NULL : elf_rawdata(scn, NULL);
	}
	if (!frame_header_find(elf, &header))
		return NULL;
	*vaddr = header.frames_vaddr;
	return frame_header_frames(elf, &header);
}

bool frames_open(struct frames *f, Elf *elf, const char *section)
{
	*f = (struct frames){ .ident = (const unsigned char *)elf_getident(elf, NULL), .eh = !strcmp(section, ".eh_frame") };
	f->data = f->eh ? loaded(elf, &f->vaddr) : unpacked(elf);
	return f->ident && f->data && f->data->d_buf;
}

/* An entry that cannot be read may have a size, behind which the next one is. */
static bool next_entry(struct frames *f, Dwarf_Off *at, Dwarf_CFI_Entry *entry)
{
	int result;

	do {
		*at = f->at;
		result = dwarf_next_cfi(f->ident, f->data, f->eh, *at, &f->at, entry);
	} while (result < 0 && f->at > *at);
	return !result && f->at > *at;
}

bool frames_next(struct frames *f, struct frames_piece *piece)
{
	Dwarf_CFI_Entry entry;
	Dwarf_Off at;

	while (next_entry(f, &at, &entry)) {
		if (!dwarf_cfi_cie_p(&entry)) {
			if (take_piece(f, at, &entry.fde, piece))
				return true;
		} else if (room_for(&f->commons, f->nr + 1, &f->max, sizeof(*f->commons))) {
			break;
		} else {
			take_common(&f->commons[f->nr++], at, &entry.cie);
		}
	}
	return false;
}

bool frames_again(const struct frames *f, Dwarf_Off offset, struct frames_piece *piece)
{
	Dwarf_CFI_Entry entry;
	Dwarf_Off next;

	return !dwarf_next_cfi(f->ident, f->data, f->eh, offset, &next, &entry) && !dwarf_cfi_cie_p(&entry) &&
	       take_piece(f, offset, &entry.fde, piece);
}

void frames_close(struct frames *f)
{
	free(f->commons);
	*f = (struct frames){ .data = NULL };
}

/* The length without its own 4 bytes, and what precedes the contents: 0, or the distance to the common entry. */
static bool take_head(const struct frames_entry *e, uint32_t *length, uint32_t *distance)
{
	if (e->size < sizeof(*length) + sizeof(*distance))
		return false;
	memcpy(length, e->bytes, sizeof(*length));
	memcpy(distance, e->bytes + sizeof(*length), sizeof(*distance));
	/* More stands for a length of 8 bytes. */
	return *length >= sizeof(*distance) && *length < 0xfffffff0;
}

size_t frames_entry_size(const struct frames_entry *e)
{
	uint32_t length, distance;

	return take_head(e, &length, &distance) ? sizeof(length) + length : 0;
}

bool frames_entry_common(const struct frames_entry *e, uint64_t *vaddr)
{
	uint32_t length, distance;

	if (!take_head(e, &length, &distance) || !distance)
		return false;
	*vaddr = e->vaddr + sizeof(length) - distance;
	return true;
}

bool frames_entry_take_common(const struct frames_entry *e, const char *ident, struct frames_common *common)
{
	Elf_Data data = { .d_buf = (void *)e->bytes, .d_type = ELF_T_BYTE, .d_size = e->size };
	Dwarf_CFI_Entry entry;
	Dwarf_Off next;

	if (!ident || dwarf_next_cfi((const unsigned char *)ident, &data, true, 0, &next, &entry) ||
	    !dwarf_cfi_cie_p(&entry))
		return false;
	take_common(common, 0, &entry.cie);
	return true;
}

bool frames_entry_piece(const struct frames_entry *e, const unsigned char *whole, const struct frames_common *common,
			struct frames_piece *piece)
{
	return take_contents(whole + 8, whole + frames_entry_size(e), e->vaddr - (uintptr_t)whole, common, piece);
}
