/* SPDX-License-Identifier: GPL-2.0 */
/* An unnamed file for data that is too large for memory; in $TMPDIR, by default /var/tmp. */
#ifndef LBRCTL_BASE_TEMPFILE_H
#define LBRCTL_BASE_TEMPFILE_H

#include <stdint.h>
#include <stdio.h>

/* why: the beginning of the error message, such as "x.data: its records are compressed".
 * Returns NULL with that message on failure. */
FILE *temporary_open(const char *why);

/* Prints the message for a failed write, by errno. Returns -1. */
int temporary_failed(const char *why);

/* Maps the whole file, which has size bytes (not 0). The caller unmaps it; the file may be
 * closed. Returns NULL with a message on failure. */
const unsigned char *temporary_map(FILE *file, const char *why, uint64_t size);

#endif
