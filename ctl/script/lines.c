// SPDX-License-Identifier: GPL-2.0
/* The lines of one sample, as perf script prints them. */
#include <stdlib.h>

#include "base/hash.h"
#include "script/lines.h"

#define MOST_LINES	(1UL << 17)

struct line {
	struct script_frame frame;
	char *text;
	size_t size;
};

struct script_lines {
	struct symbols *symbols;
	unsigned int fields;
	void (*make)(FILE *out, struct symbols *symbols, unsigned int fields,
		     const struct script_frame *frame);
	struct line *list;
	struct hash index;
};

static uint64_t frame_hash(const struct script_frame *f)
{
	return hash_add(hash_add(f->place.file, f->place.addr),
			f->offset ^ f->within.addr << 32 ^ f->pointed);
}

static bool same_frame(const struct script_frame *a, const struct script_frame *b)
{
	return a->offset == b->offset && a->place.file == b->place.file &&
	       a->place.addr == b->place.addr &&
	       a->within.file == b->within.file &&
	       a->within.addr == b->within.addr && a->pointed == b->pointed;
}

static void forget(struct script_lines *l)
{
	for (size_t i = 0; i < l->index.used; i++)
		free(l->list[i].text);
	hash_free(&l->index);
}

/* Returns the lines of the frame, made at the first call. NULL when memory is short. */
static const struct line *line_of(struct script_lines *l,
				  const struct script_frame *frame)
{
	uint64_t hash = frame_hash(frame);
	struct line *line;
	FILE *out;

	if (l->index.used == MOST_LINES)
		forget(l);
	if (hash_reserve(&l->index))
		return NULL;
	hash_for_each(i, &l->index, hash)
		if (same_frame(&l->list[i].frame, frame))
			return &l->list[i];
	line = &l->list[l->index.used];
	*line = (struct line){ .frame = *frame };
	out = open_memstream(&line->text, &line->size);
	if (!out)
		return NULL;
	l->make(out, l->symbols, l->fields, frame);
	if (fclose(out)) {
		free(line->text);
		return NULL;
	}
	hash_put(&l->index, hash);
	return line;
}

const char *script_lines_of(struct script_lines *l, const struct script_frame *frame, size_t *size)
{
	const struct line *line = line_of(l, frame);

	*size = line ? line->size : 0;
	return line ? line->text : NULL;
}

/* Reserves address space for the maximum; only the used part takes memory. */
struct script_lines *script_lines_new(struct symbols *symbols, unsigned int fields,
				      void (*make)(FILE *out, struct symbols *symbols,
						   unsigned int fields,
						   const struct script_frame *frame))
{
	struct script_lines *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	l->symbols = symbols;
	l->fields = fields;
	l->make = make;
	l->list = malloc(MOST_LINES * sizeof(*l->list));
	if (l->list)
		return l;
	script_lines_free(l);
	return NULL;
}

void script_lines_free(struct script_lines *l)
{
	if (!l)
		return;
	forget(l);
	free(l->list);
	free(l);
}
