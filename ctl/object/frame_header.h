/* SPDX-License-Identifier: GPL-2.0 */
/* Where a program finds its own call frame information: by .eh_frame_hdr, in the segment PT_GNU_EH_FRAME. Format: Linux
 * Standard Base Core 5.0, "The .eh_frame_hdr section". */
#ifndef LBRCTL_OBJECT_FRAME_HEADER_H
#define LBRCTL_OBJECT_FRAME_HEADER_H

#include <libelf.h>
#include <stdbool.h>
#include <stdint.h>

struct frame_header {
	Elf_Data *data;				/* .eh_frame_hdr, owned by the Elf */
	uint64_t vaddr;
	uint64_t frames_vaddr, frames_offset;	/* of .eh_frame */
};

/* Returns false if the file has none, or one that states no address of .eh_frame. */
bool frame_header_find(Elf *elf, struct frame_header *header);

/* Returns the part of the file that may be .eh_frame, which ends with an entry of size 0; NULL: none. */
Elf_Data *frame_header_frames(Elf *elf, const struct frame_header *header);

#endif
