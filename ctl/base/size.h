/* SPDX-License-Identifier: GPL-2.0 */
/* The sizes of all options. */
#ifndef LBRCTL_BASE_SIZE_H
#define LBRCTL_BASE_SIZE_H

#include <stdbool.h>
#include <stdint.h>

/* The units, for error messages. */
#define SIZE_UNITS	"B, K, M or G"

/* Parses "65536", "64K", "1M", "2G" (factors of 1024; B for bytes) into bytes. Returns whether
 * the text is a size. */
bool size_parse(const char *text, uint64_t *bytes);

#endif
