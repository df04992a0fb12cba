/* SPDX-License-Identifier: GPL-2.0 */
/* Go's table of functions, .gopclntab: their names, bounds and frame sizes. Stripping keeps it,
 * because Go's runtime walks stacks by it. */
#ifndef LBRCTL_OBJECT_GOTABLE_H
#define LBRCTL_OBJECT_GOTABLE_H

#include <libelf.h>

#include "object/object.h"

struct gotable_format;

struct gotable {
	const unsigned char *data;	/* the section, owned by the Elf */
	size_t size;
	const struct gotable_format *format;	/* NULL: there is no table */
	uint64_t text;			/* the address that entries count from */
	uint64_t names, steps, functions;	/* offsets in data */
	size_t nr;			/* functions */
	bool flagged;			/* functions have flags (since Go 1.17) */
};

/* Leaves the table empty if the file has none, or if it contradicts itself. */
void gotable_load(struct gotable *table, Elf *elf);

/* Returns the nth function; false if it has no name. The Elf owns the name. */
bool gotable_function(const struct gotable *table, size_t nth, struct object_symbol *function);

/* Finds the bytes of the frame, without the return address, at the instruction at vaddr; false
 * if the table does not have them, or if the function leaves the stack that it was called on. */
bool gotable_frame(const struct gotable *table, uint64_t vaddr, uint64_t *bytes);

/* What the table says of the code from an address on. */
enum gotable_rule {
	GOTABLE_FRAME,		/* a frame; its bytes exclude the return address */
	GOTABLE_TOP,		/* nobody calls this code */
	GOTABLE_SIGNAL,		/* a signal handler returns here */
	GOTABLE_UNKNOWN,	/* the function changes its stack, or the table has no frame sizes */
};

/* Takes the rule that holds from vaddr on, up to the next call. Returns false to end. */
typedef bool gotable_row(void *ctx, uint64_t vaddr, enum gotable_rule rule, uint64_t bytes);

/* Calls row() for all code of the table, by rising addresses. Returns false if row() did. code: from its beginning to its
 * end. */
bool gotable_rows(const struct gotable *table, struct object_range *code, gotable_row *row, void *ctx);

#endif
