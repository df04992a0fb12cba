/* SPDX-License-Identifier: GPL-2.0 */
/* Text in the cells of a terminal, by the locale: wide characters take two. What does not print
 * becomes '?'. */
#ifndef LBRCTL_BROWSE_CELLS_H
#define LBRCTL_BROWSE_CELLS_H

#include <stddef.h>
#include <stdio.h>

/* Returns the cells that a text takes. */
size_t cells_of(const char *text);

/* Prints `width` cells of a text, from cell `from` on; what is shorter is not padded. */
void cells_put(FILE *out, const char *text, size_t from, size_t width);

/* Prints a text in exactly `width` cells, with "..." where it was cut, or padded by blanks. */
void cells_pad(FILE *out, const char *text, size_t width);

#endif
