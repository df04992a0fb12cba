// SPDX-License-Identifier: GPL-2.0
/*
 * Relates files that processes have at addresses of their own: one process's functions are those of another if the
 * functions that both name lie equally far apart. Then there is one file, and each process has its shift.
 */
#include "import/relate.h"

#define RELATE_ROOM	(1ULL << 32)	/* positions below those of the first process */
#define RELATE_NAMELESS	(1ULL << 45)	/* positions that have no names */

/* Notes where the file has a function of this name; not if it has several. */
static int note_first(struct places_file *file, const char *text, uint64_t start)
{
	struct name *first = names_find(&file->firsts, text, 0);

	if (first) {
		if (first->end != start + 1)
			first->end = 0;
		return 0;
	}
	first = names_add(&file->firsts, text, 0, start + 1);
	return first ? 0 : -1;
}

static int note_firsts(struct places_file *file)
{
	for (size_t i = file->firsts.index.used ? file->names.index.used : 0; i < file->names.index.used; i++)
		if (note_first(file, file->names.list[i].text, file->names.list[i].start))
			return -1;
	return 0;
}

/* Gives the file the functions of a process's. */
static int merge(struct places_file *file, struct places_file *own, uint64_t shift)
{
	const struct name *name = own->names.list;

	own->shift = shift;
	own->related = true;
	own->id.size = 0;
	places_use(file, own->code.begin - shift, own->code.end - shift);
	for (size_t i = 0; i < own->names.index.used; i++, name++)
		if (!names_add(&file->names, name->text, name->start - shift, name->end - shift) ||
		    note_first(file, name->text, name->start - shift))
			return -1;
	return 0;
}

/* How far the name is from that of the file. Returns false if it tells nothing: files are mapped by pages. */
static bool shift_by(const struct places_file *file, const struct name *name, uint64_t *shift)
{
	const struct name *first = names_find(&file->firsts, name->text, 0);

	*shift = first ? name->start - (first->end - 1) : 0;
	return first && first->end && *shift % PLACES_PAGE == 0;
}

/* The shift on which most of the functions agree that both have. */
static bool find_shift(const struct places_file *file, const struct places_file *own, uint64_t *shift)
{
	size_t agree = 0, others = 0;
	uint64_t one;

	*shift = 0;
	for (size_t i = 0; i < own->names.index.used; i++) {
		if (!shift_by(file, &own->names.list[i], &one))
			continue;
		if (!agree && !others)
			*shift = one;
		agree += one == *shift;
		others += one != *shift;
	}
	return agree > others;
}

int relate(struct places_file *file, struct places_file *own)
{
	const uint64_t begin = own->code.begin & ~(uint64_t)(PLACES_PAGE - 1);
	uint64_t shift;

	if (own->code.begin > own->code.end)
		return 0;
	if (own->made)
		return merge(file, own, 0);
	if (!own->names.index.used) {
		own->shift = begin - RELATE_NAMELESS;
		own->related = true;
		own->id.size = 0;
		return 0;
	}
	/* The first process decides. A program without PIE is in all processes at the same place. */
	if (file->code.begin > file->code.end)
		return merge(file, own, begin < 2 * RELATE_ROOM ? 0 : begin - RELATE_ROOM);
	if (note_firsts(file))
		return -1;
	return find_shift(file, own, &shift) ? merge(file, own, shift) : 0;
}
