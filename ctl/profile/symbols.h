/* SPDX-License-Identifier: GPL-2.0 */
/* The function at a place, by name where it has one, and those inlined into it there.
 * Each place is looked up once. */
#ifndef LBRCTL_PROFILE_SYMBOLS_H
#define LBRCTL_PROFILE_SYMBOLS_H

#include "stacks/call_targets.h"
#include "stacks/maps.h"

struct symbols;

struct symbols_function {
	const char *name;	/* as shown: demangled; "libc.so.6+0x3f960" for a
				 * function without a name; "[unknown]" */
	const char *object;	/* the mapped path, "[kernel.kallsyms]", a module as
				 * "[name]", or "[unknown]" */
	uint64_t start;		/* address of the function, as places count */
	bool known;		/* start and name are real */
	bool kernel;
	bool inlined;		/* into another function: it has no start, 0 */
};

struct symbols_options {
	bool mangled;		/* names as the files spell them */
	bool no_inlines;	/* functions that have code of their own only */
	bool lines;		/* source lines, too: where there are neither they nor
				 * inlined functions, DWARF is not read */
	struct targets *targets;	/* of calls, whose functions nothing else tells
					 * of; complete before the first place is
					 * looked up; NULL: none are known */
};

/* One of the functions that are inlined into one another at a place. */
struct symbols_frame {
	uint32_t function;
	uint32_t line;		/* where it is, or where the next inner one was
				 * inlined, in the source; 0: not known, not asked for */
	const char *file;	/* as the compiler knew it; NULL: not known; good
				 * until maps_free() */
};

/* maps must outlive the symbols. NULL when memory is short. */
struct symbols *symbols_new(struct maps *maps,
			    const struct symbols_options *options);
void symbols_free(struct symbols *symbols);

/* The number of the function at place: the same for all places of a function. */
uint32_t symbols_find(struct symbols *symbols, struct place place);
/* The same one, and then those that are inlined there, each into the one before: *nr of
 * them, at least one. Good until the next symbols_find() or symbols_frames(). */
const struct symbols_frame *symbols_frames(struct symbols *symbols,
					   struct place place, size_t *nr);
/* What is known of function number id; good until symbols_free(). */
const struct symbols_function *symbols_function(const struct symbols *symbols,
						uint32_t id);

/* Why kernel addresses have no names, or NULL if they have or there were none. */
const char *symbols_kernel_note(const struct symbols *symbols);

#endif
