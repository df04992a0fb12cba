/* SPDX-License-Identifier: GPL-2.0 */
/* The text of source lines, from the files that are here. */
#ifndef LBRCTL_ANNOTATE_SOURCE_H
#define LBRCTL_ANNOTATE_SOURCE_H

#include <stddef.h>
#include <stdint.h>

struct machine;
struct sources;

/* machine: of the capture. Returns NULL when memory is short. */
struct sources *sources_new(struct machine *machine);
void sources_free(struct sources *sources);

/* Returns a line's text, without the blanks around it, cleaned for a terminal; NULL: the file
 * (by the compiler's name), or the line, is not available. Valid until sources_free(). */
const char *sources_line(struct sources *sources, const char *file, uint32_t line);

#endif
