/* SPDX-License-Identifier: GPL-2.0 */
/* Demangles C++ and Rust names, and chooses among names of one address. */
#ifndef LBRCTL_OBJECT_DEMANGLE_H
#define LBRCTL_OBJECT_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

/* The criteria by which one of several names of an address is shown. */
struct names_rank {
	const char *name;
	bool sized, weak, local;
	size_t order;		/* position in the file */
};

/* <0 if a is preferred, >0 if b is; 0 only for the same order. */
int names_prefer(const struct names_rank *a, const struct names_rank *b);

/* Returns a copy, with control characters replaced by '?', of no more than 4 KiB; malloc'd,
 * NULL when memory is short. */
char *names_clean(const char *name);

/* Returns the demangled name (C++, Rust) in the same way, without the parameters. */
char *names_demangle(const char *name);

#endif
