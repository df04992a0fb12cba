/* SPDX-License-Identifier: GPL-2.0 */
/* Arrows from the jumps of a function to their targets, drawn beside its instructions. */
#ifndef LBRCTL_ANNOTATE_JUMPS_H
#define LBRCTL_ANNOTATE_JUMPS_H

#include "blocks/disassemble.h"

#define JUMPS_LANES	4	/* maximum number of columns for arrows */
#define JUMPS_WIDTH	(JUMPS_LANES + 2)

struct jumps;

/* Makes the arrows of a function, which must outlive them. Returns NULL with a message on
 * failure. Jumps to one target share an arrow. Short ones are drawn first; an arrow without a
 * free lane is not drawn. */
struct jumps *jumps_new(const struct blocks_function *function);
void jumps_free(struct jumps *jumps);

/* Returns the columns of the lanes and the heads of the arrows; 0: no arrows. */
size_t jumps_columns(const struct jumps *jumps);

/* Returns the text beside instruction i, or between it and the one before; jumps_columns()
 * wide. ">" leads to the instruction, "-" away from it; "v" and "^" mark jumps whose arrow is
 * not drawn. */
void jumps_beside(const struct jumps *jumps, size_t i, char text[JUMPS_WIDTH + 1]);
void jumps_above(const struct jumps *jumps, size_t i, char text[JUMPS_WIDTH + 1]);

#endif
