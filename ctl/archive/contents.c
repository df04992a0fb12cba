// SPDX-License-Identifier: GPL-2.0
/* What an archive contains. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "archive/contents.h"
#include "base/err.h"
#include "base/grow.h"
#include "machine/machine.h"
#include "object/kallsyms.h"
#include "profile/samples.h"

#define CONTENTS_KERNEL	(1ULL << 63)	/* addresses from here on are the kernel's */
#define CONTENTS_NAMED	3		/* missing files that a warning names */

struct contents {
	struct archive_writer *writer;
	const struct maps *maps;
	uint32_t file;			/* whose parts are written */
	size_t missing;
};

/* Writes all that a stream has, under this name, and closes it. */
static int write_stream(struct contents *c, const char *name, FILE *in)
{
	size_t room = 0, size = 0, got;
	char *data = NULL;
	int err = 0;

	do {
		err = room_for(&data, size + (1 << 16), &room, 1);
		got = err ? 0 : fread(data + size, 1, room - size, in);
		size += got;
	} while (got);
	if (err || ferror(in))
		err = err_errno("reading %s", name);
	fclose(in);
	if (!err)
		err = archive_write(c->writer, name, data, size);
	free(data);
	return err;
}

static int write_part(void *ctx, const struct object_part *part)
{
	struct contents *c = ctx;
	char name[ARCHIVE_NAME_MAX];
	const uint8_t *id;

	/* A capture may name a file by its path alone. */
	if (!strcmp(part->kind, ARCHIVE_ELF) && !maps_build_id(c->maps, c->file, &id))
		archive_name_path(name, maps_file(c->maps, c->file)->path);
	else if (part->id_size)
		archive_name_id(name, part->id, part->id_size, part->kind);
	else
		return 0;
	return archive_write(c->writer, name, part->data, part->size);
}

static void note_missing(struct contents *c, const struct maps_file *file)
{
	if (file->state == OBJECT_NO_FILE || *file->path != '/')
		return;
	if (c->missing++ < CONTENTS_NAMED)
		err_warn("%s is not in the archive: %s", file->path,
			 file->state == OBJECT_MISMATCH ? "the file here is not the recorded one" :
							  "not found, or no ELF file");
}

/* Code that a program made at run time: its names are in a file that it wrote. */
static int write_made(struct contents *c, const struct maps_file *file)
{
	const struct machine *machine = maps_machine(c->maps);
	char name[ARCHIVE_NAME_MAX];
	FILE *in = NULL;
	unsigned int pid;

	if (file->jitdump && !(in = machine_own_stream(machine, 0, file->path, file->writer)))
		in = machine_own_stream(machine, file->writer, file->path, file->writer);
	else if (!file->jitdump && file->asked && sscanf(file->path, PERFMAP_PATH, &pid) == 1)
		in = perfmap_file(machine, pid, file->path);
	archive_name_path(name, file->path);
	return in ? write_stream(c, name, in) : 0;
}

static int write_file(struct contents *c)
{
	const struct maps_file *file = maps_file(c->maps, c->file);

	if (!file->object && (file->jitdump || file->state == OBJECT_NO_FILE))
		return write_made(c, file);
	if (!file->asked)
		return 0;
	if (file->object)
		return object_parts(file->object, write_part, c);
	note_missing(c, file);
	return 0;
}

static int write_kernel(struct contents *c)
{
	const struct maps_kernel *kernel = maps_kernel(c->maps);
	const struct machine *machine = maps_machine(c->maps);
	char name[ARCHIVE_NAME_MAX];
	struct kernel *names;
	const char *why = "the capture comes from another kernel than the running one";
	FILE *in = NULL;

	if (!kernel_is_here(machine, kernel->build_id, kernel->build_id_size) ||
	    !(names = kernel_open(machine, kernel->build_id, kernel->build_id_size,
				      NULL, 0, &why))) {
		err_warn("the names of the kernel's functions are not in the archive: %s", why);
		return 0;
	}
	kernel_close(names);
	in = kernel_file(machine, kernel->build_id, kernel->build_id_size);
	archive_name_id(name, kernel->build_id, kernel->build_id_size, ARCHIVE_KALLSYMS);
	return in ? write_stream(c, name, in) : err_errno("reading the kernel's symbols");
}

/* Looks up the files of all samples. *kernel: some are in the kernel. */
static int read_samples(struct samples *samples, bool *kernel)
{
	struct recorded_sample s;
	int ret;

	*kernel = false;
	while ((ret = samples_take(samples, &s)) > 0) {
		*kernel |= s.raw.ip >= CONTENTS_KERNEL;
		if (samples_place(samples, &s))
			return -1;
	}
	return ret;
}

static int write_all(struct contents *c, bool kernel)
{
	for (c->file = MAPS_FIRST_FILE; c->file < maps_nr_files(c->maps); c->file++)
		if (write_file(c))
			return -1;
	if (c->missing > CONTENTS_NAMED)
		err_warn("%zu more files are not in the archive", c->missing - CONTENTS_NAMED);
	return kernel ? write_kernel(c) : 0;
}

int contents_write(struct archive_writer *writer, const char *path)
{
	struct samples *samples = samples_open(path);
	struct contents c = { .writer = writer };
	const unsigned char *capture;
	uint64_t size;
	bool kernel;
	int err;

	if (!samples)
		return -1;
	c.maps = samples_maps(samples);
	capture = samples_contents(samples, &size);
	err = capture ? archive_write(writer, ARCHIVE_CAPTURE, capture, size) : -1;
	if (!err)
		err = read_samples(samples, &kernel);
	if (!err)
		err = write_all(&c, kernel);
	samples_close(samples);
	return err;
}
