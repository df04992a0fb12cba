/* SPDX-License-Identifier: GPL-2.0 */
/* The rules of all code of a file, in rows: by stack pointer, rbp and return address alone. 99.97 % of the bytes of
 * code that compilers write have rules of these forms; the others are LBRSCOPE_UNWIND_OTHER. Code without call frame
 * information is thought to have a frame pointer (LBRSCOPE_UNWIND_POINTER), except for stubs of the procedure linkage
 * table, and for all of a Go program: its frames end where its own table ends. */
#ifndef LBRCTL_OBJECT_FRAME_ROWS_H
#define LBRCTL_OBJECT_FRAME_ROWS_H

#include <libelf.h>
#include <linux/lbrscope_unwind.h>

#include "object/gotable.h"

struct frame_row {
	uint64_t vaddr;		/* the first address; the row holds up to the next one */
	uint8_t kind, rbp, reg;	/* reg: below 16, by its DWARF number */
	int32_t offset, behind;
	int32_t rbp_at;
};

struct frame_rows {
	struct frame_row *list;	/* by address; the last one has the kind `outside` */
	size_t nr, max;
	uint8_t outside;	/* LBRSCOPE_UNWIND_POINTER or NONE: of code without call frame information */
};

/* Makes the rows of the call frame information, and of Go's table; none, if the file has neither. Gaps of less than 16 bytes between pieces of code,
 * in which nothing runs, belong to the row before. Returns 0; -1 with errno when memory is short. frame_rows_free() in
 * both cases. */
int frame_rows_make(struct frame_rows *rows, Elf *elf, const struct gotable *go);
void frame_rows_free(struct frame_rows *rows);

#endif
