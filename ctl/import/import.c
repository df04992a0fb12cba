// SPDX-License-Identifier: GPL-2.0
/* Imports a text: it is read once for what it names, and once for its samples. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "import/capture.h"
#include "import/image.h"
#include "import/import.h"

struct import {
	const char *text;		/* its name in messages */
	struct items *items;
	struct item *item;
	struct facts facts;
	struct places places;
	char *kernel;			/* names of its functions */
	size_t kernel_size;
	struct buildid kernel_id;	/* made of them */
	size_t nr_files;		/* that have names */
};

static int learn(struct import *m)
{
	uint64_t first, strange;
	int ret;

	while ((ret = items_next(m->items, m->item)) > 0)
		if ((m->item->kind == ITEMS_SAMPLE &&
		     (facts_learn(&m->facts, m->item) || places_learn(&m->places, m->item))) ||
		    (m->item->kind == ITEMS_MAPPING && places_map(&m->places, &m->item->mapping)))
			return -1;
	if (ret)
		return -1;
	strange = items_strange(m->items, &first);
	if (!m->facts.nr_samples)
		return err_fail("%s: no sample in it%s: give the output of 'perf script', with the fields comm,tid,event,ip,sym,dso "
				"at least", m->text, strange ? ", and lines that it has not" : "");
	if (strange)
		err_warn("%s: line %" PRIu64 "%s left out: not understood", m->text, first,
			 strange > 1 ? " and others are" : " is");
	facts_settle(&m->facts);
	return places_settle(&m->places);
}

static int make_kernel(struct import *m)
{
	m->kernel = image_kernel(&m->places, &m->kernel_size);
	if (!m->kernel)
		return -1;
	if (m->kernel_size)
		m->kernel_id = places_id(hash_text(m->kernel));
	return 0;
}

static int write_names(struct import *m, struct archive_writer *archive)
{
	char name[ARCHIVE_NAME_MAX];

	for (size_t i = 0; i < m->places.file_index.used; i++) {
		struct places_file *file = &m->places.files[i];

		if (file->kernel || file->related || (!file->names.index.used && !file->inlined.index.used))
			continue;
		if (image_write(archive, file))
			return -1;
		m->nr_files++;
	}
	if (!m->kernel_size)
		return 0;
	m->nr_files++;
	archive_name_id(name, m->kernel_id.bytes, m->kernel_id.size, ARCHIVE_KALLSYMS);
	return archive_write(archive, name, m->kernel, m->kernel_size);
}

/* Moves a capture from its file into the archive. */
static int write_capture(struct archive_writer *archive, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), err = -1;
	struct stat status;
	void *map = MAP_FAILED;

	if (fd >= 0 && !fstat(fd, &status))
		map = mmap(NULL, status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED)
		err_errno("reading %s", path);
	else
		err = archive_write(archive, ARCHIVE_CAPTURE, map, status.st_size);
	if (map != MAP_FAILED)
		munmap(map, status.st_size);
	if (fd >= 0)
		close(fd);
	return err;
}

/* Makes the capture in a folder of its own, since its size is known last, and an archive begins with it. */
static int make_capture(struct import *m, struct archive_writer *archive)
{
	const char *place = getenv("TMPDIR");
	char *folder = NULL, *path = NULL;
	int err = -1;

	if (asprintf(&folder, "%s/lbrctl-import-XXXXXX", place && *place ? place : "/var/tmp") < 0)
		return err_fail("out of memory");
	if (!mkdtemp(folder)) {
		err_errno("making a folder in %s for the capture (TMPDIR names another)", place && *place ? place : "/var/tmp");
		free(folder);
		return -1;
	}
	if (asprintf(&path, "%s/" ARCHIVE_CAPTURE, folder) < 0)
		err_fail("out of memory");
	else
		err = items_rewind(m->items) || capture_write(&(struct capture_source){
			m->items, m->item, &m->facts, &m->places, m->kernel_id }, path) ||
		      write_capture(archive, path) ? -1 : 0;
	if (path)
		unlink(path);
	rmdir(folder);
	free(path);
	free(folder);
	return err;
}

static int add_all(void *ctx, struct archive_writer *archive)
{
	struct import *m = ctx;

	return make_kernel(m) || make_capture(m, archive) || write_names(m, archive) ? -1 : 0;
}

static void say(const struct import *m, const char *output)
{
	const struct facts *f = &m->facts;

	fprintf(stderr, "lbrctl: %" PRIu64 " samples of %u event%s, names in %zu file%s, wrote %s\n", f->nr_samples,
		f->nr_events, f->nr_events > 1 ? "s" : "", m->nr_files, m->nr_files == 1 ? "" : "s", output);
	if (f->without_time)
		err_warn("the text has no times (perf script -F +time): threads' names and the order of samples are its own");
	if (f->without_pid)
		err_warn("the text has no process ids (perf script -F +pid): each thread appears as a process");
}

int import_text(const char *text, const char *output)
{
	struct import *m = calloc(1, sizeof(*m));
	int err = -1;

	if (!m)
		return err_fail("out of memory");
	m->text = text;
	m->item = calloc(1, sizeof(*m->item));
	if (!m->item)
		err_fail("out of memory");
	else
		m->items = items_open(text);
	if (m->items)
		err = learn(m) || archive_make(output, add_all, m) ? -1 : 0;
	if (!err)
		say(m, output);
	items_close(m->items);
	facts_free(&m->facts);
	places_free(&m->places);
	free(m->kernel);
	free(m->item);
	free(m);
	return err;
}
