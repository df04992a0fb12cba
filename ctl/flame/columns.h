/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Numbers as text for the page: each is a few letters of base64 (RFC 4648) with 5 bits of the
 * number in each, lowest first; bit 5 of a letter's value means that more follow. That is the
 * coding of source maps, but for the sign. It needs no escapes in JSON and HTML, and a browser
 * decodes it with one table look-up for each letter.
 */
#ifndef LBRCTL_FLAME_COLUMNS_H
#define LBRCTL_FLAME_COLUMNS_H

#include <stdint.h>
#include <stdio.h>

void columns_put(FILE *out, uint64_t number);
/* Writes after - before: twice the difference, plus 1 if it is negative. */
void columns_put_difference(FILE *out, uint64_t before, uint64_t after);

#endif
