// SPDX-License-Identifier: GPL-2.0
/* Function bounds from .eh_frame, which stripping keeps. libdw looks up one address at a time and returns the bounds of
 * a row, not of the function. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/search.h"
#include "object/frames.h"
#include "object/tables.h"

static int fde_compare(const void *x, const void *y)
{
	const struct object_range *a = x, *b = y;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->end < b->end ? -1 : a->end > b->end;
}

void object_fdes_load(struct object_fdes *f, Elf *elf)
{
	struct frames_piece piece;
	struct frames frames;
	size_t max = 0;

	if (frames_open(&frames, elf, ".eh_frame"))
		while (frames_next(&frames, &piece) && !room_for(&f->list, f->nr + 1, &max, sizeof(*f->list)))
			f->list[f->nr++] = piece.code;
	frames_close(&frames);
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
