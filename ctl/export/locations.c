// SPDX-License-Identifier: GPL-2.0
/* The locations of code in traces. */
#include <stdlib.h>

#include "base/grow.h"
#include "base/text.h"
#include "export/locations.h"

#define PAGE		0x1000ULL
#define FIRST_BASE	0x10000000ULL

static uint64_t key(const struct location *l)
{
	return hash_u64(maps_place_key(l->place) * 2 + l->function_only);
}

int locations_init(struct locations *l, const struct analysis *a)
{
	l->analysis = a;
	l->nr_files = maps_nr_files(samples_maps(a->samples));
	l->files = calloc(l->nr_files, sizeof(*l->files));
	return l->files ? 0 : -1;
}

void locations_free(struct locations *l)
{
	free(l->list);
	free(l->files);
	hash_free(&l->index);
}

/* The mapped file; NULL: kernel code, or nothing is known of it. */
static const struct maps_file *file_of(const struct locations *l, uint32_t file)
{
	return file < MAPS_FIRST_FILE ? NULL :
	       maps_file(samples_maps(l->analysis->samples), file);
}

static uint64_t offset_of(const struct locations *l, struct place p)
{
	const struct maps_file *file = file_of(l, p.file);
	uint64_t offset;

	return file && file->object && object_offset(file->object, p.addr, &offset) ?
	       offset : p.addr;
}

/* The instruction that a frame stands for, as profile/paths.c takes it. */
static struct location of_frame(const struct locations *l, const struct stacks_frame *frame)
{
	enum stacks_kind kind = frame->kind;
	struct location found = {
		.place = frame->place,
		.function_only = kind == STACKS_TAIL_CALL || kind == STACKS_LEAF_INFERRED ||
				 kind == STACKS_STITCHED_SOMEWHERE,
	};
	const struct symbols_function *f;

	/* A return address may be the first of the next function. */
	if ((kind == STACKS_RETURN || kind == STACKS_KERNEL_RETURN) && found.place.addr)
		found.place.addr--;
	if (!found.function_only)
		return found;
	f = symbols_function(l->analysis->symbols,
			     symbols_find(l->analysis->symbols, found.place));
	if (f->known && f->start)
		found.place.addr = f->start;
	return found;
}

int64_t locations_number(struct locations *l, const struct stacks_frame *frame)
{
	struct location new = of_frame(l, frame);
	struct location_file *file = &l->files[new.place.file];

	if (hash_reserve(&l->index))
		return -1;
	hash_for_each(i, &l->index, key(&new))
		if (maps_same_place(l->list[i].place, new.place) &&
		    l->list[i].function_only == new.function_only)
			return i;
	if (room_for(&l->list, l->index.used + 1, &l->max, sizeof(new)))
		return -1;
	new.offset = offset_of(l, new.place);
	if (!file->used || new.offset < file->first)
		file->first = new.offset;
	if (!file->used || new.offset > file->last)
		file->last = new.offset;
	file->used = true;
	l->list[l->index.used] = new;
	return hash_put(&l->index, key(&new));
}

/* Files follow each other with a page between them. */
void locations_lay_out(struct locations *l)
{
	uint64_t next = FIRST_BASE;

	for (size_t i = MAPS_FIRST_FILE; i < l->nr_files; i++) {
		const struct maps_file *file = file_of(l, i);

		if (!l->files[i].used || (!file->object && *file->path != '/'))
			continue;
		l->files[i].base = next;
		next += ((l->files[i].last & -PAGE) + 2 * PAGE) & ~(1ULL << 63);
	}
}

uint64_t locations_address(const struct locations *l, const struct location *location)
{
	return l->files[location->place.file].base + location->offset;
}

struct location_range locations_range(const struct locations *l, uint32_t number)
{
	const struct location_file *file = &l->files[number];
	uint64_t first = file->first & -PAGE;

	return (struct location_range){
		.start = file->base + first,
		.limit = file->base + (file->last & -PAGE) + PAGE,
		.offset = file->base ? first : 0,
	};
}

const struct symbols_frame *locations_frames(const struct locations *l,
					     const struct location *location, size_t *nr)
{
	const struct symbols_frame *list =
		symbols_frames(l->analysis->symbols, location->place, nr);

	if (location->function_only)
		*nr = 1;
	return list;
}

const char *locations_path(const struct locations *l, uint32_t file)
{
	const struct maps_file *of = file_of(l, file);

	return of ? of->path : file == MAPS_KERNEL ? "[kernel.kallsyms]" : "[unknown]";
}

size_t locations_build_id(const struct locations *l, uint32_t number, const uint8_t **id)
{
	const struct maps *maps = samples_maps(l->analysis->samples);
	const struct object *object;
	const void *own;
	size_t size;

	if (number < MAPS_FIRST_FILE) {
		*id = maps_kernel(maps)->build_id;
		return number == MAPS_KERNEL ? maps_kernel(maps)->build_id_size : 0;
	}
	size = maps_build_id(maps, number, id);
	object = maps_file(maps, number)->object;
	if (size || !object)
		return size;
	size = object_build_id(object, &own);
	*id = own;
	return size;
}

void locations_build_id_text(const struct locations *l, uint32_t number, char *text, size_t size)
{
	const uint8_t *id;
	size_t nr = locations_build_id(l, number, &id);

	text_hex(text, size, id, nr);
}
