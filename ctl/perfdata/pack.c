// SPDX-License-Identifier: GPL-2.0
/* Compresses records by zstd. */
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "perfdata/format.h"
#include "perfdata/pack.h"

/* The size in a record's header has 16 bits. */
#define PACK_MAX	65535

struct perfdata_pack {
	ZSTD_CCtx *zstd;
	uint64_t in, out;
	unsigned char record[PACK_MAX];
};

struct perfdata_pack *perfdata_pack_new(int level)
{
	struct perfdata_pack *p = malloc(sizeof(*p));

	if (!p)
		return NULL;
	p->in = p->out = 0;
	p->zstd = ZSTD_createCCtx();
	if (p->zstd && !ZSTD_isError(ZSTD_CCtx_setParameter(p->zstd,
			ZSTD_c_compressionLevel, level)))
		return p;
	perfdata_pack_free(p);
	return NULL;
}

void perfdata_pack_free(struct perfdata_pack *p)
{
	if (!p)
		return;
	ZSTD_freeCCtx(p->zstd);
	free(p);
}

/* Returns the end of the record in the middle of these; len if there is only one record. */
static size_t pack_half(const unsigned char *records, size_t len)
{
	struct perf_event_header header;
	size_t at = 0;

	while (at < len / 2) {
		memcpy(&header, records + at, sizeof(header));
		if (header.size < sizeof(header) || header.size > len - at)
			return len;
		at += header.size;
	}
	return at;
}

int perfdata_pack(struct perfdata_pack *p, const void *records, size_t len,
		  int (*put)(void *ctx, const void *data, size_t len), void *ctx)
{
	struct perf_event_header header = { .type = PERFDATA_RECORD_COMPRESSED };
	size_t size, half;

	size = ZSTD_compress2(p->zstd, p->record + sizeof(header),
			      PACK_MAX - sizeof(header), records, len);
	if (!ZSTD_isError(size) && sizeof(header) + size < len) {
		header.size = sizeof(header) + size;
		memcpy(p->record, &header, sizeof(header));
		p->in += len;
		p->out += header.size;
		return put(ctx, p->record, header.size);
	}
	half = pack_half(records, len);
	if (half == len) {
		p->in += len;
		p->out += len;
		return put(ctx, records, len);
	}
	/* The compressed data does not fit one record: compress each half. */
	if (perfdata_pack(p, records, half, put, ctx))
		return -1;
	return perfdata_pack(p, (const char *)records + half, len - half, put, ctx);
}

void perfdata_pack_sums(const struct perfdata_pack *p, uint64_t *in,
			uint64_t *out)
{
	*in = p->in;
	*out = p->out;
}
