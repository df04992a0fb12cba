// SPDX-License-Identifier: GPL-2.0
/* Compresses a stream into text. */
#include <stdint.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/base64.h"
#include "flame/packed.h"

/* A page is 2 to 5 % smaller by zlib's usual level, 6, which takes four times as long. */
#define LEVEL		4
#define GZIP		16	/* added to the bits of the window: with gzip's head */
/* Bytes that are written at a time, a multiple of 3. */
#define PIECE		(3U << 14)

struct packed {
	FILE *out;
	z_stream z;
	uint8_t piece[PIECE];
};

static void put_piece(struct packed *p)
{
	base64_put(p->out, p->piece, PIECE - p->z.avail_out);
	p->z.next_out = p->piece;
	p->z.avail_out = PIECE;
}

/* Returns 0, or -1 when `out` has failed. */
static int pack(struct packed *p, const char *text, size_t size, int flush)
{
	int ret = Z_OK;

	p->z.next_in = (Bytef *)text;
	p->z.avail_in = size;
	while (p->z.avail_in || (flush == Z_FINISH && ret != Z_STREAM_END)) {
		ret = deflate(&p->z, flush);
		if (!p->z.avail_out)
			put_piece(p);
	}
	return ferror(p->out) ? -1 : 0;
}

static ssize_t packed_write(void *cookie, const char *text, size_t size)
{
	return pack(cookie, text, size, Z_NO_FLUSH) ? 0 : size;
}

static int packed_close(void *cookie)
{
	struct packed *p = cookie;
	int ret;

	pack(p, NULL, 0, Z_FINISH);
	put_piece(p);
	ret = ferror(p->out) ? -1 : 0;
	deflateEnd(&p->z);
	free(p);
	return ret;
}

FILE *packed_open(FILE *out)
{
	struct packed *p = calloc(1, sizeof(*p));
	FILE *stream;

	if (!p)
		return NULL;
	p->out = out;
	p->z.next_out = p->piece;
	p->z.avail_out = PIECE;
	if (deflateInit2(&p->z, LEVEL, Z_DEFLATED, MAX_WBITS + GZIP, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
		free(p);
		return NULL;
	}
	stream = fopencookie(p, "w", (cookie_io_functions_t){ .write = packed_write, .close = packed_close });
	if (!stream) {
		deflateEnd(&p->z);
		free(p);
		return NULL;
	}
	setvbuf(stream, NULL, _IOFBF, 1 << 16);
	return stream;
}
