/* SPDX-License-Identifier: GPL-2.0 */
/* Numbers and addresses as DWARF and .eh_frame encode them (Linux Standard Base Core 5.0, "DWARF Exception Header
 * Encoding"). */
#ifndef LBRCTL_OBJECT_ENCODED_H
#define LBRCTL_OBJECT_ENCODED_H

#include <stdbool.h>
#include <stdint.h>

/* Reads a number in pieces of 7 bits at *p, and steps behind it: without a sign, and with one. A number that does not
 * end before `end` has the bits that are there. */
uint64_t encoded_number(const unsigned char **p, const unsigned char *end);
int64_t encoded_signed(const unsigned char **p, const unsigned char *end);

/* Reads an encoded address at *p, whose own address is vaddr; false if it has a form that code does not have. */
bool encoded_address(const unsigned char **p, const unsigned char *end, unsigned int encoding, uint64_t vaddr,
		     uint64_t *value);

#endif
