/* SPDX-License-Identifier: GPL-2.0 */
/* The contents of an archive (machine/archive.h). */
#ifndef LBRCTL_ARCHIVE_CONTENTS_H
#define LBRCTL_ARCHIVE_CONTENTS_H

#include "machine/archive.h"

/* Writes the capture at path, the files that its samples are in, with their debug files, and what
 * names functions of the kernel and of code that was made at run time. Warns of files that are
 * missing. Returns 0, or -1 with a message. */
int contents_write(struct archive_writer *writer, const char *path);

#endif
