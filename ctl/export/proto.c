// SPDX-License-Identifier: GPL-2.0
/* Writes messages of Protocol Buffers. */
#include <string.h>
#include <zlib.h>

#include "base/grow.h"
#include "base/text.h"
#include "export/proto.h"

/* Wire types. */
enum { PROTO_VARINT = 0, PROTO_I64 = 1, PROTO_LEN = 2 };

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

void proto_fixed64(struct proto *m, int field, uint64_t value)
{
	uint8_t bytes[8];

	if (!value)
		return;
	for (int i = 0; i < 8; i++)
		bytes[i] = value >> 8 * i;
	proto_varint(m, field << 3 | PROTO_I64);
	put(m, bytes, sizeof(bytes));
}

void proto_bytes(struct proto *m, int field, const void *bytes, size_t nr)
{
	proto_varint(m, field << 3 | PROTO_LEN);
	proto_varint(m, nr);
	put(m, bytes, nr);
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
	proto_bytes(outer, field, inner->bytes, inner->nr);
	outer->failed |= inner->failed;
	inner->nr = 0;
}

int proto_gzip(const struct proto *m, FILE *out)
{
	z_stream z = { .next_in = m->bytes, .avail_in = m->nr };
	uint8_t buffer[1 << 16];
	int ret;

	/* 16: with gzip's head */
	if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + 16,
			 8, Z_DEFAULT_STRATEGY) != Z_OK)
		return -1;
	do {
		z.next_out = buffer;
		z.avail_out = sizeof(buffer);
		ret = deflate(&z, Z_FINISH);
		fwrite(buffer, 1, sizeof(buffer) - z.avail_out, out);
	} while (ret == Z_OK || ret == Z_BUF_ERROR);
	deflateEnd(&z);
	return ret == Z_STREAM_END ? 0 : -1;
}
