/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Compressed records, as perf record -z writes them: a PERF_RECORD_COMPRESSED is a header and
 * zstd's bytes up to its end, which expand to records. perf's reader expands each with one
 * call of zstd, into complete records. Those written here are a frame each, so that they can
 * be copied from one file to another.
 */
#ifndef LBRCTL_PERFDATA_PACK_H
#define LBRCTL_PERFDATA_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* perf's default is 1. With chunks of this size, level 2 takes no longer and makes call
 * stacks of sqlite3 a tenth smaller, those of xz a third. */
#define PERFDATA_PACK_LEVEL	2
#define PERFDATA_PACK_LEVEL_MAX	22	/* zstd's maximum */
#define PERFDATA_PACK_CHUNK	(240 << 10)	/* maximum bytes of records */

struct perfdata_pack;

/* Returns NULL when memory is short. */
struct perfdata_pack *perfdata_pack_new(int level);
void perfdata_pack_free(struct perfdata_pack *pack);

/* Takes up to PERFDATA_PACK_CHUNK bytes of complete records. Calls put() with compressed
 * records, or with the records themselves if these are shorter. Returns 0, or -1 when put()
 * did, or memory is short. */
int perfdata_pack(struct perfdata_pack *pack, const void *records, size_t len,
		  int (*put)(void *ctx, const void *data, size_t len), void *ctx);

/* Sets *in and *out to the bytes before and after compression so far. */
void perfdata_pack_sums(const struct perfdata_pack *pack, uint64_t *in,
			uint64_t *out);

/*
 * Expands the compressed records among the records at data: those of perf and of lbrctl. The
 * result, all records as if they had never been compressed, is in an unnamed file in $TMPDIR,
 * or /var/tmp, and mapped: *size bytes, to be unmapped by the caller. cut: the last record
 * may be incomplete, and is left out then. Returns NULL with a message that names path; also
 * if the result would exceed both PERFDATA_UNPACK_MOST bytes and PERFDATA_UNPACK_RATIO times
 * len, as that of a file made to fill the disk.
 */
#define PERFDATA_UNPACK_MOST	(1ULL << 30)
#define PERFDATA_UNPACK_RATIO	100
const unsigned char *perfdata_unpack(const char *path, const unsigned char *data,
				     uint64_t len, bool cut, uint64_t *size);

#endif
