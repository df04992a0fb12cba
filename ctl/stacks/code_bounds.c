// SPDX-License-Identifier: GPL-2.0
/* Decodes functions and notes where their instructions end. */
#include <stdlib.h>

#include "base/grow.h"
#include "object/insn.h"
#include "stacks/code_bounds.h"

/* Maximum bytes of a function that is decoded. */
#define LONGEST_FUNCTION	(1U << 20)
/* Bytes that are read at a time. */
#define PIECE			4096

static bool ends_at(const struct code_bounds_function *f, uint64_t addr)
{
	const uint64_t at = addr - 1 - f->range.start;

	return f->ends[at / 8] >> at % 8 & 1;
}

static void note_end(struct code_bounds_function *f, uint64_t addr)
{
	const uint64_t at = addr - 1 - f->range.start;

	f->ends[at / 8] |= 1 << at % 8;
}

/* Decodes the instructions that begin in the next piece of the function, up to `addr`; false: there is no code. */
static bool decode_piece(struct code_bounds_function *f, const struct object *o, uint64_t addr)
{
	unsigned char bytes[PIECE + INSN_LONGEST];
	const uint64_t from = f->decoded, left = f->range.end - from, wanted = addr - from + INSN_LONGEST;
	size_t size = sizeof(bytes);
	struct insn insn;

	size = wanted < size ? wanted : size;
	size = object_read(o, from, bytes, left < size ? left : size);
	while (f->decoded < addr && f->decoded - from < PIECE && f->decoded - from < size) {
		const size_t at = f->decoded - from;

		if (insn_decode(&insn, bytes + at, size - at, f->decoded)) {
			f->decoded = insn_end(&insn);
			note_end(f, f->decoded);
		} else {
			f->unclear = true;
			f->decoded++;
		}
	}
	return f->decoded > from;
}

static struct code_bounds_function *function_of(struct code_bounds *b, uint32_t file, struct object_range range)
{
	const uint64_t hash = hash_add(hash_u64(file), range.start);
	struct code_bounds_function *f;

	if (range.end <= range.start || range.end - range.start > LONGEST_FUNCTION ||
	    hash_reserve(&b->index))
		return NULL;
	hash_for_each(i, &b->index, hash) {
		f = &b->functions[i];
		if (f->file == file && f->range.start == range.start && f->range.end == range.end)
			return f;
	}
	if (room_for(&b->functions, b->index.used + 1, &b->max, sizeof(*f)))
		return NULL;
	f = &b->functions[b->index.used];
	*f = (struct code_bounds_function){ .file = file, .range = range, .decoded = range.start };
	f->ends = calloc((range.end - range.start) / 8 + 1, 1);
	if (!f->ends)
		return NULL;
	hash_put(&b->index, hash);
	return f;
}

enum stacks_answer code_bounds_before(struct code_bounds *b, uint32_t file, const struct object *o,
				      struct object_range range, uint64_t addr, uint64_t *last)
{
	struct code_bounds_function *f = function_of(b, file, range);

	if (!f)
		return STACKS_UNKNOWN;
	while (f->decoded < addr && decode_piece(f, o, addr))
		;
	if (f->decoded < addr)
		return STACKS_UNKNOWN;
	if (!ends_at(f, addr)) {
		/* Bytes that are no instruction may be anywhere: the answer is the same, whatever was asked before. */
		while (f->decoded < range.end && decode_piece(f, o, range.end))
			;
		return f->unclear || f->decoded < range.end ? STACKS_UNKNOWN : STACKS_NO;
	}
	for (*last = addr - 1; *last > range.start && !ends_at(f, *last);)
		--*last;
	return STACKS_YES;
}

void code_bounds_free(struct code_bounds *b)
{
	for (size_t i = 0; i < b->index.used; i++)
		free(b->functions[i].ends);
	free(b->functions);
	hash_free(&b->index);
}
