// SPDX-License-Identifier: GPL-2.0
/*
 * The processed profile of the Firefox Profiler (profiler.firefox.com; src/types/profile.js of
 * firefox-devtools/profiler), in version 48, which later versions convert: samples of each thread
 * in order of time, times off the CPU and losses as markers. Times are ms since the first sample.
 */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "export/firefox_head.h"
#include "export/firefox_tables.h"
#include "export/format.h"

#define FIREFOX_INTERVAL	1	/* phase of a marker with begin and end */

/* A sample or a time off the CPU, with its event. */
struct firefox_sample {
	const struct analysis *analysis;
	const struct moment *moment;
	const struct trace *trace;
};

struct firefox {
	const struct analysis *first;
	struct json *out;
	enum out_weight weight;
	struct firefox_sample *list;	/* by process, thread, time */
	size_t nr;
	int64_t *stacks;		/* of the thread's samples */
	uint64_t begin;			/* ns */
	struct locations locations;
	int64_t *libs;			/* by file */
	struct firefox_tables tables;
};

static double firefox_ms(const struct firefox *f, uint64_t time)
{
	return ((double)time - f->begin) / 1e6;
}

static int firefox_compare(const void *x, const void *y)
{
	const struct firefox_sample *a = x, *b = y;
	const struct tally_who *v = a->trace->who, *w = b->trace->who;

	if (v->pid != w->pid)
		return v->pid < w->pid ? -1 : 1;
	if (v->tid != w->tid)
		return v->tid < w->tid ? -1 : 1;
	if (a->moment->time != b->moment->time)
		return a->moment->time < b->moment->time ? -1 : 1;
	return a->moment < b->moment ? -1 : a->moment > b->moment;
}

static int firefox_list(struct firefox *f)
{
	size_t max = 0;

	f->begin = UINT64_MAX;
	for (const struct analysis *a = f->first; a; a = a->next) {
		max += a->moments.nr;
		f->begin = a->first_time < f->begin ? a->first_time : f->begin;
	}
	f->list = calloc(max + 1, sizeof(*f->list));
	f->stacks = calloc(max + 1, sizeof(*f->stacks));
	if (!f->list || !f->stacks)
		return -1;
	for (const struct analysis *a = f->first; a; a = a->next)
		for (size_t i = 0; i < a->moments.nr; i++)
			f->list[f->nr++] = (struct firefox_sample){ a, &a->moments.list[i],
				&a->traces.list[a->moments.list[i].trace] };
	qsort(f->list, f->nr, sizeof(*f->list), firefox_compare);
	return 0;
}

/* Whether the event's periods are the time or the cycles that the thread has used. */
static bool firefox_is_cpu(const struct analysis *a)
{
	const struct perf_event_attr *attr = out_attr(a);

	return out_is_time(a) || (attr->type == PERF_TYPE_HARDWARE &&
				  (uint32_t)attr->config == PERF_COUNT_HW_CPU_CYCLES);
}

/* A column of the samples' periods, divided. A thread without samples has an empty one. */
static void firefox_periods(const struct firefox *f, size_t first, size_t end, const char *key,
			    double divisor)
{
	size_t nr = 0;

	json_array(f->out, key);
	for (size_t i = first; i < end; i++)
		if (!f->list[i].analysis->offcpu && ++nr)
			json_fixed(f->out, NULL, f->list[i].moment->period / divisor,
				   divisor > 1 ? 6 : 0);
	if (!nr)
		json_unsigned(f->out, NULL, 0);
	json_close(f->out);
}

/* The columns of the samples' weights, and of the CPU that they show, by which threads are ranked.
 * There is no unit of events but "samples". */
static void firefox_weights(const struct firefox *f, size_t first, size_t end)
{
	const bool time = out_is_time(f->first);
	struct json *j = f->out;

	json_text(j, "weightType", f->weight == OUT_EVENTS && time ? "tracing-ms" : "samples");
	if (f->weight == OUT_EVENTS)
		firefox_periods(f, first, end, "weight", time ? 1e6 : 1);
	else
		json_null(j, "weight");
	if (firefox_is_cpu(f->first))
		firefox_periods(f, first, end, "threadCPUDelta", 1);
}

/* Samples of the event; a thread without any gets an empty one, which the profiler needs. */
static void firefox_samples(const struct firefox *f, size_t first, size_t end)
{
	struct json *j = f->out;
	size_t nr = 0;

	json_line(j);
	json_object(j, "samples");
	firefox_weights(f, first, end);
	json_array(j, "stack");
	for (size_t i = first; i < end; i++) {
		if (f->list[i].analysis->offcpu)
			continue;
		nr++;
		if (f->stacks[i] == FIREFOX_NONE)
			json_null(j, NULL);
		else
			json_signed(j, NULL, f->stacks[i]);
	}
	if (!nr)
		json_null(j, NULL);
	json_close(j);
	json_array(j, "time");
	for (size_t i = first; i < end; i++)
		if (!f->list[i].analysis->offcpu)
			json_fixed(j, NULL, firefox_ms(f, f->list[i].moment->time), 6);
	if (!nr)
		json_fixed(j, NULL, first < end ? firefox_ms(f, f->list[first].moment->time) : 0, 6);
	json_close(j);
	json_unsigned(j, "length", nr ? nr : 1);
	json_close(j);
}

/* A column of the times off the CPU: begin, or end. */
static void firefox_marker_times(const struct firefox *f, size_t first, size_t end,
				 const char *key, bool begin)
{
	json_array(f->out, key);
	for (size_t i = first; i < end; i++) {
		const struct moment *m = f->list[i].moment;

		if (f->list[i].analysis->offcpu)
			json_fixed(f->out, NULL, firefox_ms(f, m->time) -
						 (begin ? m->period / 1e6 : 0), 6);
	}
	json_close(f->out);
}

static void firefox_marker_data(const struct firefox *f, size_t first, size_t end)
{
	struct json *j = f->out;

	json_array(j, "data");
	for (size_t i = first; i < end; i++) {
		if (!f->list[i].analysis->offcpu)
			continue;
		json_object(j, NULL);
		json_text(j, "type", "OffCpu");
		json_text(j, "event", f->list[i].analysis->event);
		if (f->stacks[i] != FIREFOX_NONE) {
			json_object(j, "cause");
			json_fixed(j, "time", firefox_ms(f, f->list[i].moment->time), 6);
			json_signed(j, "stack", f->stacks[i]);
			json_close(j);
		}
		json_close(j);
	}
	json_close(j);
}

static void firefox_numbers(struct json *j, const char *key, size_t nr, uint64_t value)
{
	json_array(j, key);
	for (size_t i = 0; i < nr; i++)
		json_unsigned(j, NULL, value);
	json_close(j);
}

/* The columns that are the same for all markers of a thread. */
static void firefox_markers(struct json *j, size_t nr, size_t name)
{
	json_line(j);
	json_object(j, "markers");
	json_unsigned(j, "length", nr);
	firefox_numbers(j, "category", nr, FIREFOX_OTHER);
	firefox_numbers(j, "name", nr, name);
	firefox_numbers(j, "phase", nr, FIREFOX_INTERVAL);
}

static void firefox_offcpu(struct firefox *f, size_t first, size_t end)
{
	size_t nr = 0, name = 0;

	for (size_t i = first; i < end; i++)
		nr += f->list[i].analysis->offcpu;
	if (nr)
		name = strings_number(&f->tables.strings, "off-CPU");
	firefox_markers(f->out, nr, name);
	firefox_marker_times(f, first, end, "startTime", true);
	firefox_marker_times(f, first, end, "endTime", false);
	firefox_marker_data(f, first, end);
	json_close(f->out);
}

/* Opens the object of a thread. */
static void firefox_thread_head(const struct firefox *f, const char *process, uint32_t pid,
				const char *name, uint32_t tid)
{
	struct json *j = f->out;
	char text[16];

	snprintf(text, sizeof(text), "%u", pid);
	json_line(j);
	json_object(j, NULL);
	json_text(j, "processType", "default");
	json_text(j, "processName", process);
	json_unsigned(j, "processStartupTime", 0);
	json_null(j, "processShutdownTime");
	json_unsigned(j, "registerTime", 0);
	json_null(j, "unregisterTime");
	json_array(j, "pausedRanges");
	json_close(j);
	json_bool(j, "showMarkersInTimeline", true);
	json_text(j, "name", name);
	json_bool(j, "isMainThread", pid == tid);
	json_text(j, "pid", text);
	json_unsigned(j, "tid", tid);
}

static int firefox_thread(struct firefox *f, size_t first, size_t end)
{
	const struct tally_who *who = f->list[first].trace->who;
	struct maps *maps = samples_maps(f->first->samples);
	char *name = strdup(f->list[end - 1].trace->who->comm);
	int ret = name ? 0 : -1;

	firefox_tables_begin(&f->tables);
	for (size_t i = first; i < end && !ret; i++) {
		f->stacks[i] = firefox_tables_stack(&f->tables, f->list[i].analysis,
						    f->list[i].trace);
		ret = f->stacks[i] < FIREFOX_NONE ? -1 : 0;
	}
	if (!ret) {
		firefox_thread_head(f, maps_comm(maps, who->pid, who->pid), who->pid, name,
				    who->tid);
		firefox_samples(f, first, end);
		firefox_offcpu(f, first, end);
		firefox_tables_put(&f->tables, f->out);
		json_close(f->out);
	}
	free(name);
	return ret;
}

/* The losses, which belong to no thread, as markers of one that is not there. */
static void firefox_losses(struct firefox *f)
{
	struct json *j = f->out;
	size_t nr;
	const struct samples_loss *list = samples_each_loss(f->first->samples, &nr);

	if (!nr)
		return;
	firefox_tables_begin(&f->tables);
	firefox_thread_head(f, "lbrscope", 0, "losses", 0);
	firefox_samples(f, 0, 0);
	firefox_markers(j, nr, strings_number(&f->tables.strings, "lost"));
	for (int end = 0; end < 2; end++) {
		json_array(j, end ? "endTime" : "startTime");
		for (size_t i = 0; i < nr; i++)
			json_fixed(j, NULL, firefox_ms(f, list[i].time), 6);
		json_close(j);
	}
	json_array(j, "data");
	for (size_t i = 0; i < nr; i++) {
		json_object(j, NULL);
		json_text(j, "type", "Lost");
		json_unsigned(j, "samples", list[i].lost.samples);
		json_unsigned(j, "records", list[i].lost.records);
		json_close(j);
	}
	json_close(j);
	json_close(j);
	firefox_tables_put(&f->tables, j);
	json_close(j);
}

static int firefox_threads(struct firefox *f)
{
	json_line(f->out);
	json_array(f->out, "threads");
	for (size_t first = 0, end; first < f->nr; first = end) {
		const struct tally_who *who = f->list[first].trace->who;

		for (end = first + 1; end < f->nr && f->list[end].trace->who->pid == who->pid &&
		     f->list[end].trace->who->tid == who->tid;)
			end++;
		if (firefox_thread(f, first, end))
			return -1;
	}
	firefox_losses(f);
	json_close(f->out);
	return f->tables.strings.failed ? -1 : 0;
}

/* Finds the locations of all traces first, since the libs stand before the threads. */
static int firefox_locate(struct firefox *f)
{
	if (locations_init(&f->locations, f->first))
		return -1;
	for (const struct analysis *a = f->first; a; a = a->next)
		for (size_t i = 0; i < a->traces.nr_frames; i++)
			if (locations_number(&f->locations, &a->traces.frames[i]) < 0)
				return -1;
	return 0;
}

static int firefox_write(const struct analysis *first, enum out_weight weight, FILE *out)
{
	struct json json = json_to(out);
	struct firefox f = { .first = first, .out = &json, .weight = weight };
	int ret = firefox_list(&f) || firefox_locate(&f) ? -1 : 0;

	if (!ret) {
		json_object(&json, NULL);
		firefox_meta(first, f.begin, &json);
		f.libs = firefox_libs(first, &f.locations, &json);
		ret = f.libs ? 0 : -1;
	}
	f.tables.analysis = first;
	f.tables.locations = &f.locations;
	f.tables.libs = f.libs;
	if (!ret)
		ret = firefox_threads(&f);
	if (!ret) {
		json_close(&json);
		json_end(&json);
	}
	firefox_tables_free(&f.tables);
	locations_free(&f.locations);
	free(f.list);
	free(f.stacks);
	free(f.libs);
	return ret;
}

const struct out_format out_firefox = {
	.name = "firefox",
	.description = "for profiler.firefox.com, with times off the CPU and losses",
	.one_event = "a thread has samples of one event", .traces = true, .moments = true,
	.write_weights = firefox_write,
};
