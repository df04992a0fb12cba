// SPDX-License-Identifier: GPL-2.0
/* Writes the samples of a text, with the records that a reader needs to find their functions. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/grow.h"
#include "import/capture.h"
#include "perfdata/describe.h"
#include "perfdata/draft.h"

struct task {
	int32_t pid, tid;
	char *comm;			/* that it has so far */
	const struct places_file *file;	/* of a process: of the files that it owns, the one that is mapped */
};

struct capture {
	const struct capture_source *source;
	struct perfdata_writer *writer;
	struct perfdata_draft draft;
	uint64_t addresses[ITEMS_FRAMES_MAX];	/* of the sample's frames, */
	bool in_kernel[ITEMS_FRAMES_MAX];	/* and their modes */
	struct task *tasks;
	struct hash task_index;
	size_t max_tasks;
};

static uint64_t task_hash(int32_t pid, int32_t tid)
{
	return hash_u64((uint64_t)(uint32_t)pid << 32 | (uint32_t)tid);
}

/* Returns NULL, with a message, when memory is short. */
static struct task *task_of(struct capture *c, int32_t pid, int32_t tid)
{
	hash_for_each(i, &c->task_index, task_hash(pid, tid))
		if (c->tasks[i].pid == pid && c->tasks[i].tid == tid)
			return &c->tasks[i];
	if (hash_reserve(&c->task_index) ||
	    room_for(&c->tasks, c->task_index.used + 1, &c->max_tasks, sizeof(*c->tasks))) {
		err_fail("out of memory");
		return NULL;
	}
	c->tasks[c->task_index.used] = (struct task){ .pid = pid, .tid = tid };
	return &c->tasks[hash_put(&c->task_index, task_hash(pid, tid))];
}

/* Ends a record that is no sample: who and when, in the fields of all events. */
static int end_side(struct capture *c, int32_t pid, int32_t tid, uint64_t time)
{
	const struct facts *f = c->source->facts;

	perfdata_draft_u32(&c->draft, pid);
	perfdata_draft_u32(&c->draft, tid);
	if (!f->without_time)
		perfdata_draft_u64(&c->draft, time);
	if (!f->without_cpu)
		perfdata_draft_u64(&c->draft, 0);
	perfdata_draft_u64(&c->draft, f->ids[0]);
	return perfdata_draft_end(&c->draft, c->writer);
}

/* An id of size 0 stands for none. */
static int put_mapping(struct capture *c, const struct text_mapping *m, const struct buildid *id, uint64_t time)
{
	const bool kernel = m->start >= PLACES_KERNEL;
	const uint32_t prot = 5, flags = 2;	/* r-x, MAP_PRIVATE */
	char path[PATH_MAX];

	perfdata_draft_begin(&c->draft, PERF_RECORD_MMAP2, (kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER) |
			     (id->size ? PERF_RECORD_MISC_MMAP_BUILD_ID : 0));
	perfdata_draft_u32(&c->draft, m->pid);
	perfdata_draft_u32(&c->draft, m->pid);
	perfdata_draft_u64(&c->draft, m->start);
	perfdata_draft_u64(&c->draft, m->size);
	perfdata_draft_u64(&c->draft, m->offset);
	/* Without an id, zeros: device, inode and generation. */
	perfdata_draft_u32(&c->draft, id->size);
	perfdata_draft_put(&c->draft, id->bytes, BUILDID_MAX);
	perfdata_draft_u32(&c->draft, prot);
	perfdata_draft_u32(&c->draft, flags);
	/* Readers look for no file whose path does not begin so. */
	if (!kernel && *m->path != '/' && strcmp(m->path, "[vdso]"))
		snprintf(path, sizeof(path), "/%s", m->path);
	else
		snprintf(path, sizeof(path), "%s", m->path);
	perfdata_draft_text(&c->draft, path);
	return end_side(c, m->pid, m->pid, time);
}

static int put_kernel(struct capture *c)
{
	const struct places *p = c->source->places;

	for (size_t i = 0; i < p->file_index.used; i++) {
		const struct places_file *file = &p->files[i];
		const struct text_mapping mapping = {
			.pid = -1, .start = file->code.address, .size = file->code.end - file->code.begin,
			.offset = file->code.address, .path = file->path };

		if (file->kernel && mapping.size && put_mapping(c, &mapping, &file->id, 0))
			return -1;
	}
	return 0;
}

/* Whether frame i is the kernel's. An unknown caller of user code is a value on the stack: any number. */
static bool is_kernels(const struct capture *c, size_t i, const struct places_spot *spot)
{
	if (spot->file)
		return spot->file->kernel;
	return spot->address >= PLACES_KERNEL && (!i || c->in_kernel[i - 1]);
}

/* Whether the file is mapped; it is from now on. The program that a process runs may have changed, and with it what is at
 * an address: of the files that it owns, it has one at a time. */
static bool is_mapped(struct capture *c, int32_t pid, const struct places_spot *spot)
{
	struct task *task = spot->mapped ? NULL : task_of(c, pid, pid);
	const bool mapped = spot->mapped ? *spot->mapped : task && task->file == spot->file;

	if (spot->mapped)
		*spot->mapped = true;
	else if (task)
		task->file = spot->file;
	return mapped;
}

/* Finds the address of frame i, and maps its file if the text does not. */
static int find(struct capture *c, const struct item *item, size_t i)
{
	const struct text_head *head = &item->head;
	struct text_mapping mapping = { .pid = head->pid };
	struct places_spot spot;

	if (places_find(c->source->places, item, i, &spot))
		return -1;
	c->addresses[i] = spot.address;
	c->in_kernel[i] = is_kernels(c, i, &spot);
	if (!spot.file || !spot.range || is_mapped(c, head->pid, &spot))
		return 0;
	mapping.start = spot.range->address;
	mapping.size = spot.range->end - spot.range->begin;
	mapping.offset = spot.offset;
	mapping.path = spot.file->path;
	/* A text may not be in order of time. */
	return put_mapping(c, &mapping, &spot.file->id, spot.mapped ? c->source->facts->first : head->time);
}

static int take_mapping(struct capture *c, const struct item *item)
{
	static const struct buildid none;

	/* Of code made at run time the frames say where it is, and by which name. */
	if (places_is_made(item->mapping.path))
		return 0;
	return places_map(c->source->places, &item->mapping) || put_mapping(c, &item->mapping, &none, item->head.time) ? -1 : 0;
}

/* Names the thread if its name has changed; only_first: or has none. */
static int name_task(struct capture *c, int32_t pid, int32_t tid, const struct text_head *head, bool only_first)
{
	struct task *task = task_of(c, pid, tid);
	const uint64_t time = task && task->comm ? head->time : c->source->facts->first;

	if (!task)
		return -1;
	if (task->comm && (only_first || !strcmp(task->comm, head->comm)))
		return 0;
	free(task->comm);
	task->comm = strdup(head->comm);
	if (!task->comm)
		return err_fail("out of memory");
	perfdata_draft_begin(&c->draft, PERF_RECORD_COMM, 0);
	perfdata_draft_u32(&c->draft, pid);
	perfdata_draft_u32(&c->draft, tid);
	perfdata_draft_text(&c->draft, head->comm);
	return end_side(c, pid, tid, time);
}

/* Puts the chain, with a mark before the frames of each mode. */
static void put_chain(struct capture *c, const struct item *item)
{
	const size_t at = c->draft.size;
	uint64_t mode = 0, count = 0;

	perfdata_draft_u64(&c->draft, 0);
	for (size_t i = 0; item->is_chain && i < item->nr_frames; i++, count++) {
		const uint64_t want = c->in_kernel[i] ? PERF_CONTEXT_KERNEL : PERF_CONTEXT_USER;

		if (want != mode) {
			perfdata_draft_u64(&c->draft, want);
			count++;
		}
		mode = want;
		perfdata_draft_u64(&c->draft, c->addresses[i]);
	}
	memcpy(c->draft.bytes + at, &count, sizeof(count));
}

/* The fields in the order of perf_event_open(2). */
static int put_sample(struct capture *c, const struct item *item)
{
	const struct facts *f = c->source->facts;
	const int event = facts_event(f, item->head.event);
	const uint64_t fields = f->events[event].attr.sample_type, ip = item->nr_frames ? c->addresses[0] : 0;

	perfdata_draft_begin(&c->draft, PERF_RECORD_SAMPLE, item->nr_frames && c->in_kernel[0] ? PERF_RECORD_MISC_KERNEL :
											      PERF_RECORD_MISC_USER);
	perfdata_draft_u64(&c->draft, f->ids[event]);
	perfdata_draft_u64(&c->draft, ip);
	perfdata_draft_u32(&c->draft, item->head.pid);
	perfdata_draft_u32(&c->draft, item->head.tid);
	if (fields & PERF_SAMPLE_TIME)
		perfdata_draft_u64(&c->draft, item->head.time);
	if (fields & PERF_SAMPLE_CPU)
		perfdata_draft_u64(&c->draft, item->head.cpu);
	perfdata_draft_u64(&c->draft, item->head.period);
	if (fields & PERF_SAMPLE_CALLCHAIN)
		put_chain(c, item);
	if (fields & PERF_SAMPLE_BRANCH_STACK) {
		perfdata_draft_u64(&c->draft, item->nr_branches);
		perfdata_draft_put(&c->draft, item->branches, item->nr_branches * sizeof(*item->branches));
	}
	return perfdata_draft_end(&c->draft, c->writer);
}

static int take_sample(struct capture *c, const struct item *item)
{
	const struct text_head *head = &item->head;

	if (name_task(c, head->pid, head->tid, head, false) || name_task(c, head->pid, head->pid, head, true))
		return -1;
	for (size_t i = 0; i < item->nr_frames; i++)
		if (find(c, item, i))
			return -1;
	return put_sample(c, item);
}

static int take_loss(struct capture *c, const struct item *item)
{
	perfdata_draft_begin(&c->draft, PERF_RECORD_LOST, 0);
	perfdata_draft_u64(&c->draft, c->source->facts->ids[0]);
	perfdata_draft_u64(&c->draft, item->lost);
	return end_side(c, item->head.pid, item->head.tid, item->head.time);
}

static int take_items(struct capture *c)
{
	int (*const take[])(struct capture *, const struct item *) = {
		[ITEMS_SAMPLE] = take_sample, [ITEMS_MAPPING] = take_mapping, [ITEMS_LOST] = take_loss };
	struct item *item = c->source->item;
	int ret;

	while ((ret = items_next(c->source->items, item)) > 0)
		if (take[item->kind](c, item))
			return -1;
	return ret;
}

static int describe(struct capture *c)
{
	const struct facts *f = c->source->facts;
	struct perfdata_info info = { .version = (char *)"perf script" };
	struct buildid_table ids = { .nr = 0 };
	struct perfdata_description d = {
		.events = f->events, .nr_events = f->nr_events, .first = f->first, .last = f->last,
		.nr_cpus = f->without_cpu ? 0 : f->nr_cpus, .buildids = &ids, .history = f->nr_branches > 0 };
	int err = 0;

	if (c->source->kernel.size)
		err = buildid_table_add(&ids, &c->source->kernel, PERF_RECORD_MISC_KERNEL, "[kernel.kallsyms]");
	if (!err)
		err = perfdata_describe_again(c->writer, &d, &info);
	buildid_table_free(&ids);
	return err;
}

int capture_write(const struct capture_source *source, const char *path)
{
	struct capture *c = calloc(1, sizeof(*c));
	int err = -1;

	if (!c)
		return err_fail("out of memory");
	c->source = source;
	c->writer = perfdata_write_open(path, source->facts->events, source->facts->nr_events);
	if (c->writer) {
		err = describe(c) || put_kernel(c) || take_items(c) ? -1 : 0;
		if (err)
			perfdata_write_abort(c->writer);
		else
			err = perfdata_write_finish(c->writer) < 0 ? -1 : 0;
	}
	for (size_t i = 0; i < c->task_index.used; i++)
		free(c->tasks[i].comm);
	free(c->tasks);
	hash_free(&c->task_index);
	free(c);
	return err;
}
