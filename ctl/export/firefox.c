// SPDX-License-Identifier: GPL-2.0
/*
 * The processed profile of the Firefox Profiler (profiler.firefox.com; src/types/profile.js of
 * firefox-devtools/profiler), in version 48, which later versions convert: samples of each thread
 * in order of time, times off the CPU and losses as markers. Times are ms since the first sample.
 */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/text.h"
#include "export/firefox_tables.h"
#include "export/format.h"
#include "object/buildid.h"

#define FIREFOX_VERSION		48
#define FIREFOX_GECKO		27	/* the version of Firefox's own format at that time */
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

static void firefox_category(struct json *j, const char *name, const char *color)
{
	json_object(j, NULL);
	json_text(j, "name", name);
	json_text(j, "color", color);
	json_array(j, "subcategories");
	json_text(j, NULL, "Other");
	json_close(j);
	json_close(j);
}

static void firefox_schema(struct json *j, const char *name, const char *label,
			   const char *const fields[][3], size_t nr)
{
	static const char *const display[] = { "marker-chart", "marker-table", "timeline-overview" };

	json_object(j, NULL);
	json_text(j, "name", name);
	json_text(j, "tableLabel", label);
	json_text(j, "chartLabel", label);
	json_array(j, "display");
	for (size_t i = 0; i < sizeof(display) / sizeof(*display); i++)
		json_text(j, NULL, display[i]);
	json_close(j);
	json_array(j, "data");
	for (size_t i = 0; i < nr; i++) {
		json_object(j, NULL);
		json_text(j, "key", fields[i][0]);
		json_text(j, "label", fields[i][1]);
		json_text(j, "format", fields[i][2]);
		json_close(j);
	}
	json_close(j);
	json_close(j);
}

/* What the profiler takes a sample to stand for, in ms: the time between two samples of a
 * frequency, else the mean time between samples of a CPU. */
static double firefox_interval(const struct firefox *f)
{
	const struct analysis *a = f->first;
	size_t nr, cpus = 0;
	const struct perf_event_attr *attr = &samples_events(a->samples, &nr)[a->event_number].attr;
	double all = ((double)a->last_time - a->first_time) / 1e6;

	for (size_t i = 0; i < a->nr_cpus; i++)
		cpus += a->cpus[i].samples > 0;
	if (attr->freq && attr->sample_freq)
		return 1e3 / attr->sample_freq;
	return all > 0 ? all * (cpus ? cpus : 1) / a->nr_samples : 1;
}

static void firefox_meta(const struct firefox *f)
{
	static const char *const offcpu[][3] = { { "event", "Event", "string" } };
	static const char *const lost[][3] = {
		{ "samples", "Samples", "integer" }, { "records", "Other records", "integer" } };
	const struct perfdata_info *info = samples_info(f->first->samples);
	struct json *j = f->out;

	json_object(j, "meta");
	json_unsigned(j, "version", FIREFOX_GECKO);
	json_unsigned(j, "preprocessedProfileVersion", FIREFOX_VERSION);
	json_text(j, "product", info->cmdline ? info->cmdline : "lbrctl");
	json_text(j, "importedFrom", "lbrctl");
	json_text(j, "oscpu", info->osrelease ? info->osrelease : "Linux");
	json_real(j, "interval", firefox_interval(f), 9);
	json_real(j, "startTime", info->wall_known ? (info->wall + f->begin) / 1e6 : 0, 17);
	json_unsigned(j, "processType", 0);
	json_unsigned(j, "stackwalk", 1);
	json_bool(j, "debug", false);
	json_bool(j, "symbolicated", true);
	json_bool(j, "usesOnlyOneStackType", true);
	json_bool(j, "doesNotUseFrameImplementation", true);
	json_bool(j, "sourceCodeIsNotOnSearchfox", true);
	json_object(j, "sampleUnits");
	json_text(j, "time", "ms");
	json_text(j, "eventDelay", "ms");
	json_text(j, "threadCPUDelta", "ns");
	json_close(j);
	json_array(j, "categories");		/* as enum firefox_category */
	firefox_category(j, "Other", "grey");
	firefox_category(j, "User", "yellow");
	firefox_category(j, "Kernel", "orange");
	json_close(j);
	json_array(j, "markerSchema");
	firefox_schema(j, "OffCpu", "off the CPU", offcpu, 1);
	firefox_schema(j, "Lost", "{marker.data.samples} samples lost", lost, 2);
	json_close(j);
	json_close(j);
}

/* The first 16 bytes of a build id as Breakpad writes them: a GUID, and the age 0. */
static void firefox_breakpad(const uint8_t *id, size_t size, char text[40])
{
	static const uint8_t order[16] = { 3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15 };

	for (size_t i = 0; i < sizeof(order); i++)
		sprintf(text + 2 * i, "%02X", order[i] < size ? id[order[i]] : 0);
	strcpy(text + 32, "0");
}

/* Writes the mapped files that have code in the profile; the kernel is not a file. */
static int firefox_libs(struct firefox *f)
{
	const struct maps *maps = samples_maps(f->first->samples);
	struct json *j = f->out;
	int64_t nr = 0;

	f->libs = malloc(f->locations.nr_files * sizeof(*f->libs));
	if (!f->libs)
		return -1;
	json_line(j);
	json_array(j, "libs");
	for (size_t i = 0; i < f->locations.nr_files; i++) {
		const char *path = locations_path(&f->locations, i), *name = strrchr(path, '/');
		char text[2 * BUILDID_MAX + 1], breakpad[40];
		const uint8_t *id = NULL;
		size_t size = i < MAPS_FIRST_FILE ? 0 : maps_build_id(maps, i, &id);

		f->libs[i] = FIREFOX_NONE;
		if (!f->locations.files[i].used || i < MAPS_FIRST_FILE)
			continue;
		f->libs[i] = nr++;
		text_hex(text, sizeof(text), id, size);
		firefox_breakpad(id, size, breakpad);
		json_object(j, NULL);
		json_text(j, "arch", "x86_64");
		json_text(j, "name", name ? name + 1 : path);
		json_text(j, "path", path);
		json_text(j, "debugName", name ? name + 1 : path);
		json_text(j, "debugPath", path);
		json_text(j, "breakpadId", breakpad);
		json_text(j, "codeId", size ? text : NULL);
		json_close(j);
	}
	json_close(j);
	return 0;
}

/* Samples of the event; a thread without any gets an empty one, which the profiler needs. */
static void firefox_samples(const struct firefox *f, size_t first, size_t end)
{
	struct json *j = f->out;
	size_t nr = 0;

	json_line(j);
	json_object(j, "samples");
	json_text(j, "weightType", "samples");
	json_null(j, "weight");
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

static int firefox_write(const struct analysis *first, FILE *out)
{
	struct json json = json_to(out);
	struct firefox f = { .first = first, .out = &json };
	int ret = firefox_list(&f) || firefox_locate(&f) ? -1 : 0;

	if (!ret) {
		json_object(&json, NULL);
		firefox_meta(&f);
		ret = firefox_libs(&f);
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
	.write = firefox_write,
};
