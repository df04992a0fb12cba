// SPDX-License-Identifier: GPL-2.0
/* Reads archives. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/err.h"
#include "base/grow.h"
#include "base/hash.h"
#include "base/tempfile.h"
#include "machine/archive.h"
#include "machine/tar.h"

#define ARCHIVE_MAGIC		"\x28\xb5\x2f\xfd"	/* of a zstd frame, RFC 8878 */
#define ARCHIVE_BUFFER		(1 << 20)
/* A larger member unpacks to no more than this many times its packed size: zstd itself has no
 * such limit, and a forged archive would fill the disk. */
#define ARCHIVE_RATIO		1000
#define ARCHIVE_SMALL		(64ULL << 20)

struct member {
	char *name;
	uint64_t at, packed;		/* its frame in the archive */
	uint64_t size;
};

struct archive {
	char *path;
	const unsigned char *map;
	uint64_t size;
	struct member *list;
	size_t max;
	struct hash names;
};

void archive_name_id(char *text, const uint8_t *id, size_t size, const char *kind)
{
	int at = snprintf(text, ARCHIVE_NAME_MAX, ".build-id/%02x/", size ? id[0] : 0);

	for (size_t i = 1; i < size; i++)
		at += snprintf(text + at, ARCHIVE_NAME_MAX - at, "%02x", id[i]);
	snprintf(text + at, ARCHIVE_NAME_MAX - at, "/%s", kind);
}

void archive_name_path(char *text, const char *path)
{
	snprintf(text, ARCHIVE_NAME_MAX, "files/%s", path + (*path == '/'));
}

static int damaged(const struct archive *a, uint64_t at, const char *what)
{
	return err_fail("%s: the archive %s at byte %llu: copy it again, or make it anew with "
			"'lbrctl archive'", a->path, what, (unsigned long long)at);
}

/* Returns the packed size of the frame at a position, which unpacks to *size bytes; 0: there is
 * no whole frame that says its size. */
static uint64_t frame_at(const struct archive *a, uint64_t at, uint64_t *size)
{
	size_t packed = ZSTD_findFrameCompressedSize(a->map + at, a->size - at);
	unsigned long long content = ZSTD_getFrameContentSize(a->map + at, a->size - at);

	if (ZSTD_isError(packed) || content >= ZSTD_CONTENTSIZE_ERROR)
		return 0;
	*size = content;
	return packed;
}

/* Unpacks a short frame. Returns its packed size, or 0 with a message. */
static uint64_t frame_short(const struct archive *a, uint64_t at, unsigned char *data,
			    uint64_t most, uint64_t *size)
{
	uint64_t packed = frame_at(a, at, size);

	if (!packed)
		return damaged(a, at, "has no whole frame"), 0;
	if (*size > most || ZSTD_decompress(data, *size, a->map + at, packed) != *size)
		return damaged(a, at, "has a wrong frame"), 0;
	return packed;
}

static int member_add(struct archive *a, const char *name, uint64_t at, uint64_t packed,
		      uint64_t size)
{
	struct member *m;

	if (hash_reserve(&a->names) ||
	    room_for(&a->list, a->names.used + 1, &a->max, sizeof(*a->list)))
		return err_errno("reading %s", a->path);
	hash_for_each(i, &a->names, hash_text(name))
		if (!strcmp(a->list[i].name, name))
			return damaged(a, at, "has two members of one name");
	m = &a->list[a->names.used];
	*m = (struct member){ strdup(name), at, packed, size };
	if (!m->name)
		return err_errno("reading %s", a->path);
	hash_put(&a->names, hash_text(name));
	return 0;
}

/* Reads the contents of a long name's member. */
static uint64_t take_name(const struct archive *a, uint64_t at, uint64_t size, char *name)
{
	unsigned char data[ARCHIVE_NAME_MAX + TAR_BLOCK];
	uint64_t unpacked, packed = frame_short(a, at, data, sizeof(data), &unpacked);

	if (!packed)
		return 0;
	if (!size || size > ARCHIVE_NAME_MAX || unpacked != tar_padded(size) || data[size - 1])
		return damaged(a, at, "has a wrong name"), 0;
	memcpy(name, data, size);
	return packed;
}

/* Adds the member whose header is at *at, and moves *at behind it. Returns 1; 0 at the end; -1
 * with a message. */
static int take_member(struct archive *a, uint64_t *at, char *name)
{
	unsigned char block[2 * TAR_BLOCK];
	uint64_t size, packed = frame_short(a, *at, block, sizeof(block), &size);
	struct tar_header header;

	if (!packed)
		return -1;
	if (size < TAR_BLOCK || !tar_parse(block, &header))
		return damaged(a, *at, "has a wrong header");
	*at += packed;
	if (header.is_end)
		return 0;
	if (header.is_name) {
		packed = take_name(a, *at, header.size, name);
		*at += packed;
		return packed ? 1 : -1;
	}
	packed = header.size ? frame_at(a, *at, &size) : 0;
	if (header.size && (!packed || size != tar_padded(header.size)))
		return damaged(a, *at, "has a wrong member");
	if (member_add(a, *name ? name : header.name, *at, packed, header.size))
		return -1;
	*name = '\0';
	*at += packed;
	return 1;
}

static int take_members(struct archive *a)
{
	char name[ARCHIVE_NAME_MAX] = "";
	uint64_t at = 0;
	int ret = 1;

	while (ret > 0)
		ret = at < a->size ? take_member(a, &at, name) :
				     damaged(a, at, "has no end");
	if (ret < 0)
		return ret;
	if (!a->names.used || strcmp(a->list[0].name, ARCHIVE_CAPTURE))
		return damaged(a, 0, "does not begin with a capture");
	return 0;
}

int archive_open(const char *path, int fd, struct archive **archive)
{
	char magic[sizeof(ARCHIVE_MAGIC) - 1];
	struct archive *a;
	struct stat st;
	void *map;

	*archive = NULL;
	if (fstat(fd, &st))
		return err_errno("examining %s", path);
	if (!S_ISREG(st.st_mode) ||
	    pread(fd, magic, sizeof(magic), 0) != sizeof(magic) ||
	    memcmp(magic, ARCHIVE_MAGIC, sizeof(magic)))
		return 0;
	a = calloc(1, sizeof(*a));
	if (!a || !(a->path = strdup(path)))
		goto err;
	map = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED)
		goto err;
	a->map = map;
	a->size = st.st_size;
	if (take_members(a)) {
		archive_close(a);
		return -1;
	}
	*archive = a;
	return 0;
err:
	archive_close(a);
	return err_errno("reading %s", path);
}

void archive_close(struct archive *a)
{
	int saved = errno;

	if (!a)
		return;
	for (size_t i = 0; i < a->names.used; i++)
		free(a->list[i].name);
	free(a->list);
	hash_free(&a->names);
	if (a->map)
		munmap((void *)a->map, a->size);
	free(a->path);
	free(a);
	errno = saved;
}

/* Writes the member's contents, without the padding. */
static int member_unpack(const struct archive *a, const struct member *m, FILE *file, const char *why)
{
	ZSTD_inBuffer in = { a->map + m->at, m->packed, 0 };
	unsigned char *buffer = malloc(ARCHIVE_BUFFER);
	ZSTD_DStream *zstd = ZSTD_createDStream();
	uint64_t left = m->size;
	size_t ret = 1;
	int err = 0;

	if (!buffer || !zstd)
		err = err_fail("out of memory");
	while (!err && ret && left) {
		ZSTD_outBuffer out = { buffer, ARCHIVE_BUFFER, 0 };
		size_t put;

		ret = ZSTD_decompressStream(zstd, &out, &in);
		put = out.pos < left ? out.pos : left;
		if (ZSTD_isError(ret) || (!out.pos && in.pos == in.size))
			err = damaged(a, m->at, "has a damaged member");
		else if (put && !fwrite(buffer, put, 1, file))
			err = temporary_failed(why);
		left -= put;
	}
	if (!err && left)
		err = damaged(a, m->at, "has a short member");
	ZSTD_freeDStream(zstd);
	free(buffer);
	return err;
}

static int member_open(const struct archive *a, const struct member *m)
{
	FILE *file = NULL;
	int fd = -1;
	char *why;

	if (m->size > ARCHIVE_SMALL && m->size / ARCHIVE_RATIO > m->packed)
		return damaged(a, m->at, "has a member that no file packs to");
	if (asprintf(&why, "%s: it is an archive", a->path) < 0)
		return err_fail("out of memory");
	file = temporary_open(why);
	if (file && m->size && member_unpack(a, m, file, why))
		goto out;
	if (file && fflush(file))
		temporary_failed(why);
	else if (file)
		fd = dup(fileno(file));
	if (fd >= 0)
		lseek(fd, 0, SEEK_SET);
out:
	if (file)
		fclose(file);
	free(why);
	return fd;
}

int archive_member(const struct archive *a, const char *name)
{
	hash_for_each(i, &a->names, hash_text(name))
		if (!strcmp(a->list[i].name, name))
			return member_open(a, &a->list[i]);
	return -1;
}
