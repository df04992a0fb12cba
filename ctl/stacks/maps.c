// SPDX-License-Identifier: GPL-2.0
/* Follows the side records of a capture, and finds the place of an address. */
#include <asm/mman.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/grow.h"
#include "base/text.h"
#include "stacks/maps.h"
#include "stacks/maps_files.h"
#include "stacks/maps_tasks.h"

struct maps {
	struct maps_tasks tasks;
	struct maps_files files;
	struct mappings *kernel_maps;	/* file: index of the name */
	char **kernel_names;
	size_t nr_kernel_names, max_kernel_names;
	bool left_out;			/* a record; said once */
};

/* One record that cannot be read does not take the samples with it. Returns 0. */
static int leave_out(struct maps *m, const struct perfdata_record *r, const char *what)
{
	if (!m->left_out)
		err_warn("the %s at byte %" PRIu64 " of the capture cannot be read: it is left out, and so are "
			 "others like it", what, r->offset);
	m->left_out = true;
	return 0;
}

/* The mapping of a jit-PID.dump is only a mark: from now on the dump describes the code in
 * anonymous memory, which the program may map again each time that it writes to it. Returns
 * true if the mapping needs no other handling. */
static bool take_dump(struct maps *m, struct maps_process *p, uint32_t index, const char *name)
{
	struct maps_file *file = &m->files.list[index].public;
	const struct machine *machine = m->files.machine;

	if (m->files.live || !jitdump_is_name(name))
		return p->dump && maps_files_is_anonymous(name);
	if (!file->jitdump && !(file->jitdump = jitdump_open(machine, 0, name, p->pid)))
		file->jitdump = jitdump_open(machine, p->pid, name, p->pid);
	file->writer = p->pid;
	p->dump = file->jitdump ? index : 0;
	p->next = 0;
	return file->jitdump;
}

void maps_until(struct maps *m, uint32_t pid, uint64_t time)
{
	struct maps_process *p = maps_process_find(&m->tasks, pid, false);
	const struct jitdump_load *load;

	if (!p || !p->dump)
		return;
	while ((load = jitdump_load(m->files.list[p->dump].public.jitdump, p->next)) &&
	       load->time <= time) {
		struct mapping map = { load->start, load->end, load->at, p->dump };

		p->next++;
		if (load->start < load->end && maps_process_map(p, map)) {
			/* This code has no name, and the result is not called complete. */
			err_short_of_memory();
			return;
		}
		p->state = ++m->tasks.nr_states;
	}
}

/* perf writes the kernel's own mapping as "[kernel.kallsyms]_text", with the
 * address of that symbol in pgoff (machine__create_kernel_maps() and
 * perf_event__synthesize_kernel_mmap() in tools/perf/util). */
static int kernel_mapping(struct maps *m, struct mapping map, const char *name)
{
	const char *symbol = strchr(name, ']');
	char *kept;

	if (!strncmp(name, "[kernel.kallsyms]", 17) && symbol && symbol[1]) {
		m->files.kernel.known = true;
		m->files.kernel.address = map.pgoff;
		snprintf(m->files.kernel.symbol, sizeof(m->files.kernel.symbol), "%s",
			 symbol + 1);
	}
	if (map.start >= map.end)
		return 0;
	if (room_for(&m->kernel_names, m->nr_kernel_names + 1, &m->max_kernel_names,
		     sizeof(*m->kernel_names)) || !(kept = strdup(name)))
		return err_errno("following the mappings");
	if (!strncmp(name, "[kernel.kallsyms]", 17))
		kept[17] = '\0';
	m->files.kernel.mappings = hash_add(hash_add(hash_add(m->files.kernel.mappings, map.start),
						     map.end), hash_text(name));
	map.file = m->nr_kernel_names;
	m->kernel_names[m->nr_kernel_names++] = kept;
	return mappings_add(&m->kernel_maps, map) ? err_errno("following the mappings") : 0;
}

struct mmap_record {
	uint32_t pid;
	struct mapping map;
	const char *name;		/* NUL-terminated */
	const uint8_t *id;
	size_t id_size;
	uint32_t major, minor;
	uint64_t inode;			/* 0: not recorded */
	bool data;			/* the mapping is not executable */
};

/* Where the name is. The first kernels with MMAP2 (3.10 of RHEL 7) have it in place of prot and flags; no
 * bits of prot are those of a name's beginning. */
static size_t mmap_name_at(const struct perfdata_record *r)
{
	const uint32_t prots = PROT_READ | PROT_WRITE | PROT_EXEC | PROT_SEM | PROT_GROWSDOWN | PROT_GROWSUP;

	if (r->type == PERF_RECORD_MMAP)
		return 40;
	return r->body_size >= 68 && perfdata_u32(r->data + 64) & ~prots ? 64 : 72;
}

/* Layout: PERF_RECORD_MMAP and _MMAP2 in uapi/linux/perf_event.h. */
static bool mmap_parse(const struct perfdata_record *r, struct mmap_record *out)
{
	bool mmap2 = r->type == PERF_RECORD_MMAP2;
	size_t name_at = mmap_name_at(r);
	uint64_t len;

	memset(out, 0, sizeof(*out));
	if (r->body_size <= name_at ||
	    !memchr(r->data + name_at, 0, r->body_size - name_at))
		return false;
	out->pid = perfdata_u32(r->data + 8);
	out->map.start = perfdata_u64(r->data + 16);
	len = perfdata_u64(r->data + 24);
	out->map.pgoff = perfdata_u64(r->data + 32);
	if (__builtin_add_overflow(out->map.start, len, &out->map.end))
		out->map.end = UINT64_MAX;
	out->name = (const char *)r->data + name_at;
	if (mmap2 && r->misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
		out->id_size = r->data[40] <= 20 ? r->data[40] : 0;
		out->id = r->data + 44;
	} else if (mmap2) {
		out->major = perfdata_u32(r->data + 40);
		out->minor = perfdata_u32(r->data + 44);
		out->inode = perfdata_u64(r->data + 48);
	}
	out->data = r->misc & PERF_RECORD_MISC_MMAP_DATA;
	return true;
}

/* The time of day of a record; 0: not known. */
static uint64_t wall_of(const struct perfdata_info *info, uint64_t time)
{
	return info && info->wall_known && time ? info->wall + time : 0;
}

/* Returns the file of a mapping. Code without a file was made at run time, and is named by its
 * maker's /tmp/perf-PID.map: perf's convention, and its name for it. */
static uint32_t mapped_file(struct maps *m, const struct mmap_record *mmap, uint64_t time)
{
	char jit[32];

	snprintf(jit, sizeof(jit), PERFMAP_PATH, mmap->pid);
	return maps_files_find(&m->files, &(struct maps_mapped){
		.pid = mmap->pid,
		.path = maps_files_is_anonymous(mmap->name) ? jit : mmap->name,
		.id = mmap->id, .id_size = mmap->id_size,
		.no_file = maps_files_is_no_file(mmap->name),
		.start = mmap->map.start, .end = mmap->map.end,
		.major = mmap->major, .minor = mmap->minor, .inode = mmap->inode,
		.wall = wall_of(m->files.info, time) });
}

/* Whether memory without a file takes the place of a program's own code: a copy of it, in huge pages. No
 * program can do without that code, so nothing else can be there. */
static bool moves_code(struct maps *m, struct maps_process *p, const struct mmap_record *mmap)
{
	const struct mapping *before = maps_process_at(p, mmap->map.start);
	struct maps_file *file = before ? &m->files.list[before->file].public : NULL;

	if ((!maps_files_is_anonymous(mmap->name) && strncmp(mmap->name, "/memfd:", 7)) ||
	    !file || mmap->map.end > before->end || !file->object || !object_entry(file->object))
		return false;
	return file->moved = true;
}

static int maps_mmap(struct maps *m, const struct perfdata_record *r)
{
	static const uint8_t none[20];
	struct mmap_record mmap;
	struct maps_process *p;

	if (!mmap_parse(r, &mmap))
		return leave_out(m, r, "mapping");
	if (!mmap.id_size)
		mmap.id = none;
	if ((r->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL) {
		if (mmap.id_size && !strncmp(mmap.name, "[kernel.kallsyms]", 17))
			maps_files_kernel_id(&m->files, mmap.id, mmap.id_size);
		return kernel_mapping(m, mmap.map, mmap.name);
	}
	if (mmap.map.start == mmap.map.end || mmap.data)
		return 0;
	p = maps_process_find(&m->tasks, mmap.pid, true);
	if (p && moves_code(m, p, &mmap))
		return 0;
	mmap.map.file = mapped_file(m, &mmap, r->time);
	if (!p || !mmap.map.file)
		return err_fail("not enough memory to follow the mappings");
	if (take_dump(m, p, mmap.map.file, mmap.name))
		return 0;
	p->state = ++m->tasks.nr_states;
	return maps_process_map(p, mmap.map);
}

static int maps_comm_record(struct maps *m, const struct perfdata_record *r)
{
	const char *name = (const char *)r->data + 16;
	struct maps_process *p;
	struct maps_thread *t;

	if (r->body_size <= 16 || !memchr(name, 0, r->body_size - 16))
		return leave_out(m, r, "thread name");
	t = maps_thread_find(&m->tasks, perfdata_u32(r->data + 12), true);
	if (!t)
		return err_fail("not enough memory to follow the threads");
	snprintf(t->comm, sizeof(t->comm), "%s", name);
	text_clean(t->comm);
	t->state = ++m->tasks.nr_states;
	if (r->misc & PERF_RECORD_MISC_COMM_EXEC)
		t->forked_of = 0;
	p = maps_process_find(&m->tasks, perfdata_u32(r->data + 8), false);
	if (!p)
		return 0;
	if (r->misc & PERF_RECORD_MISC_COMM_EXEC)
		maps_process_clear(p);
	/* The name of its first thread is that of the process. */
	if (r->misc & PERF_RECORD_MISC_COMM_EXEC || p->pid == t->tid)
		p->state = ++m->tasks.nr_states;
	return 0;
}

/* A new process starts with its parent's mappings, a new thread with its
 * creator's name. */
static int maps_fork(struct maps *m, const struct perfdata_record *r)
{
	uint32_t pid, ppid, tid, ptid;
	struct maps_process *child, *parent;
	struct maps_thread *t, *creator;

	if (r->body_size < 32)
		return leave_out(m, r, "fork");
	pid = perfdata_u32(r->data + 8);
	ppid = perfdata_u32(r->data + 12);
	tid = perfdata_u32(r->data + 16);
	ptid = perfdata_u32(r->data + 20);
	t = maps_thread_find(&m->tasks, tid, true);
	creator = maps_thread_find(&m->tasks, ptid, false);
	if (!t)
		return err_fail("not enough memory to follow the threads");
	if (creator && creator != t)
		memcpy(t->comm, creator->comm, sizeof(t->comm));
	t->state = ++m->tasks.nr_states;
	t->forked_of = pid == ppid ? 0 : ptid;
	if (pid == ppid)
		return 0;
	child = maps_process_find(&m->tasks, pid, true);
	parent = maps_process_find(&m->tasks, ppid, false);
	if (!child)
		return -1;
	child->state = ++m->tasks.nr_states;
	maps_process_fork(child, parent);
	return 0;
}

int maps_record(struct maps *m, const struct perfdata_record *r)
{
	switch (r->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		return maps_mmap(m, r);
	case PERF_RECORD_COMM:
		return maps_comm_record(m, r);
	case PERF_RECORD_FORK:
		return maps_fork(m, r);
	default:
		/* EXIT has no effect: samples taken during the exit come after it. */
		return 0;
	}
}

struct maps *maps_new(const struct perfdata_info *info)
{
	struct maps *m = calloc(1, sizeof(*m));

	if (m && maps_files_init(&m->files, info)) {
		maps_free(m);
		m = NULL;
	}
	return m;
}

/* Forgets the mappings of the kernel, of processes, and the tasks. */
static void maps_empty(struct maps *m)
{
	maps_tasks_free(&m->tasks);
	m->tasks = (struct maps_tasks){ 0 };
	while (m->nr_kernel_names)
		free(m->kernel_names[--m->nr_kernel_names]);
	mappings_drop(m->kernel_maps);
	m->kernel_maps = NULL;
}

int maps_begin(struct maps *m, const struct perfdata_info *info)
{
	maps_empty(m);
	return maps_files_begin(&m->files, info);
}

struct machine *maps_machine(const struct maps *m)
{
	return m->files.machine;
}

void maps_free(struct maps *m)
{
	if (!m)
		return;
	maps_empty(m);
	maps_files_free(&m->files);
	free(m->kernel_names);
	free(m);
}

void maps_live(struct maps *m)
{
	m->files.live = true;
}

bool maps_is_live(const struct maps *m)
{
	return m->files.live;
}

void maps_forget(struct maps *m, uint32_t pid)
{
	struct maps_process *p = maps_process_find(&m->tasks, pid, false);

	if (!p)
		return;
	maps_process_clear(p);
	p->state = ++m->tasks.nr_states;
}

size_t maps_mapped(struct maps *m, uint32_t pid)
{
	const struct maps_process *p = maps_process_find(&m->tasks, pid, false);

	return p ? p->nr_mapped : 0;
}

struct place maps_place(struct maps *m, uint32_t pid, uint64_t addr,
			uint64_t *offset)
{
	struct maps_process *p = maps_process_find(&m->tasks, pid, false);
	struct place place = { MAPS_NOTHING, addr };
	const struct mapping *map;

	*offset = addr;
	if (!p)
		return place;
	map = maps_process_at(p, addr);
	if (!map)
		return place;
	place.file = map->file;
	m->files.list[map->file].public.asked = true;
	if (m->files.list[map->file].no_file)
		return place;
	place.addr = *offset = addr - map->start + map->pgoff;
	/* An address behind the segment's bytes stays an offset of the file; no function
	 * contains it in either case. */
	if (m->files.list[map->file].public.object)
		object_vaddr(m->files.list[map->file].public.object, *offset,
			     &place.addr);
	return place;
}

bool maps_code_from(struct maps *m, uint32_t pid, uint64_t addr, struct maps_code *code)
{
	struct maps_process *p = maps_process_find(&m->tasks, pid, false);
	const struct mapping *map = p ? mappings_from(p->mappings, addr) : NULL;
	uint64_t offset;

	if (!map)
		return false;
	*code = (struct maps_code){ .start = map->start, .end = map->end };
	code->place = maps_place(m, pid, code->start, &offset);
	return true;
}

struct maps_state maps_state(struct maps *m, uint32_t pid, uint32_t tid)
{
	const struct maps_process *p = maps_process_find(&m->tasks, pid, false);
	const struct maps_thread *t = maps_thread_named(&m->tasks, tid, pid);

	return (struct maps_state){ p ? p->state : 0, t ? t->state : 0 };
}

/* The idle task has no record; records without a task have tid -1. */
static const char *name_by_id(char unnamed[16], uint32_t id)
{
	if (!id)
		return "swapper";
	snprintf(unnamed, 16, ":%d", (int)id);
	return unnamed;
}

const char *maps_comm(struct maps *m, uint32_t pid, uint32_t tid)
{
	const struct maps_thread *t = maps_thread_named(&m->tasks, tid, pid);
	static char unnamed[16];

	return t ? t->comm : name_by_id(unnamed, tid);
}

const char *maps_process_name(struct maps *m, uint32_t pid, uint32_t tid)
{
	const struct maps_thread *t = maps_thread_named(&m->tasks, pid, tid);
	static char unnamed[16];

	return t ? t->comm : name_by_id(unnamed, pid);
}

uint32_t maps_forked_of(struct maps *m, uint32_t tid)
{
	const struct maps_thread *t = maps_thread_find(&m->tasks, tid, false);

	return t ? t->forked_of : 0;
}

const struct perfmap *maps_perfmap(struct maps *m, uint32_t file)
{
	return maps_files_perfmap(&m->files, file);
}

const struct maps_file *maps_file(const struct maps *m, uint32_t file)
{
	return &m->files.list[file].public;
}

bool maps_file_is_missing(const struct maps_file *file)
{
	return file->state == OBJECT_MISSING && file->path && *file->path == '/';
}

size_t maps_build_id(const struct maps *m, uint32_t file, const uint8_t **id)
{
	const struct maps_files_entry *f = &m->files.list[file];

	*id = f->build_id;
	return f->id_size;
}

size_t maps_nr_files(const struct maps *m)
{
	return m->files.nr;
}

const struct maps_kernel *maps_kernel(const struct maps *m)
{
	return &m->files.kernel;
}

const char *maps_kernel_name(const struct maps *m, uint64_t addr)
{
	const struct mapping *map = mappings_at(m->kernel_maps, addr);

	return map ? m->kernel_names[map->file] : NULL;
}

bool maps_kernel_mapping(const struct maps *m, uint64_t addr, struct maps_kernel_mapping *to)
{
	const struct mapping *map = mappings_at(m->kernel_maps, addr);

	if (map)
		*to = (struct maps_kernel_mapping){
			map->start, map->end, map->pgoff, m->kernel_names[map->file] };
	return map;
}
