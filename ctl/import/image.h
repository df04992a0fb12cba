/* SPDX-License-Identifier: GPL-2.0 */
/* A file's names as an ELF file without code, and the kernel's as /proc/kallsyms has them. */
#ifndef LBRCTL_IMPORT_IMAGE_H
#define LBRCTL_IMPORT_IMAGE_H

#include "import/places.h"
#include "machine/archive.h"

/* Adds the file to the archive: its symbol table, with addresses and offsets that are positions. Sorts its names.
 * Returns 0, or -1 with a message. */
int image_write(struct archive_writer *archive, struct places_file *file);

/* Returns the names of all files of the kernel, in order of their addresses, as /proc/kallsyms has them. The caller frees
 * them. NULL, with a message: memory is short. */
char *image_kernel(struct places *places, size_t *size);

#endif
