// SPDX-License-Identifier: GPL-2.0
/* Reads code without unwinding information, and judges where a frame's return address is. */
#include <sys/uio.h>

#include "stacks/unwind_bytes.h"
#include "stacks/unwind_code.h"

/* Bytes that are read before and behind an instruction. */
#define BEFORE			1
#define BEHIND			32
#define PAGE			4096

/* Reads the bytes from `back` bytes before the spot on. Returns their number. */
static size_t code_read(struct maps *maps, const struct unwind_spot *spot, uint64_t back,
			unsigned char *bytes, size_t size)
{
	const struct maps_file *file = maps_file(maps, spot->place.file);
	struct iovec here = { bytes, size }, there = { (void *)(spot->address - back), size };
	ssize_t got;

	if (file->object)
		return object_read(file->object, spot->place.addr - back, bytes, size);
	if (file->jitdump)
		return jitdump_read(file->jitdump, spot->place.addr - back, bytes, size);
	if (!maps_is_live(maps))
		return 0;
	got = process_vm_readv(spot->pid, &here, 1, &there, 1, 0);
	return got > 0 ? got : 0;
}

enum unwind_code_call unwind_code_call(struct maps *maps, const struct unwind_spot *behind,
				       uint64_t *target)
{
	unsigned char bytes[UNWIND_BYTES_CALL];
	int32_t relative;

	*target = 0;
	if (code_read(maps, behind, sizeof(bytes), bytes, sizeof(bytes)) < sizeof(bytes))
		return UNWIND_CODE_UNKNOWN;
	switch (unwind_bytes_call(bytes + sizeof(bytes), sizeof(bytes), &relative)) {
	case UNWIND_BYTES_DIRECT:
		*target = behind->address + relative;
		return UNWIND_CODE_CALL;
	case UNWIND_BYTES_INDIRECT:
		return UNWIND_CODE_CALL;
	case UNWIND_BYTES_NO_CALL:
		break;
	}
	return UNWIND_CODE_NO_CALL;
}

/* Finds the function at the spot; false if no symbol says its bounds. */
static bool function_at(struct maps *maps, const struct unwind_spot *spot, bool called,
			struct object_range *range)
{
	const struct maps_file *file = maps_file(maps, spot->place.file);
	const uint64_t at = spot->place.addr - called;
	const struct jitdump_code *code = file->jitdump ? jitdump_find(file->jitdump, at) : NULL;

	if (code)
		*range = (struct object_range){ .start = code->start, .end = code->end };
	else if (!file->object || !object_function(file->object, at, range))
		return false;
	return at >= range->start && at < range->end;
}

/* Judges by the first bytes of the function. */
static enum unwind_code_frame by_beginning(struct maps *maps, const struct unwind_spot *spot,
					   bool called, struct object_range range)
{
	const uint64_t distance = spot->place.addr - range.start, size = range.end - range.start;
	unsigned char bytes[UNWIND_BYTES_BEGINNING];
	struct unwind_bytes_prologue prologue;
	size_t nr = code_read(maps, spot, distance, bytes,
			      size < sizeof(bytes) ? size : sizeof(bytes));

	if (!nr)
		return UNWIND_CODE_MAYBE;
	if (!unwind_bytes_prologue(bytes, nr, &prologue))
		return !called && unwind_bytes_bare(bytes, nr) >= distance ?
		       UNWIND_CODE_TOP : UNWIND_CODE_NONE;
	if (distance >= prologue.end)
		return UNWIND_CODE_BY_POINTER;
	if (called)
		return UNWIND_CODE_NONE;
	return distance <= prologue.push ? UNWIND_CODE_TOP : UNWIND_CODE_PUSHED;
}

/* Judges by the bytes around the spot, which is not behind a call. */
static enum unwind_code_frame by_instruction(struct maps *maps, const struct unwind_spot *spot,
					     bool bounds_known)
{
	/* The page before it may not be mapped. */
	size_t before = spot->address % PAGE ? BEFORE : 0;
	unsigned char bytes[BEFORE + BEHIND];
	size_t nr = code_read(maps, spot, before, bytes, sizeof(bytes));

	if (nr <= before)
		return UNWIND_CODE_MAYBE;
	switch (unwind_bytes_frame(bytes + before, before, nr - before)) {
	case UNWIND_BYTES_TOP:
		return UNWIND_CODE_TOP;
	case UNWIND_BYTES_PUSHED:
		return UNWIND_CODE_PUSHED;
	case UNWIND_BYTES_OTHER:
		break;
	}
	return !bounds_known && unwind_bytes_before_prologue(bytes + before, nr - before) ?
	       UNWIND_CODE_TOP : UNWIND_CODE_MAYBE;
}

enum unwind_code_frame unwind_code_frame(struct maps *maps, const struct unwind_spot *spot,
					 bool called)
{
	struct object_range range;
	enum unwind_code_frame frame;
	bool bounds_known;

	if (spot->frame)
		return *spot->frame;
	bounds_known = function_at(maps, spot, called, &range);
	frame = called ? UNWIND_CODE_MAYBE : by_instruction(maps, spot, bounds_known);
	return frame == UNWIND_CODE_MAYBE && bounds_known ?
	       by_beginning(maps, spot, called, range) : frame;
}

bool unwind_code_is_bare(struct maps *maps, const struct unwind_spot *spot, uint64_t start)
{
	struct unwind_bytes_prologue prologue;
	unsigned char bytes[UNWIND_BYTES_BEGINNING];
	uint64_t distance = spot->address - start;
	size_t nr;

	if (start >= spot->address)
		return start == spot->address;
	nr = code_read(maps, spot, distance, bytes,
		       distance < sizeof(bytes) ? distance : sizeof(bytes));
	return nr && !unwind_bytes_prologue(bytes, nr, &prologue);
}
