// SPDX-License-Identifier: GPL-2.0
/* Reads the answer of OTLP. */
#include <string.h>

#include "push/otlp_answer.h"

struct field {
	uint64_t number, value;		/* value: of a number, or the bytes' count */
	const uint8_t *bytes;		/* NULL: a number */
};

static bool take_varint(const uint8_t **at, const uint8_t *end, uint64_t *value)
{
	*value = 0;
	for (int shift = 0; shift < 64 && *at < end; shift += 7) {
		uint8_t byte = *(*at)++;

		*value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return true;
	}
	return false;
}

/* The messages have numbers and texts alone. */
static bool take_field(const uint8_t **at, const uint8_t *end, struct field *f)
{
	uint64_t tag;

	*f = (struct field){ 0 };
	if (!take_varint(at, end, &tag) || !take_varint(at, end, &f->value))
		return false;
	f->number = tag >> 3;
	if ((tag & 7) == 2) {
		if (f->value > (uint64_t)(end - *at))
			return false;
		f->bytes = *at;
		*at += f->value;
	}
	return f->number && ((tag & 7) == 2 || (tag & 7) == 0);
}

static bool read_partial(const struct field *message, struct otlp_answer *a)
{
	const uint8_t *at = message->bytes, *end = at + message->value;
	struct field f;

	while (at < end) {
		if (!take_field(&at, end, &f))
			return false;
		if (f.number == 1 && !f.bytes)
			a->rejected = f.value;
		if (f.number == 2 && f.bytes) {
			size_t nr = f.value < sizeof(a->message) - 1 ? f.value :
				    sizeof(a->message) - 1;

			memcpy(a->message, f.bytes, nr);
			a->message[nr] = '\0';
		}
	}
	return true;
}

bool otlp_answer_read(const void *bytes, size_t nr, struct otlp_answer *a)
{
	const uint8_t *at = bytes, *end = at + nr;
	struct field f;

	*a = (struct otlp_answer){ 0 };
	while (at < end) {
		if (!take_field(&at, end, &f))
			return false;
		if (f.number == 1 && f.bytes && !read_partial(&f, a))
			return false;
	}
	return true;
}
