// SPDX-License-Identifier: GPL-2.0
/* The mapped files of a capture's processes, each opened once. */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/err.h"
#include "base/grow.h"
#include "base/search.h"
#include "machine/machine.h"
#include "object/buildid.h"
#include "object/kallsyms.h"
#include "stacks/maps_files.h"
#include "stacks/maps_live.h"

static int by_name(const void *x, const void *y)
{
	const struct perfdata_known_id *a = *(void *const *)x, *b = *(void *const *)y;
	int order = strcmp(a->filename, b->filename);

	/* The first of several files with the same name is used. */
	return order ? order : a < b ? -1 : a > b;
}

static int known_sort(struct maps_files *m)
{
	size_t nr = m->info ? m->info->nr_known_ids : 0;

	free(m->known);
	m->known = calloc(nr + 1, sizeof(*m->known));
	if (!m->known)
		return -1;
	for (size_t i = 0; i < nr; i++)
		m->known[i] = &m->info->known_ids[i];
	qsort(m->known, nr, sizeof(*m->known), by_name);
	return 0;
}

static const struct perfdata_known_id *known_id(const struct maps_files *m, const char *path)
{
	size_t nr = m->info ? m->info->nr_known_ids : 0;
	size_t at = search_front(nr, i, strcmp(m->known[i]->filename, path) < 0);

	return at < nr && !strcmp(m->known[at]->filename, path) ? m->known[at] : NULL;
}

static const struct perfdata_known_id *known_kernel(const struct perfdata_info *info)
{
	for (size_t i = 0; info && i < info->nr_known_ids; i++)
		if (info->known_ids[i].kernel &&
		    !strncmp(info->known_ids[i].filename, "[kernel", 7))
			return &info->known_ids[i];
	return NULL;
}

static uint64_t key_hash(const char *path, const uint8_t *id, size_t id_size)
{
	uint64_t hash = id_size;

	for (size_t i = 0; i < id_size; i++)
		hash = hash * 31 + id[i];
	for (; *path; path++)
		hash = hash * 31 + (unsigned char)*path;
	return hash_u64(hash);
}

/* The kernel provides the vdso in memory, not in a file: that of lbrctl is used if it has the
 * same build id, or if the capture comes from the running kernel. */
static struct object *own_vdso(const struct maps_files *m, const uint8_t *id,
			       size_t id_size)
{
	const unsigned char *image = (void *)getauxval(AT_SYSINFO_EHDR);
	const void *own;
	struct object *o;
	size_t size, own_size;
	Elf64_Ehdr ehdr;

	if (!image || (!id_size && !kernel_is_running(m->machine, m->kernel.build_id,
						      m->kernel.build_id_size)))
		return NULL;
	memcpy(&ehdr, image, sizeof(ehdr));
	size = ehdr.e_shoff + (size_t)ehdr.e_shnum * ehdr.e_shentsize;
	o = object_from_memory(image, size);
	own_size = o ? object_build_id(o, &own) : 0;
	if (o && id_size && !buildid_same(own, own_size, id, id_size)) {
		object_close(o);
		return NULL;
	}
	return o;
}

bool maps_files_is_anonymous(const char *name)
{
	return !strncmp(name, "//anon", 6) || !strcmp(name, "/dev/zero") ||
	       !strncmp(name, "/dev/zero ", 10) ||
	       !strncmp(name, "/anon_hugepage", 14);
}

bool maps_files_is_no_file(const char *name)
{
	return maps_files_is_anonymous(name) || !strncmp(name, "[stack", 6) ||
	       !strcmp(name, "[heap]") || !strncmp(name, "/SYSV", 5);
}

/* Whether this is the mapped file, and not one that took its place. Without a build id its inode
 * says so, if the record has the number that stat() gives to its device (overlayfs and btrfs have two
 * of them), and the time of its last writing: before it was mapped, but for a second by which the
 * clocks may have parted. */
static bool is_mapped(const struct maps_files *m, const struct object *object,
		      const struct maps_mapped *mapped)
{
	const struct stat *status = object_status(object);

	if (mapped->id_size || machine_is_other(m->machine))
		return true;
	if (mapped->inode && status->st_dev == makedev(mapped->major, mapped->minor) &&
	    status->st_ino != mapped->inode)
		return false;
	return !mapped->wall || mapped->wall / 1000000000 + 1 >= (uint64_t)status->st_mtim.tv_sec;
}

/* Opens an existing file as lbrctl sees it, or as the process sees it in its container, if the
 * process still exists; the build id decides between them. */
static struct object *path_open(const struct maps_files *m, const struct maps_mapped *mapped,
				enum object_state *state)
{
	struct object *object = object_open(m->machine, 0, mapped->path, mapped->id, mapped->id_size,
					    state);
	enum object_state inside;

	if (object && !is_mapped(m, object, mapped)) {
		object_close(object);
		object = NULL;
		*state = OBJECT_MISMATCH;
	}
	if (!object && mapped->id_size)
		object = object_open(m->machine, mapped->pid, mapped->path, mapped->id,
				     mapped->id_size, &inside);
	return object;
}

/* A capture without build ids, and without the time of day, says nothing more of its files than their names. A
 * file that was written after it may have been copied here, too. */
static void warn_written_since(const struct maps_files *m, const struct maps_file *file,
			       const struct maps_mapped *mapped)
{
	if (!mapped->id_size && !mapped->wall && !machine_is_other(m->machine) && m->info && m->info->written &&
	    object_status(file->object)->st_mtim.tv_sec > m->info->written + 1)
		err_warn("%s was written after the capture, which has no build id of it: its names are wrong if it was built anew",
			 file->path);
}

static void file_open(const struct maps_files *m, struct maps_files_entry *f,
		      const struct maps_mapped *mapped)
{
	struct maps_file *public = &f->public;

	public->state = OBJECT_MISSING;
	if (!strcmp(public->path, "[vdso]")) {
		public->object = own_vdso(m, f->build_id, f->id_size);
		if (!public->object && machine_is_other(m->machine))
			public->object = object_open(m->machine, 0, public->path, f->build_id,
						     f->id_size, &public->state);
		if (public->object)
			public->state = OBJECT_OK;
		return;
	}
	if (f->no_file || *public->path != '/' ||
	    !strncmp(public->path, "/dev/", 5)) {
		public->state = OBJECT_NO_FILE;
		return;
	}
	public->object = m->live ? maps_live_open(mapped, &public->state) :
				   path_open(m, mapped, &public->state);
	if (public->object)
		public->state = OBJECT_OK;
	if (public->object && !m->live)
		warn_written_since(m, public, mapped);
	else if (public->state == OBJECT_MISMATCH && !m->live)
		err_warn("%s is not the recorded file (%s): its functions have no names", public->path,
			 mapped->id_size ? "its build id differs" :
					   "it was replaced or written since");
}

/* Whether the entry stands for the mapped file. */
static bool same_file(const struct maps_files_entry *f, const struct maps_mapped *mapped,
		      uint64_t inode)
{
	return !f->outdated && !strcmp(f->public.path, mapped->path) && f->id_size == mapped->id_size &&
	       !memcmp(f->build_id, mapped->id, mapped->id_size) && f->inode == inode;
}

/* While programs run, a file with a name can be replaced. */
static uint64_t inode_of(const struct maps_files *m, const struct maps_mapped *mapped)
{
	return m->live && !mapped->id_size && !mapped->no_file ? mapped->inode : 0;
}

static uint32_t file_add(struct maps_files *m, const struct maps_mapped *mapped,
			 struct object *object)
{
	struct maps_files_entry *f;

	if (room_for(&m->list, m->nr + 1, &m->max, sizeof(*m->list)))
		return MAPS_NOTHING;
	f = &m->list[m->nr];
	memset(f, 0, sizeof(*f));
	f->public.path = strdup(mapped->path);
	if (!f->public.path) {
		object_close(object);
		return MAPS_NOTHING;
	}
	memcpy(f->build_id, mapped->id, mapped->id_size);
	f->id_size = mapped->id_size;
	f->inode = inode_of(m, mapped);
	f->no_file = mapped->no_file;
	f->public.object = object;
	if (!object)
		file_open(m, f, mapped);
	hash_put(&m->index, key_hash(mapped->path, mapped->id, mapped->id_size));
	return m->nr++;
}

uint32_t maps_files_find(struct maps_files *m, const struct maps_mapped *said)
{
	struct maps_mapped mapped = *said;
	const struct perfdata_known_id *known;
	struct object *object = NULL;
	enum object_state state;
	size_t missing = 0;

	if (!mapped.id_size && (known = known_id(m, mapped.path))) {
		mapped.id = known->build_id;
		mapped.id_size = known->size;
	}
	if (hash_reserve(&m->index))
		return MAPS_NOTHING;
	hash_for_each(i, &m->index, key_hash(mapped.path, mapped.id, mapped.id_size)) {
		const struct maps_files_entry *f = &m->list[MAPS_FIRST_FILE + i];

		if (!same_file(f, &mapped, inode_of(m, &mapped)))
			continue;
		if (f->public.object || !mapped.id_size || mapped.no_file || *mapped.path != '/')
			return MAPS_FIRST_FILE + i;
		missing = MAPS_FIRST_FILE + i;
	}
	if (missing) {
		object = m->live ? maps_live_open(&mapped, &state) :
			 object_open(m->machine, mapped.pid, mapped.path, mapped.id,
				     mapped.id_size, &state);
		if (!object)
			return missing;
	}
	return file_add(m, &mapped, object);
}

const struct perfmap *maps_files_perfmap(struct maps_files *m, uint32_t file)
{
	struct maps_files_entry *f = &m->list[file];
	unsigned int pid;

	if (f->no_file && !f->perfmap_asked &&
	    sscanf(f->public.path, PERFMAP_PATH, &pid) == 1)
		f->perfmap = perfmap_open(m->machine, pid, f->public.path);
	f->perfmap_asked = true;
	return f->perfmap;
}

void maps_files_kernel_id(struct maps_files *m, const uint8_t *id, size_t size)
{
	memcpy(m->kernel.build_id, id, size);
	m->kernel.build_id_size = size;
}

/* Whether a later capture may know more, or something else, of the file: a program goes on to
 * describe the code that it makes, and only a build id proves that a file is still the same. */
static bool is_outdated(const struct maps_files_entry *f)
{
	return f->perfmap_asked || f->public.jitdump ||
	       (f->public.object && !f->id_size && !object_is_current(f->public.object));
}

int maps_files_begin(struct maps_files *m, const struct perfdata_info *info)
{
	const struct perfdata_known_id *kernel = known_kernel(info);

	m->info = info;
	m->machine = info ? info->machine : NULL;
	m->kernel = (struct maps_kernel){ 0 };
	if (kernel)
		maps_files_kernel_id(m, kernel->build_id, kernel->size);
	for (size_t i = MAPS_FIRST_FILE; i < m->nr; i++) {
		struct maps_files_entry *f = &m->list[i];

		f->public.asked = false;
		f->outdated = f->outdated || is_outdated(f);
		if (!f->outdated)
			continue;
		jitdump_close(f->public.jitdump);
		perfmap_close(f->perfmap);
		f->public.jitdump = NULL;
		f->perfmap = NULL;
	}
	return known_sort(m);
}

int maps_files_init(struct maps_files *m, const struct perfdata_info *info)
{
	if (room_for(&m->list, MAPS_FIRST_FILE, &m->max, sizeof(*m->list)))
		return -1;
	m->list[MAPS_NOTHING].public.state = OBJECT_MISSING;
	m->list[MAPS_KERNEL].public.state = OBJECT_MISSING;
	m->nr = MAPS_FIRST_FILE;
	return maps_files_begin(m, info);
}

void maps_files_free(struct maps_files *m)
{
	for (size_t i = 0; i < m->nr; i++) {
		object_close(m->list[i].public.object);
		jitdump_close(m->list[i].public.jitdump);
		perfmap_close(m->list[i].perfmap);
		free(m->list[i].public.path);
	}
	free(m->list);
	free(m->known);
	hash_free(&m->index);
}
