// SPDX-License-Identifier: GPL-2.0
/*
 * Reads .eh_frame, which stripping keeps, and .debug_frame. libdw divides the section into entries; what is in an
 * entry is read here, since libdw computes the rules of one address at a time.
 * Encodings of addresses, and augmentations: Linux Standard Base Core 5.0, "DWARF Exception Header Encoding".
 */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "object/frames.h"
#include "object/tables.h"

uint64_t frames_number(const unsigned char **p, const unsigned char *end)
{
	uint64_t value = 0;

	for (unsigned int shift = 0; *p < end; shift += 7) {
		unsigned char byte = *(*p)++;

		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			break;
	}
	return value;
}

int64_t frames_signed(const unsigned char **p, const unsigned char *end)
{
	uint64_t value = 0;

	for (unsigned int shift = 0; *p < end;) {
		unsigned char byte = *(*p)++;

		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
		if (byte & 0x80)
			continue;
		if (byte & 0x40 && shift < 64)
			value |= -1ULL << shift;
		break;
	}
	return value;
}

bool frames_address(const unsigned char **p, const unsigned char *end, unsigned int encoding, uint64_t vaddr,
		    uint64_t *value)
{
	size_t size = (encoding & 7) == DW_EH_PE_udata2 ? 2 : (encoding & 7) == DW_EH_PE_udata4 ? 4 : 8;
	uint64_t v = 0;

	if ((encoding & 7) == DW_EH_PE_uleb128 || encoding & DW_EH_PE_indirect || (size_t)(end - *p) < size)
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

/* Steps over the address of a personality routine. */
static bool skip_personality(const unsigned char **p, const unsigned char *end)
{
	unsigned int encoding;
	uint64_t unused;

	if (*p >= end)
		return false;
	encoding = *(*p)++;
	if ((encoding & 7) != DW_EH_PE_uleb128)
		return frames_address(p, end, encoding & 0x0f, 0, &unused);
	frames_number(p, end);
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
	for (size_t i = f->nr; i-- > 0;)
		if (f->commons[i].offset == offset)
			return &f->commons[i];
	return NULL;
}

/* Reads the beginning and the size of a piece of code at *p, whose own address is vaddr. */
static bool take_code(const unsigned char **p, const unsigned char *end, unsigned int encoding, uint64_t vaddr,
		      struct object_range *code)
{
	uint64_t size;

	return frames_address(p, end, encoding, vaddr, &code->start) &&
	       frames_address(p, end, encoding & 7, 0, &size) && size &&
	       !__builtin_add_overflow(code->start, size, &code->end);
}

static bool take_piece(const struct frames *f, const Dwarf_FDE *fde, struct frames_piece *piece)
{
	const struct frames_common *c = find_common(f, fde->CIE_pointer);
	const unsigned char *p = fde->start, *base = f->data->d_buf;
	uint64_t size;

	if (!c || c->encoding < 0 || !take_code(&p, fde->end, c->encoding, f->vaddr + (p - base), &piece->code))
		return false;
	if (c->sized) {
		size = frames_number(&p, fde->end);
		if (size > (size_t)(fde->end - p))
			return false;
		p += size;
	}
	piece->common = c;
	piece->program = p;
	piece->end = fde->end;
	piece->moved = f->vaddr - (uintptr_t)base;
	return true;
}

bool frames_open(struct frames *f, Elf *elf, const char *section)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = object_section(elf, section, &shdr);

	*f = (struct frames){ .ident = (const unsigned char *)elf_getident(elf, NULL), .eh = !strcmp(section, ".eh_frame") };
	if (!scn || shdr.sh_type == SHT_NOBITS || !f->ident)
		return false;
	/* Only sections that are not loaded are compressed. */
	f->data = f->eh ? elf_rawdata(scn, NULL) : elf_getdata(scn, NULL);
	f->vaddr = shdr.sh_addr;
	return f->data && f->data->d_buf;
}

bool frames_next(struct frames *f, struct frames_piece *piece)
{
	Dwarf_CFI_Entry entry;
	Dwarf_Off at, next;

	for (; at = f->at, !dwarf_next_cfi(f->ident, f->data, f->eh, at, &next, &entry) && next > at;) {
		f->at = next;
		if (!dwarf_cfi_cie_p(&entry)) {
			if (take_piece(f, &entry.fde, piece))
				return true;
		} else if (room_for(&f->commons, f->nr + 1, &f->max, sizeof(*f->commons))) {
			break;
		} else {
			take_common(&f->commons[f->nr++], at, &entry.cie);
		}
	}
	return false;
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
	return *length < 0xfffffff0;
}

bool frames_entry_common(const struct frames_entry *e, uint64_t *vaddr)
{
	uint32_t length, distance;

	if (!take_head(e, &length, &distance) || !distance)
		return false;
	*vaddr = e->vaddr + sizeof(length) - distance;
	return true;
}

int frames_entry_encoding(const struct frames_entry *e, const char *ident)
{
	Elf_Data data = { .d_buf = (void *)e->bytes, .d_type = ELF_T_BYTE, .d_size = e->size };
	struct frames_common common;
	Dwarf_CFI_Entry entry;
	Dwarf_Off next;

	if (!ident || dwarf_next_cfi((const unsigned char *)ident, &data, true, 0, &next, &entry) ||
	    !dwarf_cfi_cie_p(&entry))
		return -1;
	take_common(&common, 0, &entry.cie);
	return common.encoding;
}

bool frames_entry_code(const struct frames_entry *e, unsigned int encoding, struct object_range *code)
{
	const unsigned char *p = e->bytes + 8;
	uint32_t length, distance;

	return take_head(e, &length, &distance) &&
	       take_code(&p, e->bytes + e->size, encoding, e->vaddr + (p - e->bytes), code);
}
