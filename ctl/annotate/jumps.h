/* SPDX-License-Identifier: GPL-2.0 */
/* Arrows from the jumps of a function to their targets, drawn beside its instructions. */
#ifndef LBRCTL_ANNOTATE_JUMPS_H
#define LBRCTL_ANNOTATE_JUMPS_H

#include "blocks/disassemble.h"

#define JUMPS_LANES	4	/* columns for arrows, at most */
#define JUMPS_WIDTH	(JUMPS_LANES + 2)

struct jumps;

/* The arrows of a function, which must outlive them; NULL with a message. Those to one target
 * are one arrow. Short ones are drawn first; an arrow that finds no lane is not drawn. */
struct jumps *jumps_new(const struct blocks_function *function);
void jumps_free(struct jumps *jumps);

/* Columns that the lanes and the heads of the arrows take; 0: there are no arrows. */
size_t jumps_columns(const struct jumps *jumps);

/* The text beside instruction i, or between the one before it and it; as wide as
 * jumps_columns(). ">" leads to the instruction, "-" away from it; "v" and "^" mark jumps
 * whose arrow is not drawn. */
void jumps_beside(const struct jumps *jumps, size_t i, char text[JUMPS_WIDTH + 1]);
void jumps_above(const struct jumps *jumps, size_t i, char text[JUMPS_WIDTH + 1]);

#endif
