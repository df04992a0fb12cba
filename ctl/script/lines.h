/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Caches the printed lines of frames, since making the same lines again would take most of the
 * time of printing samples. Bounded; emptied when full.
 */
#ifndef LBRCTL_SCRIPT_LINES_H
#define LBRCTL_SCRIPT_LINES_H

#include <stdio.h>

#include "script/print.h"

struct script_lines;

/* `make` writes the lines of a frame, with these fields. Returns NULL when memory is short. */
struct script_lines *script_lines_new(struct symbols *symbols, unsigned int fields,
				      void (*make)(FILE *out, struct symbols *symbols,
						   unsigned int fields,
						   const struct script_frame *frame));
void script_lines_free(struct script_lines *lines);

/* Returns the lines of a frame, valid until the next call. NULL when memory is short. */
const char *script_lines_of(struct script_lines *lines, const struct script_frame *frame, size_t *size);

#endif
