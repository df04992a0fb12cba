/* SPDX-License-Identifier: GPL-2.0 */
/* Names of C++ and Rust functions in the room that a line has. The flame page does the same
 * (flame/page.view.js). */
#ifndef LBRCTL_BASE_SHORTNAME_H
#define LBRCTL_BASE_SHORTNAME_H

#include <stdbool.h>
#include <stddef.h>

/* Returns the cells that a text takes on a terminal, one for each character. */
size_t shortname_cells(const char *text);

/* Writes the name without what stands between its angle brackets, "fill<…>", and the standard
 * string by its usual name. text: of size bytes; 3 * strlen(name) + 4 are enough for any name, and for
 * shortname_fit(). */
void shortname_without_arguments(const char *name, char *text, size_t size);

/* Whether a person who types `word` may mean the function: it is the name, or its last component or
 * components, "best" or "Book::best" of "shop::Book<int>::best<double>". Arguments may be left out. */
bool shortname_is(const char *name, const char *word);

/* Shortens a text in place to at most `cells` (from 5 on): first without its outer namespaces, then
 * without its middle, since names differ most at their ends. There must be two bytes of room after
 * the text's end. */
void shortname_fit(char *text, size_t cells);

#endif
