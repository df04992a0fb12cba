/* SPDX-License-Identifier: GPL-2.0 */
/* Bytes as letters. */
#ifndef LBRCTL_BASE_BASE64_H
#define LBRCTL_BASE_BASE64_H

#include <stdint.h>
#include <stdio.h>

/* The letters by their values, from 0 to 63. */
extern const char base64_letters[];

/* Writes bytes as letters (RFC 4648, section 4). Pieces of a multiple of 3 bytes may be put one after the other. */
void base64_put(FILE *out, const uint8_t *bytes, size_t nr);

#endif
