/* SPDX-License-Identifier: GPL-2.0 */
/* The places where control may leave a function other than by a call or a return. */
#ifndef LBRCTL_STACKS_CODE_EXITS_H
#define LBRCTL_STACKS_CODE_EXITS_H

#include "base/hash.h"
#include "stacks/maps.h"

struct code_exits {
	uint32_t file;
	struct object_range range;	/* bounds of the function */
	uint64_t *targets;		/* targets of direct jumps, sorted */
	size_t nr;
	bool indirect;			/* has a jump that may go to another function */
	bool thunk;			/* is an indirect jump in disguise (a retpoline) */
	bool switches;			/* switches to another stack, as longjmp() does */
};

/* The mapped files with the exits of the functions examined so far. The caller sets maps, which
 * must outlive it, and initializes all else with 0. */
struct code_files {
	const struct maps *maps;
	struct code_exits *exits;
	size_t max_exits;
	struct hash exits_index;
};

void code_files_free(struct code_files *files);

/* Returns the exits of the function with that range, scanned at the first call. Valid until
 * the next call. NULL when the function is too long or memory is short. */
const struct code_exits *code_exits_of(struct code_files *files, uint32_t file,
				       const struct object *object,
				       struct object_range range);

/* Returns the object of a place if it has x86-64 code, else NULL. */
static inline const struct object *code_object(const struct code_files *files, struct place p)
{
	const struct object *o = maps_file(files->maps, p.file)->object;

	return o && object_is_x86_64(o) ? o : NULL;
}

static inline bool code_in_range(struct object_range r, uint64_t addr)
{
	return addr >= r.start && addr < r.end;
}

#endif
