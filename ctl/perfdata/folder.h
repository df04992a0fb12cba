/* SPDX-License-Identifier: GPL-2.0 */
/* Captures that perf writes as a folder, with --threads or --kcore: its file "data" is a perf.data, and "data.0",
 * "data.1" ... are more records of its events, each in an order of its own (perf.data-directory-format.txt). */
#ifndef LBRCTL_PERFDATA_FOLDER_H
#define LBRCTL_PERFDATA_FOLDER_H

#include <stdbool.h>
#include <stdint.h>

/* Opens the file "data" of the folder. Returns a descriptor, or -1 with a message. */
int folder_open(const char *path, int folder);

/* Joins the records of "data", which are at `data`, and those of the other files, unpacked if they are compressed.
 * Returns their mapping, and its bytes in *size; NULL with a message. cut: as perfdata_unpack(). */
const unsigned char *folder_join(const char *path, int folder, const unsigned char *data, uint64_t len,
				 bool compressed, bool cut, uint64_t *size);

#endif
