// SPDX-License-Identifier: GPL-2.0
/* Reads the feature sections behind the records, and the events: format.h has the layout. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/grow.h"
#include "base/search.h"
#include "base/text.h"
#include "machine/machine.h"
#include "perfdata/parse.h"

/* Returns a string of the file as a malloc'd one. NULL: an error, and the window is spent. */
static char *feature_string(struct perfdata_window *w)
{
	uint32_t len = perfdata_take_u32(w);
	const unsigned char *p = perfdata_take(w, len);

	char *text = p ? strndup((const char *)p, len) : NULL;

	w->failed |= !text;
	if (text)
		text_clean(text);
	return text;
}

static int feature_set(char **field, struct perfdata_window *w)
{
	free(*field);
	*field = feature_string(w);
	return *field ? 0 : -1;
}

static int feature_cmdline(struct perfdata_window *w, char **cmdline)
{
	uint32_t nr = perfdata_take_u32(w);
	size_t len = 0;
	FILE *out;

	free(*cmdline);
	*cmdline = NULL;
	out = open_memstream(cmdline, &len);
	if (!out)
		return -1;
	for (uint32_t i = 0; i < nr && !w->failed; i++) {
		char *arg = feature_string(w);

		if (arg)
			fprintf(out, "%s%s", i ? " " : "", arg);
		free(arg);
	}
	return fclose(out) || w->failed ? -1 : 0;
}

/* The size of an id from before sizes were written: perf padded it with zeros to 20 bytes. An id may end
 * in zeros itself; those of linkers have a multiple of 4 bytes (lld: 8, md5 and uuid: 16, sha1: 20). */
static uint8_t padded_size(const uint8_t id[20])
{
	uint8_t size = 20;

	while (size && !id[size - 1])
		size--;
	return (size + 3) & ~3;
}

static int feature_build_ids(struct perfdata_window *w,
			     struct perfdata_info *info)
{
	while (w->at < w->end) {
		const size_t fixed = sizeof(struct perfdata_build_id);
		struct perfdata_build_id raw;
		struct perfdata_known_id *id;
		const unsigned char *p = w->at;

		if ((size_t)(w->end - w->at) < fixed)
			return -1;
		memcpy(&raw, p, fixed);
		if (raw.header.size < fixed ||
		    !perfdata_take(w, raw.header.size))
			return -1;
		if (room_for(&info->known_ids, info->nr_known_ids + 1,
			     &info->max_known_ids, sizeof(*id)))
			return -1;
		id = &info->known_ids[info->nr_known_ids];
		id->size = raw.header.misc & PERFDATA_MISC_BUILD_ID_SIZE && raw.size <= 20 ?
			   raw.size : padded_size(raw.build_id);
		memcpy(id->build_id, raw.build_id, 20);
		id->kernel = (raw.header.misc & PERF_RECORD_MISC_CPUMODE_MASK) ==
			     PERF_RECORD_MISC_KERNEL;
		id->filename = strndup((const char *)p + fixed,
				       raw.header.size - fixed);
		if (!id->filename)
			return -1;
		info->nr_known_ids++;
	}
	return 0;
}

struct event_id {
	uint64_t id;
	size_t event;
};

static int id_compare(const void *a, const void *b)
{
	const struct event_id *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return x->event < y->event ? -1 : x->event > y->event;
}

/* Returns all ids of the events in order, malloc'd; *nr: their number. NULL when memory is
 * short. */
static struct event_id *feature_ids(const struct perfdata_event *events, size_t nr_events,
				    size_t *nr)
{
	struct event_id *ids;
	size_t all = 0;

	for (size_t i = 0; i < nr_events; i++)
		all += events[i].nr_ids;
	ids = malloc((all + 1) * sizeof(*ids));
	*nr = 0;
	for (size_t i = 0; ids && i < nr_events; i++)
		for (size_t j = 0; j < events[i].nr_ids; j++)
			ids[(*nr)++] = (struct event_id){ events[i].ids[j], i };
	if (ids)
		qsort(ids, all, sizeof(*ids), id_compare);
	return ids;
}

static struct perfdata_event *feature_event(struct perfdata_event *events,
					    const struct event_id *ids, size_t nr, uint64_t id)
{
	size_t first = search_front(nr, i, ids[i].id < id);

	return first < nr && ids[first].id == id ? &events[ids[first].event] : NULL;
}

/* Only the first list of a capture is used. */
static int feature_event_desc(struct perfdata_window *w, struct perfdata_info *info,
			      struct perfdata_event *events, size_t nr_events)
{
	uint32_t nr = perfdata_take_u32(w);
	uint32_t attr_size = perfdata_take_u32(w);
	struct event_id *known;
	size_t nr_known;

	if (info->named)
		return 0;
	info->named = true;
	known = feature_ids(events, nr_events, &nr_known);
	if (!known)
		return -1;
	for (uint32_t i = 0; i < nr && !w->failed; i++) {
		struct perfdata_event *event = i < nr_events ? &events[i] : NULL;
		const unsigned char *ids;
		uint32_t nr_ids;
		char *name;

		perfdata_take(w, attr_size);
		nr_ids = perfdata_take_u32(w);
		name = feature_string(w);
		ids = perfdata_take_array(w, nr_ids, 8);
		if (nr_ids && ids)
			event = feature_event(events, known, nr_known, perfdata_u64(ids));
		if (!event || !name || !*name) {
			free(name);
			continue;
		}
		free((char *)event->name);
		event->name = name;
	}
	free(known);
	return w->failed ? -1 : 0;
}

static int feature_caps(struct perfdata_window *w, struct perfdata_info *info)
{
	uint32_t nr = perfdata_take_u32(w);

	for (uint32_t i = 0; i < nr && !w->failed; i++) {
		char *name = feature_string(w), *value = feature_string(w);

		if (name && value && !strcmp(name, "branches")) {
			unsigned long depth = strtoul(value, NULL, 10);

			if (depth <= 1024)
				info->lbr_depth = depth;
		}
		free(name);
		free(value);
	}
	return w->failed ? -1 : 0;
}

static int audit_compare(const void *a, const void *b)
{
	const struct perfdata_audit *x = a, *y = b;

	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

static int feature_own(struct perfdata_window *w, struct perfdata_info *info)
{
	const size_t nr = (w->end - w->at) / sizeof(struct perfdata_own);
	struct perfdata_audit *audits = calloc(nr + 1, sizeof(*audits));
	struct perfdata_own own;

	if (!audits)
		return -1;
	free(info->audits);
	info->audits = audits;
	info->nr_audits = 0;
	info->audited = !nr;
	info->losses = (struct losses){ .known = false };
	for (size_t i = 0; i < nr; i++) {
		memcpy(&own, w->at + i * sizeof(own), sizeof(own));
		if (own.kind == PERFDATA_OWN_AUDIT)
			audits[info->nr_audits++] = (struct perfdata_audit){
				own.id, own.kind, own.first, own.second };
		if (own.kind == PERFDATA_OWN_AUDIT || own.kind == PERFDATA_OWN_AUDITED)
			info->audited = true;
		if (own.kind != PERFDATA_OWN_LOSS)
			continue;
		info->losses.known = true;
		if (own.id < LOSSES_NR)
			info->losses.samples[own.id] = own.first;
	}
	qsort(audits, info->nr_audits, sizeof(*audits), audit_compare);
	return 0;
}

/* Ignores a version that is not known. */
static int feature_clock(struct perfdata_window *w, struct perfdata_info *info)
{
	uint32_t version = perfdata_take_u32(w), clockid = perfdata_take_u32(w);
	uint64_t wall = perfdata_take_u64(w), clock = perfdata_take_u64(w);

	if (w->failed)
		return -1;
	info->wall_known = version == 1;
	info->wall_clockid = clockid;
	info->wall = wall - clock;
	return 0;
}

int perfdata_feature_parse(int feature, struct perfdata_window w,
			   struct perfdata_info *info,
			   struct perfdata_event *events, size_t nr_events)
{
	errno = 0;
	switch (feature) {
	case PERFDATA_BUILD_ID:
		return feature_build_ids(&w, info);
	case PERFDATA_HOSTNAME:
		return feature_set(&info->hostname, &w);
	case PERFDATA_OSRELEASE:
		return feature_set(&info->osrelease, &w);
	case PERFDATA_VERSION:
		return feature_set(&info->version, &w);
	case PERFDATA_ARCH:
		return feature_set(&info->arch, &w);
	case PERFDATA_CMDLINE:
		return feature_cmdline(&w, &info->cmdline);
	case PERFDATA_EVENT_DESC:
		return feature_event_desc(&w, info, events, nr_events);
	case PERFDATA_CPU_PMU_CAPS:
		return feature_caps(&w, info);
	case PERFDATA_CLOCK_DATA:
		return feature_clock(&w, info);
	case PERFDATA_OWN:
		return feature_own(&w, info);
	default:
		return 0;
	}
}

void perfdata_info_free(struct perfdata_info *info)
{
	free(info->hostname);
	free(info->osrelease);
	free(info->arch);
	free(info->version);
	free(info->cmdline);
	for (size_t i = 0; i < info->nr_known_ids; i++)
		free(info->known_ids[i].filename);
	free(info->known_ids);
	free(info->audits);
	machine_drop(info->machine);
}

/* Returns the name that perf gives to an event without one in the file; malloc'd. */
static char *event_name(const struct perf_event_attr *attr)
{
	static const char *const hardware[] = {
		"cycles", "instructions", "cache-references", "cache-misses",
		"branches", "branch-misses", "bus-cycles",
		"stalled-cycles-frontend", "stalled-cycles-backend",
		"ref-cycles",
	};
	static const char *const software[] = {
		"cpu-clock", "task-clock", "page-faults", "context-switches",
		"cpu-migrations", "minor-faults", "major-faults",
		"alignment-faults", "emulation-faults", "dummy", "bpf-output",
		"cgroup-switches",
	};
	const char *suffix = attr->exclude_kernel && !attr->exclude_user ? ":u" :
			     attr->exclude_user && !attr->exclude_kernel ? ":k" : "";
	const char *base = NULL;
	char *name = NULL;
	int len;

	if (attr->type == PERF_TYPE_HARDWARE &&
	    attr->config < sizeof(hardware) / sizeof(*hardware))
		base = hardware[attr->config];
	if (attr->type == PERF_TYPE_SOFTWARE &&
	    attr->config < sizeof(software) / sizeof(*software))
		base = software[attr->config];
	if (base)
		len = asprintf(&name, "%s%s", base, suffix);
	else if (attr->type == PERF_TYPE_RAW)
		len = asprintf(&name, "raw 0x%llx%s",
			       (unsigned long long)attr->config, suffix);
	else
		len = asprintf(&name, "type %u config 0x%llx%s", attr->type,
			       (unsigned long long)attr->config, suffix);
	return len < 0 ? NULL : name;
}

int perfdata_event_take(const char *path, struct perfdata_event *event,
			const unsigned char *attr, size_t attr_size,
			const unsigned char *ids, size_t nr_ids)
{
	uint64_t *copy = malloc(nr_ids * sizeof(*copy) + 1);

	event->ids = copy;
	if (attr_size > sizeof(event->attr))
		attr_size = sizeof(event->attr);
	memcpy(&event->attr, attr, attr_size);
	if (perfdata_layout_check(path, &event->attr))
		return -1;
	event->name = event_name(&event->attr);
	if (!event->name || !copy)
		return err_errno("reading %s", path);
	memcpy(copy, ids, nr_ids * sizeof(*copy));
	event->nr_ids = nr_ids;
	return 0;
}

void perfdata_event_free(struct perfdata_event *event)
{
	free((char *)event->name);
	free((uint64_t *)event->ids);
}
