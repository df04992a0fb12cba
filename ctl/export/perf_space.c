// SPDX-License-Identifier: GPL-2.0
/* Lays out the files of a capture for an exported perf.data. */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/grow.h"
#include "export/perf_space.h"

#define PAGE		0x1000ULL
/* Above what programs with fixed addresses use, below where Linux puts stacks and libraries. */
#define FIRST_BASE	0x100000000000ULL

static const struct maps *maps_of(const struct perf_space *s)
{
	return samples_maps(s->first->samples);
}

/* The code file of a location; NULL: the kernel, or memory without a file. */
static const struct maps_file *file_of(const struct perf_space *s, uint32_t file)
{
	const struct maps_file *f = file < MAPS_FIRST_FILE ? NULL : maps_file(maps_of(s), file);

	return f && (f->object || *f->path == '/') ? f : NULL;
}

/* Adds an address in a file to the pages that its mappings have to cover. */
static int cover(struct perf_space *s, uint32_t file, uint64_t address, uint64_t offset)
{
	uint64_t page = address & -PAGE, delta = address - offset;

	for (size_t i = 0; i < s->nr; i++) {
		struct perf_mapping *m = &s->list[i];

		if (m->file != file || m->delta != delta || m->kernel)
			continue;
		m->start = page < m->start ? page : m->start;
		m->end = page + PAGE > m->end ? page + PAGE : m->end;
		m->pgoff = m->start - delta;
		return 0;
	}
	if (room_for(&s->list, s->nr + 1, &s->max, sizeof(*s->list)))
		return err_fail("out of memory");
	s->list[s->nr++] = (struct perf_mapping){
		.file = file, .start = page, .end = page + PAGE, .delta = delta,
		.pgoff = page - delta, .path = maps_file(maps_of(s), file)->path };
	return 0;
}

static int cover_kernel(struct perf_space *s, uint64_t address)
{
	struct maps_kernel_mapping found;

	for (size_t i = 0; i < s->nr; i++)
		if (s->list[i].kernel && address >= s->list[i].start && address < s->list[i].end)
			return 0;
	if (!maps_kernel_mapping(maps_of(s), address, &found))
		return 0;
	if (room_for(&s->list, s->nr + 1, &s->max, sizeof(*s->list)))
		return err_fail("out of memory");
	s->list[s->nr++] = (struct perf_mapping){
		.file = MAPS_KERNEL, .kernel = true, .start = found.start, .end = found.end,
		.pgoff = found.pgoff, .path = found.name };
	return 0;
}

static int cover_frame(struct perf_space *s, const struct stacks_frame *frame)
{
	int64_t number = locations_number(&s->locations, frame);
	const struct location *l;

	if (number < 0)
		return err_fail("out of memory");
	l = &s->locations.list[number];
	if (l->place.file == MAPS_KERNEL)
		return cover_kernel(s, l->place.addr);
	return file_of(s, l->place.file) ?
	       cover(s, l->place.file, l->place.addr, l->offset) : 0;
}

/* Whether another file that keeps its addresses has these pages. */
static bool overlaps(const struct perf_space *s, const struct perf_mapping *m)
{
	for (size_t i = 0; i < s->nr; i++) {
		const struct perf_mapping *other = &s->list[i];

		if (!other->kernel && other->file < m->file && !s->bases[other->file] &&
		    m->start < other->end && other->start < m->end)
			return true;
	}
	return false;
}

/* A program that is linked for fixed addresses has them; its file does not begin at 0. */
static bool has_fixed_addresses(const struct maps_file *file)
{
	uint64_t address;

	return file->object && object_vaddr(file->object, 0, &address) && address;
}

static int compare_files(const void *a, const void *b)
{
	const struct perf_mapping *x = a, *y = b;

	return x->file != y->file ? (x->file < y->file ? -1 : 1) :
	       (x->start > y->start) - (x->start < y->start);
}

static void lay_out(struct perf_space *s)
{
	uint64_t next = FIRST_BASE;

	if (s->nr)
		qsort(s->list, s->nr, sizeof(*s->list), compare_files);
	for (size_t i = 0, end; i < s->nr; i = end) {
		uint32_t file = s->list[i].file;
		bool move = !has_fixed_addresses(maps_file(maps_of(s), file));

		for (end = i; end < s->nr && s->list[end].file == file; end++)
			move |= overlaps(s, &s->list[end]);
		if (s->list[i].kernel || !move)
			continue;
		s->bases[file] = next;
		next += (s->list[end - 1].end + PAGE) & ~(1ULL << 63);
	}
	for (size_t i = 0; i < s->nr; i++) {
		if (s->list[i].kernel)
			continue;
		s->list[i].start += s->bases[s->list[i].file];
		s->list[i].end += s->bases[s->list[i].file];
	}
}

int perf_space_init(struct perf_space *s, const struct analysis *first)
{
	s->first = first;
	if (locations_init(&s->locations, first))
		return err_fail("out of memory");
	s->bases = calloc(maps_nr_files(maps_of(s)), sizeof(*s->bases));
	if (!s->bases)
		return err_fail("out of memory");
	for (const struct analysis *a = first; a; a = a->next)
		for (size_t i = 0; i < a->traces.nr_frames; i++)
			if (cover_frame(s, &a->traces.frames[i]))
				return -1;
	lay_out(s);
	return 0;
}

void perf_space_free(struct perf_space *s)
{
	if (s->first)
		locations_free(&s->locations);
	free(s->list);
	free(s->bases);
}

uint64_t perf_space_address(struct perf_space *s, const struct stacks_frame *frame,
			    bool *kernel)
{
	/* It is there since perf_space_init(). */
	const struct location *l = &s->locations.list[locations_number(&s->locations, frame)];
	bool exact = frame->kind == STACKS_KERNEL || frame->kind == STACKS_LEAF ||
		     frame->kind == STACKS_LEAF_INFERRED;

	*kernel = l->place.file == MAPS_KERNEL;
	return s->bases[l->place.file] + l->place.addr + !exact;
}

int perf_space_build_ids(const struct perf_space *s, struct buildid_table *ids)
{
	for (size_t i = 0; i < s->nr; i++) {
		const struct perf_mapping *m = &s->list[i];
		const char *name = m->path;
		struct buildid id = { .size = 0 };
		const uint8_t *bytes;

		if (m->kernel && !strncmp(name, "[kernel.kallsyms]", 17)) {
			name = "[kernel.kallsyms]";
			bytes = maps_kernel(maps_of(s))->build_id;
			id.size = maps_kernel(maps_of(s))->build_id_size;
		} else if (!m->kernel) {
			id.size = locations_build_id(&s->locations, m->file, &bytes);
		}
		if (!id.size || id.size > BUILDID_MAX)
			continue;
		memcpy(id.bytes, bytes, id.size);
		if (buildid_table_add(ids, &id, m->kernel ? PERF_RECORD_MISC_KERNEL :
				      PERF_RECORD_MISC_USER, name))
			return -1;
	}
	return 0;
}
