// SPDX-License-Identifier: GPL-2.0
#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "base/err.h"
#include "base/grow.h"
#include "base/hash.h"
#include "object/kallsyms.h"
#include "stacks/maps.h"

struct mapping {
	uint64_t start, end, pgoff;
	uint32_t file;
};

struct process {
	uint32_t pid;
	uint32_t state;			/* another one after each change */
	struct mapping *list;		/* by start, never overlapping */
	size_t nr, max;
	size_t last;			/* found; of the list, if it is still as long */
	uint32_t dump;			/* its jit-PID.dump, a file; 0: none */
	size_t next;			/* of that, not in memory yet */
};

struct thread {
	uint32_t tid;
	uint32_t forked_of;		/* another thread; 0: none */
	uint32_t state;			/* another one after each change */
	char comm[64];
};

struct kernel_mapping {
	uint64_t start, end;
	char *name;
};

struct file {
	struct maps_file public;
	uint8_t build_id[20];
	size_t id_size;
	bool no_file;			/* its offsets are the addresses */
	bool perfmap_asked;
	struct perfmap *perfmap;
};

struct maps {
	const struct perfdata_info *info;
	struct process *processes;
	size_t nr_processes, max_processes;
	struct hash process_index;
	struct thread *threads;
	size_t nr_threads, max_threads;
	struct hash thread_index;
	struct file *files;
	size_t nr_files, max_files;
	uint32_t nr_states;		/* that processes and threads had */
	size_t last_process, last_thread;	/* found; as in the indexes */
	struct kernel_mapping *kernel_maps;
	size_t nr_kernel_maps, max_kernel_maps;
	struct maps_kernel kernel;
};

/* Room for one element more in *list, which holds nr of `each` bytes. */
static int grow(void *list, size_t nr, size_t *max, size_t each)
{
	return room_for(list, nr + 1, max, each) ?
	       err_errno("following the mappings") : 0;
}

static uint64_t process_hash(const void *ctx, size_t i)
{
	return hash_u64(((const struct maps *)ctx)->processes[i].pid);
}

static uint64_t thread_hash(const void *ctx, size_t i)
{
	return hash_u64(((const struct maps *)ctx)->threads[i].tid);
}

/* create: NULL only when memory is short. */
static struct process *process_find(struct maps *m, uint32_t pid, bool create)
{
	size_t slot;

	/* Most are asked about many times in a row. */
	if (m->last_process && m->processes[m->last_process - 1].pid == pid)
		return &m->processes[m->last_process - 1];
	if (hash_reserve(&m->process_index, process_hash, m))
		return NULL;
	slot = hash_first(&m->process_index, hash_u64(pid));
	for (uint32_t i; (i = m->process_index.slots[slot]);
	     slot = hash_next(&m->process_index, slot))
		if (m->processes[i - 1].pid == pid)
			return &m->processes[(m->last_process = i) - 1];
	if (!create || grow(&m->processes, m->nr_processes, &m->max_processes,
			    sizeof(*m->processes)))
		return NULL;
	m->processes[m->nr_processes] = (struct process){ .pid = pid };
	m->process_index.slots[slot] = ++m->nr_processes;
	m->process_index.used++;
	return &m->processes[m->nr_processes - 1];
}

static struct thread *thread_find(struct maps *m, uint32_t tid, bool create)
{
	size_t slot;

	if (m->last_thread && m->threads[m->last_thread - 1].tid == tid)
		return &m->threads[m->last_thread - 1];
	if (hash_reserve(&m->thread_index, thread_hash, m))
		return NULL;
	slot = hash_first(&m->thread_index, hash_u64(tid));
	for (uint32_t i; (i = m->thread_index.slots[slot]);
	     slot = hash_next(&m->thread_index, slot))
		if (m->threads[i - 1].tid == tid)
			return &m->threads[(m->last_thread = i) - 1];
	if (!create || grow(&m->threads, m->nr_threads, &m->max_threads,
			    sizeof(*m->threads)))
		return NULL;
	m->threads[m->nr_threads] = (struct thread){ .tid = tid };
	m->thread_index.slots[slot] = ++m->nr_threads;
	m->thread_index.used++;
	return &m->threads[m->nr_threads - 1];
}

static bool mapping_has(const struct mapping *map, uint64_t addr)
{
	return addr >= map->start && addr < map->end;
}

/* The first mapping that ends beyond addr. */
static size_t mapping_at(const struct process *p, uint64_t addr)
{
	size_t low = 0, high = p->nr;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (p->list[mid].end <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* What the new mapping covers is gone; what sticks out on either side stays. */
static int mapping_add(struct process *p, struct mapping new)
{
	size_t first = mapping_at(p, new.start), last = first, tail;
	struct mapping keep[3];
	size_t nr_keep = 0;

	while (last < p->nr && p->list[last].start < new.end)
		last++;
	if (first < last && p->list[first].start < new.start) {
		keep[nr_keep] = p->list[first];
		keep[nr_keep++].end = new.start;
	}
	keep[nr_keep++] = new;
	if (first < last && p->list[last - 1].end > new.end) {
		struct mapping *m = &keep[nr_keep++];

		*m = p->list[last - 1];
		m->pgoff += new.end - m->start;
		m->start = new.end;
	}
	while (p->nr + nr_keep > p->max)
		if (grow(&p->list, p->max, &p->max, sizeof(*p->list)))
			return -1;
	tail = p->nr - last;
	memmove(p->list + first + nr_keep, p->list + last,
		tail * sizeof(*p->list));
	memcpy(p->list + first, keep, nr_keep * sizeof(*keep));
	p->nr = first + nr_keep + tail;
	return 0;
}

static const struct perfdata_known_id *known_id(const struct maps *m,
						const char *path, bool kernel)
{
	for (size_t i = 0; m->info && i < m->info->nr_known_ids; i++) {
		const struct perfdata_known_id *id = &m->info->known_ids[i];

		if (kernel ? id->kernel && !strncmp(id->filename, "[kernel", 7) :
		    !strcmp(id->filename, path))
			return id;
	}
	return NULL;
}

/* The vdso is the kernel's, in memory and in no file: ours serves when the
 * capture's has the same build id, or comes from the kernel that runs here. */
static struct object *own_vdso(const struct maps *m, const uint8_t *id,
			       size_t id_size)
{
	const unsigned char *image = (void *)getauxval(AT_SYSINFO_EHDR);
	const void *own;
	struct object *o;
	Elf64_Ehdr ehdr;
	size_t size;

	if (!image || (!id_size && !kernel_is_running(m->kernel.build_id,
						      m->kernel.build_id_size)))
		return NULL;
	memcpy(&ehdr, image, sizeof(ehdr));
	size = ehdr.e_shoff + (size_t)ehdr.e_shnum * ehdr.e_shentsize;
	o = object_from_memory(image, size);
	if (o && id_size && (object_build_id(o, &own) != id_size ||
			     memcmp(own, id, id_size))) {
		object_close(o);
		return NULL;
	}
	return o;
}

/* Memory that belongs to no file, by the names that the kernel gives it. */
static bool is_anonymous(const char *name)
{
	return !strncmp(name, "//anon", 6) || !strcmp(name, "/dev/zero") ||
	       !strncmp(name, "/dev/zero ", 10) ||
	       !strncmp(name, "/anon_hugepage", 14);
}

static bool is_no_file(const char *name)
{
	return is_anonymous(name) || !strncmp(name, "[stack", 6) ||
	       !strcmp(name, "[heap]") || !strncmp(name, "/SYSV", 5);
}

/* As we see it, or as process pid does, in its container, if it is still there; which
 * only the build id can tell. */
static void file_open(const struct maps *m, struct file *f, uint32_t pid)
{
	struct maps_file *public = &f->public;
	enum object_state inside;

	public->state = OBJECT_MISSING;
	if (!strcmp(public->path, "[vdso]")) {
		public->object = own_vdso(m, f->build_id, f->id_size);
		if (public->object)
			public->state = OBJECT_OK;
		return;
	}
	if (f->no_file || *public->path != '/' ||
	    !strncmp(public->path, "/dev/", 5)) {
		public->state = OBJECT_NO_FILE;
		return;
	}
	public->object = object_open(0, public->path, f->build_id, f->id_size,
				     &public->state);
	if (!public->object && f->id_size)
		public->object = object_open(pid, public->path, f->build_id,
					     f->id_size, &inside);
	if (public->object)
		public->state = OBJECT_OK;
	else if (public->state == OBJECT_MISMATCH)
		err_warn("%s is not the file that was recorded (its build id differs): its addresses get no names",
			 public->path);
}

/* The index of the file, opened at its first appearance, by process pid; 0 if memory
 * is short. One that no process had that is still there may be had by this one: places
 * in it are others then, so it is another file. */
static uint32_t file_find(struct maps *m, uint32_t pid, const char *path,
			  const uint8_t *id, size_t id_size, bool no_file)
{
	const struct perfdata_known_id *known;
	struct object *object = NULL;
	enum object_state state;
	size_t missing = 0;
	struct file *f;

	if (!id_size && (known = known_id(m, path, false))) {
		id = known->build_id;
		id_size = known->size;
	}
	for (size_t i = MAPS_FIRST_FILE; i < m->nr_files; i++) {
		f = &m->files[i];
		if (strcmp(f->public.path, path) || f->id_size != id_size ||
		    memcmp(f->build_id, id, id_size))
			continue;
		if (f->public.object || !id_size || no_file || *path != '/')
			return i;
		missing = i;
	}
	if (missing) {
		object = object_open(pid, path, id, id_size, &state);
		if (!object)
			return missing;
	}
	if (grow(&m->files, m->nr_files, &m->max_files, sizeof(*m->files)))
		return MAPS_NOTHING;
	f = &m->files[m->nr_files];
	memset(f, 0, sizeof(*f));
	f->public.path = strdup(path);
	if (!f->public.path) {
		object_close(object);
		return MAPS_NOTHING;
	}
	memcpy(f->build_id, id, id_size);
	f->id_size = id_size;
	f->no_file = no_file;
	f->public.object = object;
	if (!object)
		file_open(m, f, pid);
	return m->nr_files++;
}

/* The map of a jit-PID.dump is only a mark: from now on the dump tells what code there is
 * in memory of no file, which the program may map anew each time that it writes to it.
 * True: the mapping says nothing more. */
static bool take_dump(struct maps *m, struct process *p, uint32_t index, const char *name)
{
	struct maps_file *file = &m->files[index].public;

	if (!jitdump_is_name(name))
		return p->dump && is_anonymous(name);
	if (!file->jitdump && !(file->jitdump = jitdump_open(0, name)))
		file->jitdump = jitdump_open(p->pid, name);
	p->dump = file->jitdump ? index : 0;
	p->next = 0;
	return file->jitdump;
}

void maps_until(struct maps *m, uint32_t pid, uint64_t time)
{
	struct process *p = process_find(m, pid, false);
	const struct jitdump_load *load;

	if (!p || !p->dump)
		return;
	while ((load = jitdump_load(m->files[p->dump].public.jitdump, p->next)) &&
	       load->time <= time) {
		struct mapping map = { load->start, load->end, load->at, p->dump };

		p->next++;
		/* Where memory is short the code has no name. */
		if (load->start < load->end && mapping_add(p, map))
			return;
		p->state = ++m->nr_states;
	}
}

static void kernel_build_id(struct maps *m, const uint8_t *id, size_t size)
{
	memcpy(m->kernel.build_id, id, size);
	m->kernel.build_id_size = size;
}

/* perf writes the kernel's own mapping as "[kernel.kallsyms]_text", with the
 * address of that symbol in pgoff (machine__create_kernel_maps() and
 * perf_event__synthesize_kernel_mmap() in tools/perf/util). */
static int kernel_mapping(struct maps *m, struct mapping map, const char *name)
{
	const char *symbol = strchr(name, ']');
	struct kernel_mapping *k;

	if (!strncmp(name, "[kernel.kallsyms]", 17) && symbol && symbol[1]) {
		m->kernel.known = true;
		m->kernel.address = map.pgoff;
		snprintf(m->kernel.symbol, sizeof(m->kernel.symbol), "%s",
			 symbol + 1);
	}
	if (grow(&m->kernel_maps, m->nr_kernel_maps, &m->max_kernel_maps,
		 sizeof(*m->kernel_maps)))
		return -1;
	k = &m->kernel_maps[m->nr_kernel_maps];
	k->start = map.start;
	k->end = map.end;
	k->name = strdup(name);
	if (!k->name)
		return err_errno("following the mappings");
	if (!strncmp(name, "[kernel.kallsyms]", 17))
		k->name[17] = '\0';
	m->nr_kernel_maps++;
	return 0;
}

struct mmap_record {
	uint32_t pid;
	struct mapping map;
	const char *name;		/* NUL-terminated */
	const uint8_t *id;
	size_t id_size;
	bool data;			/* a mapping without execute rights */
};

/* Layout: PERF_RECORD_MMAP and _MMAP2 in uapi/linux/perf_event.h. */
static int mmap_parse(const struct perfdata_record *r, struct mmap_record *out)
{
	bool mmap2 = r->type == PERF_RECORD_MMAP2;
	size_t name_at = mmap2 ? 72 : 40;
	uint64_t len;

	memset(out, 0, sizeof(*out));
	if (r->body_size <= name_at ||
	    !memchr(r->data + name_at, 0, r->body_size - name_at))
		return err_fail("the mapping at byte %" PRIu64 " of the capture is damaged",
				r->offset);
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
	}
	out->data = r->misc & PERF_RECORD_MISC_MMAP_DATA;
	return 0;
}

static int maps_mmap(struct maps *m, const struct perfdata_record *r)
{
	static const uint8_t none[20];
	struct mmap_record mmap;
	struct process *p;
	char jit[32];

	if (mmap_parse(r, &mmap))
		return -1;
	if (!mmap.id_size)
		mmap.id = none;
	if ((r->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL) {
		if (mmap.id_size && !strncmp(mmap.name, "[kernel.kallsyms]", 17))
			kernel_build_id(m, mmap.id, mmap.id_size);
		return kernel_mapping(m, mmap.map, mmap.name);
	}
	if (mmap.map.start == mmap.map.end || mmap.data)
		return 0;
	p = process_find(m, mmap.pid, true);
	/* Code without a file was made at run time, and is named by what its maker
	 * writes to /tmp/perf-PID.map: perf's convention, and its name for it. */
	snprintf(jit, sizeof(jit), PERFMAP_PATH, mmap.pid);
	mmap.map.file = file_find(m, mmap.pid,
				  is_anonymous(mmap.name) ? jit : mmap.name, mmap.id, mmap.id_size, is_no_file(mmap.name));
	if (!p || !mmap.map.file)
		return err_fail("not enough memory to follow the mappings");
	if (take_dump(m, p, mmap.map.file, mmap.name))
		return 0;
	p->state = ++m->nr_states;
	return mapping_add(p, mmap.map);
}

static int maps_comm_record(struct maps *m, const struct perfdata_record *r)
{
	const char *name = (const char *)r->data + 16;
	struct process *p;
	struct thread *t;

	if (r->body_size <= 16 || !memchr(name, 0, r->body_size - 16))
		return err_fail("the thread name at byte %" PRIu64 " of the capture is damaged",
				r->offset);
	t = thread_find(m, perfdata_u32(r->data + 12), true);
	if (!t)
		return err_fail("not enough memory to follow the threads");
	snprintf(t->comm, sizeof(t->comm), "%s", name);
	t->state = ++m->nr_states;
	if (r->misc & PERF_RECORD_MISC_COMM_EXEC)
		t->forked_of = 0;
	if (r->misc & PERF_RECORD_MISC_COMM_EXEC &&
	    (p = process_find(m, perfdata_u32(r->data + 8), false))) {
		p->nr = 0;
		p->dump = 0;
		p->state = ++m->nr_states;
	}
	return 0;
}

/* A new process starts with its parent's mappings, a new thread with its
 * creator's name. */
static int maps_fork(struct maps *m, const struct perfdata_record *r)
{
	uint32_t pid, ppid, tid, ptid;
	struct process *child, *parent;
	struct thread *t, *creator;

	if (r->body_size < 32)
		return err_fail("the fork at byte %" PRIu64 " of the capture is damaged",
				r->offset);
	pid = perfdata_u32(r->data + 8);
	ppid = perfdata_u32(r->data + 12);
	tid = perfdata_u32(r->data + 16);
	ptid = perfdata_u32(r->data + 20);
	t = thread_find(m, tid, true);
	creator = thread_find(m, ptid, false);
	if (!t)
		return err_fail("not enough memory to follow the threads");
	if (creator && creator != t)
		memcpy(t->comm, creator->comm, sizeof(t->comm));
	t->state = ++m->nr_states;
	t->forked_of = pid == ppid ? 0 : ptid;
	if (pid == ppid)
		return 0;
	child = process_find(m, pid, true);
	parent = process_find(m, ppid, false);
	if (!child)
		return -1;
	child->nr = 0;
	child->dump = 0;
	child->state = ++m->nr_states;
	while (parent && child->max < parent->nr)
		if (grow(&child->list, child->max, &child->max,
			 sizeof(*child->list)))
			return -1;
	if (parent && parent->nr) {
		memcpy(child->list, parent->list,
		       parent->nr * sizeof(*child->list));
		child->nr = parent->nr;
	}
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
		/* EXIT too: samples taken on the way out come after it. */
		return 0;
	}
}

struct maps *maps_new(const struct perfdata_info *info)
{
	const struct perfdata_known_id *kernel;
	struct maps *m = calloc(1, sizeof(*m));

	if (!m || grow(&m->files, 0, &m->max_files, sizeof(*m->files))) {
		free(m);
		return NULL;
	}
	m->info = info;
	memset(m->files, 0, MAPS_FIRST_FILE * sizeof(*m->files));
	m->files[MAPS_NOTHING].public.state = OBJECT_MISSING;
	m->files[MAPS_KERNEL].public.state = OBJECT_MISSING;
	m->nr_files = MAPS_FIRST_FILE;
	kernel = known_id(m, NULL, true);
	if (kernel)
		kernel_build_id(m, kernel->build_id, kernel->size);
	return m;
}

void maps_free(struct maps *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->nr_processes; i++)
		free(m->processes[i].list);
	for (size_t i = 0; i < m->nr_files; i++) {
		object_close(m->files[i].public.object);
		jitdump_close(m->files[i].public.jitdump);
		perfmap_close(m->files[i].perfmap);
		free(m->files[i].public.path);
	}
	for (size_t i = 0; i < m->nr_kernel_maps; i++)
		free(m->kernel_maps[i].name);
	free(m->processes);
	free(m->threads);
	free(m->files);
	free(m->kernel_maps);
	hash_free(&m->process_index);
	hash_free(&m->thread_index);
	free(m);
}

struct place maps_place(struct maps *m, uint32_t pid, uint64_t addr,
			uint64_t *offset)
{
	struct process *p = process_find(m, pid, false);
	struct place place = { MAPS_NOTHING, addr };
	const struct mapping *map;

	*offset = addr;
	if (!p)
		return place;
	/* Callers are mostly in the file that they call. */
	if (p->last >= p->nr || !mapping_has(&p->list[p->last], addr))
		p->last = mapping_at(p, addr);
	if (p->last == p->nr || !mapping_has(&p->list[p->last], addr))
		return place;
	map = &p->list[p->last];
	place.file = map->file;
	m->files[map->file].public.asked = true;
	if (m->files[map->file].no_file)
		return place;
	place.addr = *offset = addr - map->start + map->pgoff;
	/* An address behind the segment's bytes stays an offset of the file; it
	 * is in no function either way. */
	if (m->files[map->file].public.object)
		object_vaddr(m->files[map->file].public.object, *offset,
			     &place.addr);
	return place;
}

/* A thread that has no name of its own goes by that of its process. NULL: nor has
 * that one. */
static const struct thread *named_thread(struct maps *m, uint32_t pid, uint32_t tid)
{
	const struct thread *t = thread_find(m, tid, false);

	if (!t || !*t->comm)
		t = thread_find(m, pid, false);
	return t && *t->comm ? t : NULL;
}

struct maps_state maps_state(struct maps *m, uint32_t pid, uint32_t tid)
{
	const struct process *p = process_find(m, pid, false);
	const struct thread *t = named_thread(m, pid, tid);

	return (struct maps_state){ p ? p->state : 0, t ? t->state : 0 };
}

const char *maps_comm(struct maps *m, uint32_t pid, uint32_t tid)
{
	const struct thread *t = named_thread(m, pid, tid);

	if (!t) {
		static char unnamed[16];

		/* The idle task has no record of its own. */
		if (!tid)
			return "swapper";
		/* Nobody is -1. */
		snprintf(unnamed, sizeof(unnamed), ":%d", (int)tid);
		return unnamed;
	}
	return t->comm;
}

uint32_t maps_forked_of(struct maps *m, uint32_t tid)
{
	const struct thread *t = thread_find(m, tid, false);

	return t ? t->forked_of : 0;
}

const struct perfmap *maps_perfmap(struct maps *m, uint32_t file)
{
	struct file *f = &m->files[file];
	unsigned int pid;

	if (f->no_file && !f->perfmap_asked &&
	    sscanf(f->public.path, PERFMAP_PATH, &pid) == 1)
		f->perfmap = perfmap_open(pid, f->public.path);
	f->perfmap_asked = true;
	return f->perfmap;
}

const struct maps_file *maps_file(const struct maps *m, uint32_t file)
{
	return &m->files[file].public;
}

size_t maps_nr_files(const struct maps *m)
{
	return m->nr_files;
}

const struct maps_kernel *maps_kernel(const struct maps *m)
{
	return &m->kernel;
}

const char *maps_kernel_name(const struct maps *m, uint64_t addr)
{
	for (size_t i = 0; i < m->nr_kernel_maps; i++)
		if (addr >= m->kernel_maps[i].start &&
		    addr < m->kernel_maps[i].end)
			return m->kernel_maps[i].name;
	return NULL;
}
