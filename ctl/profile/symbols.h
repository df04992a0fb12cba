/* SPDX-License-Identifier: GPL-2.0 */
/* The function at a place, with its name if it has one, and the functions inlined there. Each
 * place is looked up once. */
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
	uint64_t start;		/* address of the function, in the unit of places */
	bool known;		/* start and name are real */
	bool named;		/* name is that of a symbol, or of an inlined function */
	bool kernel;
	bool inlined;		/* inlined into another function: start is 0 */
};

struct symbols_options {
	bool mangled;		/* names as in the files, not demangled */
	bool no_inlines;	/* only functions with code of their own */
	bool lines;		/* also source lines; without lines and inlined functions, DWARF
				 * is not read
				 */
	struct targets *targets;	/* call targets, for functions without other
					 * information; complete before the first lookup; NULL:
					 * none
					 */
};

/* One of the functions that are inlined into one another at a place. */
struct symbols_frame {
	uint32_t function;
	uint32_t line;		/* its line, or the line at which the next inner one was
				 * inlined; 0: not known or not requested */
	const char *file;	/* the compiler's name of the source file; NULL: not known;
				 * valid until maps_free()
				 */
};

/* maps must outlive the symbols. NULL when memory is short. */
struct symbols *symbols_new(struct maps *maps,
			    const struct symbols_options *options);
void symbols_free(struct symbols *symbols);

/* From now on the places are those of another capture (maps_begin()), with these call targets.
 * What cannot have changed stays known; results for the earlier capture become invalid. */
void symbols_begin(struct symbols *symbols, struct targets *targets);

/* Returns the number of results that are stored. */
size_t symbols_nr(const struct symbols *symbols);

/* Returns the number of the function at place: the same for all its places. */
uint32_t symbols_find(struct symbols *symbols, struct place place);
/* Returns the function, followed by those inlined there, each into the previous one; *nr of
 * them, at least one. Valid until the next symbols_find() or symbols_frames(). */
const struct symbols_frame *symbols_frames(struct symbols *symbols,
					   struct place place, size_t *nr);
/* Returns the data of function number id; valid until symbols_free(). */
const struct symbols_function *symbols_function(const struct symbols *symbols,
						uint32_t id);

/* Returns the reason that kernel addresses have no names; NULL if they have, or the capture
 * has none. */
const char *symbols_kernel_note(const struct symbols *symbols);

#endif
