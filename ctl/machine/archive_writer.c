// SPDX-License-Identifier: GPL-2.0
/* Writes archives. */
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/atomic_file.h"
#include "base/err.h"
#include "base/grow.h"
#include "base/hash.h"
#include "machine/archive.h"
#include "machine/tar.h"

#define ARCHIVE_LEVEL	3		/* zstd's default */

struct archive_writer {
	FILE *out;
	char *path;
	ZSTD_CCtx *zstd;
	void *buffer;
	size_t room;
	char **names;			/* of the members */
	size_t max;
	struct hash index;
};

static void writer_free(struct archive_writer *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < w->index.used; i++)
		free(w->names[i]);
	free(w->names);
	hash_free(&w->index);
	ZSTD_freeCCtx(w->zstd);
	free(w->buffer);
	free(w->path);
	free(w);
}

static struct archive_writer *writer_new(FILE *out, const char *path)
{
	struct archive_writer *w = calloc(1, sizeof(*w));

	if (w) {
		w->out = out;
		w->path = strdup(path);
		w->zstd = ZSTD_createCCtx();
		w->room = ZSTD_CStreamOutSize();
		w->buffer = malloc(w->room);
	}
	if (w && w->path && w->zstd && w->buffer)
		return w;
	err_fail("writing %s: out of memory", path);
	writer_free(w);
	return NULL;
}

/* Compresses a part of a frame; last: its end. */
static int frame_part(struct archive_writer *w, const void *data, size_t size, bool last)
{
	ZSTD_inBuffer in = { data, size, 0 };
	size_t left;

	do {
		ZSTD_outBuffer out = { w->buffer, w->room, 0 };

		left = ZSTD_compressStream2(w->zstd, &out, &in, last ? ZSTD_e_end : ZSTD_e_continue);
		if (ZSTD_isError(left))
			return err_fail("compressing %s: %s", w->path, ZSTD_getErrorName(left));
		if (out.pos && !fwrite(w->buffer, out.pos, 1, w->out))
			return err_errno("writing %s", w->path);
	} while (last ? left : in.pos < in.size);
	return 0;
}

/* Writes a frame of these bytes and zeros up to the whole size. */
static int frame(struct archive_writer *w, const void *data, uint64_t size, uint64_t whole)
{
	static const unsigned char zeros[2 * TAR_BLOCK];

	ZSTD_CCtx_reset(w->zstd, ZSTD_reset_session_and_parameters);
	if (ZSTD_isError(ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_compressionLevel, ARCHIVE_LEVEL)) ||
	    ZSTD_isError(ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_checksumFlag, 1)) ||
	    ZSTD_isError(ZSTD_CCtx_setPledgedSrcSize(w->zstd, whole)))
		return err_fail("compressing %s: zstd refuses its parameters", w->path);
	return frame_part(w, data, size, false) || frame_part(w, zeros, whole - size, true) ? -1 : 0;
}

static int header(struct archive_writer *w, const char *name, uint64_t size, bool is_name)
{
	unsigned char block[TAR_BLOCK];

	tar_make(block, name, size, is_name);
	return frame(w, block, sizeof(block), sizeof(block));
}

/* Notes the name. Returns 1; 0 if there is such a member; -1 with a message. */
static int note_name(struct archive_writer *w, const char *name)
{
	if (hash_reserve(&w->index) ||
	    room_for(&w->names, w->index.used + 1, &w->max, sizeof(*w->names)))
		return err_errno("writing %s", w->path);
	hash_for_each(i, &w->index, hash_text(name))
		if (!strcmp(w->names[i], name))
			return 0;
	w->names[w->index.used] = strdup(name);
	if (!w->names[w->index.used])
		return err_errno("writing %s", w->path);
	hash_put(&w->index, hash_text(name));
	return 1;
}

int archive_write(struct archive_writer *w, const char *name, const void *data, uint64_t size)
{
	size_t length = strlen(name) + 1;
	int fresh = note_name(w, name);

	if (fresh <= 0)
		return fresh;
	if (size > TAR_SIZE_MAX)
		return err_fail("writing %s: %s has %llu bytes, and a tar file's members have up to "
				"8 GiB", w->path, name, (unsigned long long)size);
	if (length > TAR_NAME_MAX && (header(w, TAR_LONG_NAME, length, true) ||
				      frame(w, name, length, tar_padded(length))))
		return -1;
	if (header(w, name, size, false))
		return -1;
	return size ? frame(w, data, size, tar_padded(size)) : 0;
}

static int write_file(FILE *out, const char *path, int (*fill)(void *ctx, struct archive_writer *writer), void *ctx)
{
	struct archive_writer *w = writer_new(out, path);
	int err = !w || fill(ctx, w) || frame(w, NULL, 0, 2 * TAR_BLOCK) ? -1 : 0;

	writer_free(w);
	return err;
}

int archive_make(const char *path, int (*fill)(void *ctx, struct archive_writer *writer), void *ctx)
{
	struct atomic_file out;

	if (atomic_file_open(&out, path))
		return -1;
	if (!write_file(out.stream, path, fill, ctx))
		return atomic_file_commit(&out);
	atomic_file_abort(&out);
	return -1;
}
