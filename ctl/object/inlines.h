/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DWARF information about an address: its source line, and the functions inlined there. A
 * unit is read when the first of its addresses is looked up, and so is each function; the
 * lines of a unit when the first line is looked up.
 */
#ifndef LBRCTL_OBJECT_INLINES_H
#define LBRCTL_OBJECT_INLINES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct inlines;

/* Strings belong to the Dwarf, or to the inlines. */
struct inlines_frame {
	const char *name;	/* as the file spells it, or by scopes_name(); NULL: not known */
	const char *file;	/* file of the address, or of the call that the next inner
				 * function was inlined for; NULL: not known */
	unsigned int line;	/* 0: not known */
};

#define INLINES_MAX	64	/* maximum number of nested functions; the innermost ones are
				 * returned */

/* The Dwarf must outlive the result. split: files that it names may be opened, for units that are there
 * (.dwo). NULL when memory is short. */
struct inlines *inlines_new(Dwarf *dwarf, bool split);
void inlines_free(struct inlines *inlines);

/* Finds the innermost function first, then those that it was inlined into; the last one is
 * the function itself. Returns their number, at most INLINES_MAX; 0: not in DWARF. Without
 * `lines`, no line is looked up, which is faster. */
size_t inlines_at(struct inlines *inlines, uint64_t vaddr, bool lines,
		  struct inlines_frame frames[INLINES_MAX]);

#endif
