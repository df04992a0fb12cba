/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Compressed records, as perf record -z writes them: a PERF_RECORD_COMPRESSED is a header
 * and, to its end, zstd's bytes, of which come records. perf's reader wants all of those
 * out of one call of zstd's, and whole; ours are a frame of their own each, so that they
 * can be taken out of any file and put into another.
 */
#ifndef LBRCTL_PERFDATA_PACK_H
#define LBRCTL_PERFDATA_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* perf's is 1. With chunks of ours 2 takes no longer, and makes a tenth less of call stacks of
 * sqlite3, a third less of xz's. */
#define PERFDATA_PACK_LEVEL	2
#define PERFDATA_PACK_LEVEL_MAX	22	/* zstd's */
#define PERFDATA_PACK_CHUNK	(240 << 10)	/* bytes of records, at most */

struct perfdata_pack;

/* NULL when memory is short. */
struct perfdata_pack *perfdata_pack_new(int level);
void perfdata_pack_free(struct perfdata_pack *pack);

/* Takes up to PERFDATA_PACK_CHUNK bytes of whole records. Calls put() with what they
 * become, compressed records, or themselves where that is less. Returns 0, or -1 when
 * put() did, or memory is short. */
int perfdata_pack(struct perfdata_pack *pack, const void *records, size_t len,
		  int (*put)(void *ctx, const void *data, size_t len), void *ctx);

/* Bytes that went in and came out. */
void perfdata_pack_sums(const struct perfdata_pack *pack, uint64_t *in,
			uint64_t *out);

/*
 * Takes the compressed records out of the records at data: perf's as well as ours. The
 * result, all records as if they never had been compressed, is in a file without a name
 * in $TMPDIR, or /var/tmp, and mapped: *size bytes, to be unmapped by the caller. cut: the
 * last record may be cut off, and is left out then. NULL with a message that names path;
 * also where the result would exceed both PERFDATA_UNPACK_MOST bytes and
 * PERFDATA_UNPACK_RATIO times len, as a file does that was made to fill the disk.
 */
#define PERFDATA_UNPACK_MOST	(1ULL << 30)
#define PERFDATA_UNPACK_RATIO	100
const unsigned char *perfdata_unpack(const char *path, const unsigned char *data,
				     uint64_t len, bool cut, uint64_t *size);

#endif
