/* SPDX-License-Identifier: GPL-2.0 */
/* The sizes of all options. */
#ifndef LBRCTL_BASE_SIZE_H
#define LBRCTL_BASE_SIZE_H

#include <stdbool.h>
#include <stdint.h>

/* What an error message says of a size. */
#define SIZE_UNITS	"B, K, M or G"

/* Parses "65536", "64K", "1M", "2G" (1024 each; B for bytes) into bytes. Returns whether
 * it is a size. */
bool size_parse(const char *text, uint64_t *bytes);

#endif
