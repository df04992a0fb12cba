/* SPDX-License-Identifier: GPL-2.0 */
/* A file without a name for what is too large for memory; $TMPDIR says where, else it is
 * /var/tmp. */
#ifndef LBRCTL_BASE_TEMPFILE_H
#define LBRCTL_BASE_TEMPFILE_H

#include <stdint.h>
#include <stdio.h>

/* why begins the message where it fails, "x.data: its records are compressed". NULL with
 * that message. */
FILE *temporary_open(const char *why);

/* The message for a write to it that failed, by errno. Returns -1. */
int temporary_failed(const char *why);

/* Maps all of it, size bytes and not 0, to be unmapped by the caller; the file may be
 * closed. NULL with a message. */
const unsigned char *temporary_map(FILE *file, const char *why, uint64_t size);

#endif
