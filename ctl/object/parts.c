// SPDX-License-Identifier: GPL-2.0
/* The files that an object consists of. */
#include <elfutils/libdwelf.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/err.h"
#include "machine/archive.h"
#include "object/load.h"

typedef int (*parts_fn)(void *ctx, const struct object_part *part);

static int parts_file(const struct object *o, int fd, struct object_part *part, parts_fn fn,
		      void *ctx)
{
	struct stat st;
	void *map;
	int ret;

	if (fstat(fd, &st))
		return err_errno("examining %s", o->path);
	if (!st.st_size)
		return 0;
	map = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED)
		return err_errno("mapping %s", o->path);
	part->data = map;
	part->size = st.st_size;
	ret = fn(ctx, part);
	munmap(map, st.st_size);
	return ret;
}

/* The debug file is found by the build id of the file that it belongs to. */
static int parts_debug(const struct object *o, const struct debugfile *file, Elf *of, parts_fn fn,
		       void *ctx)
{
	struct object_part part = { .kind = ARCHIVE_DEBUG };
	ssize_t size = file->fd < 0 ? 0 : dwelf_elf_gnu_build_id(of, &part.id);

	if (size <= 0)
		return 0;
	part.id_size = size;
	return parts_file(o, file->fd, &part, fn, ctx);
}

int object_parts(struct object *o, parts_fn fn, void *ctx)
{
	struct object_part part = { .kind = ARCHIVE_ELF };
	int ret;

	part.id_size = object_build_id(o, &part.id);
	if (o->image) {
		part.kind = ARCHIVE_VDSO;
		part.data = o->image;
		part.size = o->image_size;
		return fn(ctx, &part);
	}
	/* Each of the two looks for the separate debug file if it needs that. */
	object_load_symbols(o);
	if (!o->dwarf_tried)
		object_load_dwarf(o);
	ret = parts_file(o, o->fd, &part, fn, ctx);
	if (!ret)
		ret = parts_debug(o, &o->separate, o->elf, fn, ctx);
	if (!ret)
		ret = parts_debug(o, &o->supplement, o->supplement.elf, fn, ctx);
	return ret;
}
