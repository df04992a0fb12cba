/* SPDX-License-Identifier: GPL-2.0 */
/* Messages of Protocol Buffers, as protobuf.dev/programming-guides/encoding has them. */
#ifndef LBRCTL_EXPORT_PROTO_H
#define LBRCTL_EXPORT_PROTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Initialize with 0; the caller frees bytes. */
struct proto {
	uint8_t *bytes;
	size_t nr, max;
	bool failed;		/* memory was short */
};

/* A number alone, as packed fields have them. */
void proto_varint(struct proto *message, uint64_t value);
/* A field; without effect if the value is 0, which is the default in proto3. */
void proto_number(struct proto *message, int field, uint64_t value);
/* The same for a field of 64 bits. */
void proto_fixed64(struct proto *message, int field, uint64_t value);
/* A field of bytes, or of numbers that are packed already. */
void proto_bytes(struct proto *message, int field, const void *bytes, size_t nr);
/* A string field; bytes that are not UTF-8, which a string must be, become U+FFFD. */
void proto_text(struct proto *message, int field, const char *text);
/* Moves the fields of one part of a message to another. */
void proto_join(struct proto *to, struct proto *part);
/* Adds the inner message, or its packed numbers, as a field of the outer one, and empties it. */
void proto_end(struct proto *outer, int field, struct proto *inner);
/* Writes the message compressed by gzip. Returns 0, or -1 when memory is short. */
int proto_gzip(const struct proto *message, FILE *out);

#endif
