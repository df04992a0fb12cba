/* SPDX-License-Identifier: GPL-2.0 */
/* The function at a place, by name where it has one. Each place is looked up once. */
#ifndef LBRCTL_SYMBOLS_H
#define LBRCTL_SYMBOLS_H

#include "maps.h"

struct symbols;

struct symbols_function {
	const char *name;	/* as shown: demangled; "libc.so.6+0x3f960" for a
				 * function without a name; "[unknown]" */
	const char *object;	/* the mapped path, "[kernel.kallsyms]", a module as
				 * "[name]", or "[unknown]" */
	uint64_t start;		/* address of the function, as places count */
	bool known;		/* start and name are real */
	bool kernel;
};

/* maps must outlive the symbols. NULL when memory is short. */
struct symbols *symbols_new(struct maps *maps);
void symbols_free(struct symbols *symbols);

/* The number of the function at place: the same for all places of a function. */
uint32_t symbols_find(struct symbols *symbols, struct place place);
/* What is known of function number id; good until symbols_free(). */
const struct symbols_function *symbols_function(const struct symbols *symbols,
						uint32_t id);

/* Why kernel addresses have no names, or NULL if they have or there were none. */
const char *symbols_kernel_note(const struct symbols *symbols);

#endif
