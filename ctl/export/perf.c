// SPDX-License-Identifier: GPL-2.0
/*
 * perf.data with the stacks of the report as call chains, which all its readers take for what
 * they are: no branch records, registers or bytes of user stacks.
 *
 * A file is at the same address in all processes: at that of its ELF segments, or at a made-up
 * one, where it overlaps no other file. So the frames of different samples, which may come from
 * different processes, need no mapping of their time. A caller's address is one byte behind the
 * beginning of its call, because readers subtract one, and look up functions without that.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/grow.h"
#include "export/format.h"
#include "export/perf_space.h"
#include "perfdata/describe.h"
#include "perfdata/draft.h"

struct perf_task {
	uint32_t pid, tid;
	const char *comm;	/* the name that the file gives it so far */
};

/* A file that a process has mapped so far. */
struct perf_mapped {
	uint32_t pid, file;
};

struct perf_file {
	const struct analysis *first;
	struct perfdata_writer *writer;
	struct perf_space space;
	struct perfdata_event *events;	/* by number of the analysis in the list */
	uint64_t *ids;
	size_t nr_events;
	bool has_cpu;		/* all samples have their CPU */
	struct hash index;	/* of tasks */
	struct perf_task *tasks;
	size_t max_tasks;
	struct hash mapped_index;
	struct perf_mapped *mapped;
	size_t max_mapped;
	bool **placed;		/* by event and trace: its files are mapped */
	struct perfdata_draft record;
};

#define PERF_FIELDS	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | \
			 PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN)

/* The sample_id behind a record that is no sample. */
static int perf_end_side(struct perf_file *f, uint32_t pid, uint32_t tid, uint64_t time,
			 uint64_t id)
{
	perfdata_draft_u32(&f->record, pid);
	perfdata_draft_u32(&f->record, tid);
	perfdata_draft_u64(&f->record, time);
	if (f->has_cpu)
		perfdata_draft_u64(&f->record, 0);
	perfdata_draft_u64(&f->record, id);
	return perfdata_draft_end(&f->record, f->writer);
}

static int perf_comm(struct perf_file *f, uint32_t pid, uint32_t tid, const char *comm,
		     uint64_t time)
{
	perfdata_draft_begin(&f->record, PERF_RECORD_COMM, 0);
	perfdata_draft_u32(&f->record, pid);
	perfdata_draft_u32(&f->record, tid);
	perfdata_draft_text(&f->record, comm);
	return perf_end_side(f, pid, tid, time, f->ids[0]);
}

static int perf_mapping(struct perf_file *f, uint32_t pid, const struct perf_mapping *m,
			uint64_t time)
{
	const struct maps_kernel *kernel = maps_kernel(samples_maps(f->first->samples));
	const uint32_t prot = 5, flags = 2;	/* r-x, MAP_PRIVATE */
	char path[128];

	perfdata_draft_begin(&f->record, PERF_RECORD_MMAP2, m->kernel ? PERF_RECORD_MISC_KERNEL :
		   PERF_RECORD_MISC_USER);
	perfdata_draft_u32(&f->record, pid);
	perfdata_draft_u32(&f->record, m->kernel ? 0 : pid);
	perfdata_draft_u64(&f->record, m->start);
	perfdata_draft_u64(&f->record, m->end - m->start);
	perfdata_draft_u64(&f->record, m->pgoff);
	perfdata_draft_u64(&f->record, 0);		/* device */
	perfdata_draft_u64(&f->record, m->file);	/* inode */
	perfdata_draft_u64(&f->record, 0);		/* its generation */
	perfdata_draft_u32(&f->record, prot);
	perfdata_draft_u32(&f->record, flags);
	/* perf relocates its symbols by the one that this name ends with. */
	if (m->kernel && kernel->known && !strcmp(m->path, "[kernel.kallsyms]")) {
		snprintf(path, sizeof(path), "%s%s", m->path, kernel->symbol);
		perfdata_draft_text(&f->record, path);
	} else {
		perfdata_draft_text(&f->record, m->path);
	}
	return perf_end_side(f, pid, m->kernel ? 0 : pid, time, f->ids[0]);
}

static int perf_kernel(struct perf_file *f)
{
	for (size_t i = 0; i < f->space.nr; i++)
		if (f->space.list[i].kernel && perf_mapping(f, -1, &f->space.list[i], 0))
			return -1;
	return 0;
}

static uint64_t perf_mapped_hash(const struct perf_mapped *m)
{
	return hash_u64((uint64_t)m->pid << 32 | m->file);
}

/* Maps a file, if the process has not got it yet. */
static int perf_map(struct perf_file *f, uint32_t pid, uint32_t file, uint64_t time)
{
	struct perf_mapped new = { pid, file };

	if (hash_reserve(&f->mapped_index))
		return err_fail("out of memory");
	hash_for_each(i, &f->mapped_index, perf_mapped_hash(&new))
		if (f->mapped[i].pid == pid && f->mapped[i].file == file)
			return 0;
	if (room_for(&f->mapped, f->mapped_index.used + 1, &f->max_mapped, sizeof(new)))
		return err_fail("out of memory");
	f->mapped[f->mapped_index.used] = new;
	hash_put(&f->mapped_index, perf_mapped_hash(&new));
	for (size_t i = 0; i < f->space.nr; i++)
		if (!f->space.list[i].kernel && f->space.list[i].file == file &&
		    perf_mapping(f, pid, &f->space.list[i], time))
			return -1;
	return 0;
}

static struct perf_task *perf_task(struct perf_file *f, uint32_t pid, uint32_t tid)
{
	if (hash_reserve(&f->index))
		return NULL;
	hash_for_each(i, &f->index, hash_u64(tid))
		if (f->tasks[i].tid == tid && f->tasks[i].pid == pid)
			return &f->tasks[i];
	if (room_for(&f->tasks, f->index.used + 1, &f->max_tasks, sizeof(*f->tasks)))
		return NULL;
	f->tasks[f->index.used] = (struct perf_task){ pid, tid, "" };
	return &f->tasks[hash_put(&f->index, hash_u64(tid))];
}

/* Names a thread, if its name has changed. */
static int perf_name(struct perf_file *f, uint32_t pid, uint32_t tid, const char *comm,
		     uint64_t time)
{
	struct perf_task *task = perf_task(f, pid, tid);

	if (!task)
		return err_fail("out of memory");
	if (!strcmp(task->comm, comm))
		return 0;
	task->comm = comm;
	return perf_comm(f, pid, tid, comm, time);
}

/* Names the thread of a trace, its process when that is new, and maps its files. */
static int perf_task_of(struct perf_file *f, const struct analysis *a, size_t event,
			const struct moment *moment)
{
	const struct trace *t = &a->traces.list[moment->trace];
	const struct tally_who *who = t->who;
	struct perf_task *process;

	if (who->tid != who->pid) {
		process = perf_task(f, who->pid, who->pid);
		if (!process)
			return err_fail("out of memory");
		if (!*process->comm &&
		    perf_name(f, who->pid, who->pid, maps_comm(samples_maps(a->samples), who->pid,
							       who->pid), moment->time))
			return -1;
	}
	if (perf_name(f, who->pid, who->tid, who->comm, moment->time))
		return -1;
	if (f->placed[event][moment->trace])
		return 0;
	f->placed[event][moment->trace] = true;
	for (size_t i = 0; i < t->nr; i++)
		if (perf_map(f, who->pid, a->traces.frames[t->first + i].place.file, moment->time))
			return -1;
	return 0;
}

/* The chain of a trace; a mark goes before the frames of each mode. Returns the first address. */
static uint64_t perf_chain(struct perf_file *f, const struct stacks_frame *frames, size_t nr,
			   bool *kernel)
{
	uint64_t first = 0, mode = 0, count = 0;
	size_t at = f->record.size;

	perfdata_draft_u64(&f->record, 0);
	for (size_t i = 0; i < nr; i++) {
		bool in_kernel;
		uint64_t address = perf_space_address(&f->space, &frames[i], &in_kernel);
		uint64_t want = in_kernel ? PERF_CONTEXT_KERNEL : PERF_CONTEXT_USER;

		if (want != mode) {
			perfdata_draft_u64(&f->record, want);
			mode = want;
			count++;
		}
		perfdata_draft_u64(&f->record, address);
		count++;
		if (!i) {
			first = address;
			*kernel = in_kernel;
		}
	}
	memcpy(f->record.bytes + at, &count, sizeof(count));
	return first;
}

/* The frames of a record, each at most with a mark. */
#define PERF_FRAMES	((PERFDATA_RECORD_MAX - 256) / 16)

static int perf_sample(struct perf_file *f, const struct analysis *a, size_t event,
		       const struct moment *moment)
{
	const struct trace *t = &a->traces.list[moment->trace];
	bool kernel = false;
	uint64_t ip;

	if (t->nr > PERF_FRAMES)
		return err_fail("a stack of %zu frames does not fit into a record of perf.data", t->nr);
	if (perf_task_of(f, a, event, moment))
		return -1;
	perfdata_draft_begin(&f->record, PERF_RECORD_SAMPLE, 0);
	perfdata_draft_u64(&f->record, f->ids[event]);
	perfdata_draft_u64(&f->record, 0);	/* ip */
	perfdata_draft_u32(&f->record, t->who->pid);
	perfdata_draft_u32(&f->record, t->who->tid);
	perfdata_draft_u64(&f->record, moment->time);
	if (f->has_cpu)
		perfdata_draft_u64(&f->record, t->who->cpu);
	perfdata_draft_u64(&f->record, moment->period);
	ip = perf_chain(f, a->traces.frames + t->first, t->nr, &kernel);
	perfdata_draft_misc(&f->record, kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER);
	memcpy(f->record.bytes + sizeof(struct perf_event_header) + sizeof(uint64_t), &ip, sizeof(ip));
	return perfdata_draft_end(&f->record, f->writer);
}

static int perf_loss(struct perf_file *f, const struct samples_loss *loss)
{
	if (loss->lost.samples) {
		perfdata_draft_begin(&f->record, PERF_RECORD_LOST_SAMPLES, 0);
		perfdata_draft_u64(&f->record, loss->lost.samples);
		if (perf_end_side(f, 0, 0, loss->time, f->ids[0]))
			return -1;
	}
	if (!loss->lost.records)
		return 0;
	perfdata_draft_begin(&f->record, PERF_RECORD_LOST, 0);
	perfdata_draft_u64(&f->record, f->ids[0]);
	perfdata_draft_u64(&f->record, loss->lost.records);
	return perf_end_side(f, 0, 0, loss->time, f->ids[0]);
}

/* All samples and losses, in order of time. */
static int perf_samples(struct perf_file *f)
{
	size_t *at = calloc(f->nr_events, sizeof(*at)), nr_losses, lost = 0;
	const struct samples_loss *losses = samples_each_loss(f->first->samples, &nr_losses);
	int ret = at ? 0 : err_fail("out of memory");

	while (!ret) {
		const struct analysis *next = NULL;
		const struct moment *moment = NULL;
		size_t number = 0, i = 0;

		for (const struct analysis *a = f->first; a; a = a->next, i++) {
			const struct moment *m = &a->moments.list[at[i]];

			if (at[i] < a->moments.nr && (!next || m->time < moment->time)) {
				next = a;
				moment = m;
				number = i;
			}
		}
		if (lost < nr_losses && (!next || losses[lost].time <= moment->time)) {
			ret = perf_loss(f, &losses[lost++]);
		} else if (next) {
			ret = perf_sample(f, next, number, moment);
			at[number]++;
		} else {
			break;
		}
	}
	free(at);
	return ret;
}

/* A tracepoint's number is that of the recorded machine, and says nothing without the layout of its
 * data, which samples of this file do not have: readers refuse it. The event's name stays. */
static void perf_retype(struct perf_event_attr *attr)
{
	if (attr->type == PERF_TYPE_TRACEPOINT)
		attr->type = PERF_TYPE_RAW;
}

/* The events as they were, with the fields that this file has. */
static int perf_events(struct perf_file *f)
{
	size_t nr, i = 0;

	f->has_cpu = true;
	for (const struct analysis *a = f->first; a; a = a->next) {
		f->nr_events++;
		f->has_cpu &= analysis_has_cpu(a);
	}
	f->events = calloc(f->nr_events, sizeof(*f->events));
	f->ids = calloc(f->nr_events, sizeof(*f->ids));
	f->placed = calloc(f->nr_events, sizeof(*f->placed));
	if (!f->events || !f->ids || !f->placed)
		return err_fail("out of memory");
	for (const struct analysis *a = f->first; a; a = a->next, i++) {
		struct perfdata_event *e = &f->events[i];

		e->attr = samples_events(a->samples, &nr)[a->event_number].attr;
		perf_retype(&e->attr);
		e->attr.sample_type = PERF_FIELDS | (f->has_cpu ? PERF_SAMPLE_CPU : 0);
		e->attr.sample_id_all = 1;
		e->attr.read_format = 0;
		e->attr.branch_sample_type = 0;
		e->attr.sample_regs_user = e->attr.sample_regs_intr = 0;
		e->attr.sample_stack_user = 0;
		e->name = a->event;
		f->ids[i] = i + 1;
		e->ids = &f->ids[i];
		e->nr_ids = 1;
		f->placed[i] = calloc(a->traces.nr + 1, sizeof(**f->placed));
		if (!f->placed[i])
			return err_fail("out of memory");
	}
	return 0;
}

static int perf_describe(struct perf_file *f)
{
	struct perfdata_description d = {
		.events = f->events, .nr_events = f->nr_events, .first = UINT64_MAX,
	};
	struct buildid_table ids = { .nr = 0 };
	int ret;

	for (const struct analysis *a = f->first; a; a = a->next) {
		d.first = a->first_time < d.first ? a->first_time : d.first;
		d.last = a->last_time > d.last ? a->last_time : d.last;
		d.nr_cpus = f->has_cpu && a->nr_cpus > d.nr_cpus ? a->nr_cpus : d.nr_cpus;
	}
	d.buildids = &ids;
	ret = perf_space_build_ids(&f->space, &ids);
	if (!ret)
		ret = perfdata_describe_again(f->writer, &d, samples_info(f->first->samples));
	buildid_table_free(&ids);
	return ret;
}

static int perf_write(const struct analysis *first, const char *path)
{
	struct perf_file *f = calloc(1, sizeof(*f));
	int ret = -1;

	if (!f)
		return err_fail("out of memory");
	f->first = first;
	if (!perf_events(f) && !perf_space_init(&f->space, first)) {
		f->writer = perfdata_write_open(path, f->events, f->nr_events);
		ret = f->writer ? 0 : -1;
	}
	if (!ret && (perf_describe(f) || perf_kernel(f) || perf_samples(f) || err_whole())) {
		perfdata_write_abort(f->writer);
		ret = -1;
	} else if (!ret) {
		ret = perfdata_write_finish(f->writer) < 0 ? -1 : 0;
	}
	perf_space_free(&f->space);
	hash_free(&f->index);
	free(f->tasks);
	hash_free(&f->mapped_index);
	free(f->mapped);
	for (size_t i = 0; f->placed && i < f->nr_events; i++)
		free(f->placed[i]);
	free(f->placed);
	free(f->events);
	free(f->ids);
	free(f);
	return ret;
}

const struct out_format out_perf = {
	.name = "perf", .description = "perf.data with call chains, for perf, hotspot, samply",
	.binary = true, .traces = true, .moments = true, .write_file = perf_write,
};
