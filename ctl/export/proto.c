// SPDX-License-Identifier: GPL-2.0
/* Writes messages of Protocol Buffers. */
#include <string.h>

#include "base/grow.h"
#include "base/text.h"
#include "export/proto.h"

/* Wire types. */
enum { PROTO_VARINT = 0, PROTO_LEN = 2 };

static void put(struct proto *m, const void *bytes, size_t nr)
{
	if (room_for(&m->bytes, m->nr + nr, &m->max, 1)) {
		m->failed = true;
		return;
	}
	if (nr)
		memcpy(m->bytes + m->nr, bytes, nr);
	m->nr += nr;
}

void proto_varint(struct proto *m, uint64_t value)
{
	uint8_t bytes[10];
	size_t nr = 0;

	for (; value >= 0x80; value >>= 7)
		bytes[nr++] = value | 0x80;
	bytes[nr++] = value;
	put(m, bytes, nr);
}

void proto_number(struct proto *m, int field, uint64_t value)
{
	if (!value)
		return;
	proto_varint(m, field << 3 | PROTO_VARINT);
	proto_varint(m, value);
}

static size_t text_size(const char *text)
{
	size_t size = 0;

	for (const unsigned char *s = (const unsigned char *)text; *s;) {
		size_t len = text_utf8_length(s);

		size += len ? len : 3;
		s += len ? len : 1;
	}
	return size;
}

void proto_text(struct proto *m, int field, const char *text)
{
	proto_varint(m, field << 3 | PROTO_LEN);
	proto_varint(m, text_size(text));
	for (const unsigned char *s = (const unsigned char *)text; *s;) {
		size_t len = text_utf8_length(s);

		if (len)
			put(m, s, len);
		else
			put(m, "\xef\xbf\xbd", 3);
		s += len ? len : 1;
	}
}

void proto_join(struct proto *to, struct proto *part)
{
	put(to, part->bytes, part->nr);
	to->failed |= part->failed;
	part->nr = 0;
}

void proto_end(struct proto *outer, int field, struct proto *inner)
{
	proto_varint(outer, field << 3 | PROTO_LEN);
	proto_varint(outer, inner->nr);
	put(outer, inner->bytes, inner->nr);
	outer->failed |= inner->failed;
	inner->nr = 0;
}
