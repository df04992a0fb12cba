// SPDX-License-Identifier: GPL-2.0
/* What stands before the threads of a Firefox profile: how it was made, and the files with code. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "export/firefox_head.h"
#include "export/firefox_tables.h"
#include "export/format.h"
#include "object/buildid.h"

#define FIREFOX_VERSION		48
#define FIREFOX_GECKO		27	/* the version of Firefox's own format at that time */

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
static double firefox_interval(const struct analysis *a)
{
	const struct perf_event_attr *attr = out_attr(a);
	size_t cpus = 0;
	double all = ((double)a->last_time - a->first_time) / 1e6;

	for (size_t i = 0; i < a->nr_cpus; i++)
		cpus += a->cpus[i].samples > 0;
	if (attr->freq && attr->sample_freq)
		return 1e3 / attr->sample_freq;
	return all > 0 ? all * (cpus ? cpus : 1) / a->nr_samples : 1;
}

void firefox_meta(const struct analysis *first, uint64_t begin, struct json *j)
{
	static const char *const offcpu[][3] = { { "event", "Event", "string" } };
	static const char *const lost[][3] = {
		{ "samples", "Samples", "integer" }, { "records", "Other records", "integer" } };
	const struct perfdata_info *info = samples_info(first->samples);

	json_object(j, "meta");
	json_unsigned(j, "version", FIREFOX_GECKO);
	json_unsigned(j, "preprocessedProfileVersion", FIREFOX_VERSION);
	json_text(j, "product", info->cmdline ? info->cmdline : "lbrctl");
	json_text(j, "importedFrom", "lbrctl");
	json_text(j, "oscpu", info->osrelease ? info->osrelease : "Linux");
	json_real(j, "interval", firefox_interval(first), 9);
	json_real(j, "startTime", info->wall_known ? (info->wall + begin) / 1e6 : 0, 17);
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
	json_text(j, "threadCPUDelta", out_is_time(first) ? "ns" : "variable CPU cycles");
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

int64_t *firefox_libs(const struct analysis *first, const struct locations *locations,
		      struct json *j)
{
	const struct maps *maps = samples_maps(first->samples);
	int64_t *libs = malloc(locations->nr_files * sizeof(*libs)), nr = 0;

	if (!libs)
		return NULL;
	json_line(j);
	json_array(j, "libs");
	for (size_t i = 0; i < locations->nr_files; i++) {
		const char *path = locations_path(locations, i), *name = strrchr(path, '/');
		char text[2 * BUILDID_MAX + 1], breakpad[40];
		const uint8_t *id = NULL;
		size_t size = i < MAPS_FIRST_FILE ? 0 : maps_build_id(maps, i, &id);

		libs[i] = FIREFOX_NONE;
		if (!locations->files[i].used || i < MAPS_FIRST_FILE)
			continue;
		libs[i] = nr++;
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
	return libs;
}
