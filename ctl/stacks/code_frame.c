// SPDX-License-Identifier: GPL-2.0
/*
 * Frame sizes: from call frame information by the stack pointer, else from the effect of the
 * instructions on it. Each function is walked once: a capture may ask for each instruction of a long
 * one.
 */
#include <stdlib.h>

#include "base/grow.h"
#include "object/cfi.h"
#include "stacks/code_frame.h"
#include "stacks/code_way.h"

struct code_frames_function {
	const struct object *object;
	uint64_t start;
	bool begins;			/* it was not called: see code_frame.h */
	struct code_way way;
};

static uint64_t function_key(const struct object *o, uint64_t start, bool begins)
{
	return hash_add(hash_add((uintptr_t)o, start), begins);
}

/* Returns the way through a function; NULL when memory is short. */
static const struct code_way *way_of(struct code_frames *frames, const struct object *o,
				     uint64_t start, bool begins)
{
	uint64_t key = function_key(o, start, begins);
	struct code_frames_function new = { .object = o, .start = start, .begins = begins }, *f;

	if (hash_reserve(&frames->index))
		return NULL;
	hash_for_each(i, &frames->index, key) {
		f = &frames->list[i];
		if (f->object == o && f->start == start && f->begins == begins)
			return &f->way;
	}
	if (!frames->walker)
		frames->walker = code_walker_new();
	if (!frames->walker ||
	    room_for(&frames->list, frames->index.used + 1, &frames->max, sizeof(new)) ||
	    code_walker_go(frames->walker, o, start, begins, &new.way)) {
		free(new.way.spots);
		return NULL;
	}
	frames->list[frames->index.used] = new;
	return &frames->list[hash_put(&frames->index, key)].way;
}

/* Finds the first instruction of the function at vaddr. Not known is that of a part which the compiler
 * has split off: it begins with a frame of unknown size. */
static bool start_of(const struct object *o, uint64_t vaddr, bool has_cfi, uint64_t *start)
{
	struct object_range range;

	if (!object_function(o, vaddr, &range))
		return false;
	*start = range.start;
	return has_cfi ? !object_is_fragment(o, range.start) : !code_way_is_part(o, vaddr);
}

bool code_frames_bytes(struct code_frames *frames, const struct object *o, uint64_t vaddr,
		       uint64_t entered, int64_t *bytes)
{
	const bool begins = object_is_outermost(o, vaddr);
	const struct code_way *way;
	struct object_cfi cfi;
	bool has_cfi = !begins && object_cfi(o, vaddr, &cfi);
	uint64_t start;

	if (has_cfi && cfi.signal)
		return false;
	if (has_cfi && cfi.cfa.kind == OBJECT_CFI_REGISTER &&
	    cfi.cfa.reg == OBJECT_CFI_STACK_POINTER) {
		*bytes = cfi.cfa.value;
		return true;
	}
	if (!start_of(o, vaddr, has_cfi, &start)) {
		if (begins || has_cfi || !entered)
			return false;
		start = entered;
	}
	way = way_of(frames, o, start, begins);
	return way && code_way_bytes(way, (int64_t)(vaddr - start), bytes);
}

bool code_frames_leads(struct code_frames *frames, const struct object *o, uint64_t entered,
		       uint64_t vaddr)
{
	const struct code_way *way = way_of(frames, o, entered, false);
	int64_t bytes;

	return way && code_way_bytes(way, (int64_t)(vaddr - entered), &bytes);
}

void code_frames_free(struct code_frames *frames)
{
	for (size_t i = 0; i < frames->index.used; i++)
		free(frames->list[i].way.spots);
	free(frames->list);
	code_walker_free(frames->walker);
	hash_free(&frames->index);
}
