// SPDX-License-Identifier: GPL-2.0
/* Finds .eh_frame_hdr, and .eh_frame by it. */
#include <gelf.h>

#include "object/encoded.h"
#include "object/frame_header.h"
#include "object/frames.h"

/* Finds the first segment of a type that has the byte at `offset` of the file; UINT64_MAX: any. */
static bool find_segment(Elf *elf, unsigned int type, uint64_t offset, GElf_Phdr *segment)
{
	size_t nr;

	if (elf_getphdrnum(elf, &nr))
		return false;
	for (size_t i = 0; i < nr; i++)
		if (gelf_getphdr(elf, i, segment) && segment->p_type == type &&
		    (offset == UINT64_MAX || offset - segment->p_offset < segment->p_filesz))
			return true;
	return false;
}

bool frame_header_find(Elf *elf, struct frame_header *h)
{
	const unsigned char *head, *p;
	GElf_Phdr segment;

	if (!find_segment(elf, PT_GNU_EH_FRAME, UINT64_MAX, &segment))
		return false;
	h->vaddr = segment.p_vaddr;
	h->data = elf_getdata_rawchunk(elf, segment.p_offset, segment.p_filesz, ELF_T_BYTE);
	if (!h->data || !h->data->d_buf || h->data->d_size < 4)
		return false;
	head = h->data->d_buf;
	p = head + 4;
	if (!encoded_address(&p, head + h->data->d_size, head[1], h->vaddr + 4, &h->frames_vaddr))
		return false;
	/* Linkers put both into one segment. */
	h->frames_offset = segment.p_offset + (h->frames_vaddr - h->vaddr);
	return true;
}

Elf_Data *frame_header_frames(Elf *elf, const struct frame_header *h)
{
	GElf_Phdr segment;

	if (!find_segment(elf, PT_LOAD, h->frames_offset, &segment))
		return NULL;
	return elf_getdata_rawchunk(elf, h->frames_offset, segment.p_filesz - (h->frames_offset - segment.p_offset),
				    ELF_T_BYTE);
}
