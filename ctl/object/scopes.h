/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The names of functions of C++ that have no linkage name in DWARF, as GCC leaves those that it has only
 * inlined: each with the namespaces, classes and functions around it.
 */
#ifndef LBRCTL_OBJECT_SCOPES_H
#define LBRCTL_OBJECT_SCOPES_H

#include <elfutils/libdw.h>

struct scopes;

/* NULL when memory is short. */
struct scopes *scopes_new(void);
void scopes_free(struct scopes *scopes);

/* Returns the name of a function with what is around it, such as
 * "(anonymous namespace)::Shop::sell::{lambda#2}::operator()"; in other languages its own name. Types
 * without a name have the number of their place in the source. The text lives as long as
 * the scopes. NULL: it has no name, or memory is short. */
const char *scopes_name(struct scopes *scopes, Dwarf_Die *function);

#endif
