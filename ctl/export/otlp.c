// SPDX-License-Identifier: GPL-2.0
/*
 * The request of OpenTelemetry's protocol for profiles: ExportProfilesServiceRequest of
 * opentelemetry-proto 1.11.0 (github.com/open-telemetry/opentelemetry-proto, package
 * opentelemetry.proto.profiles.v1development). Numbers of messages' fields are the .proto's. All
 * profiles of a request share its tables, whose entry 0 is the type's zero value. A profile has
 * one type of value, so each event has two: its samples, and the sum of its periods.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/version.h"
#include "export/format.h"
#include "export/locations.h"
#include "export/proto.h"
#include "export/store.h"
#include "export/strings.h"
#include "object/buildid.h"

enum {	/* ProfilesDictionary */
	OTLP_MAPPINGS = 1, OTLP_LOCATIONS = 2, OTLP_FUNCTIONS = 3, OTLP_LINKS = 4,
	OTLP_STRINGS = 5, OTLP_ATTRIBUTES = 6, OTLP_STACKS = 7,
};
enum {	/* Profile */
	OTLP_SAMPLE_TYPE = 1, OTLP_SAMPLES = 2, OTLP_TIME = 3, OTLP_DURATION = 4,
	OTLP_PERIOD_TYPE = 5, OTLP_PERIOD = 6,
};
enum { OTLP_TEXT = 1, OTLP_BOOL = 2, OTLP_INT = 3 };	/* AnyValue */

struct otlp {
	const struct analysis *first;
	const struct store *store;
	struct proto request, tables, functions;
	struct proto resource, scope, profile, part, inner, numbers;
	struct strings strings;
	struct strings stacks;		/* packed numbers of locations, which have no byte 0 */
	struct strings attributes;	/* as otlp_attribute() makes them */
	struct locations locations;
	uint32_t *entry;		/* by function number: its entry; 0: none yet */
	size_t max_entry, nr_functions;
	uint32_t *mapping;		/* by file number: its entry */
};

static size_t otlp_string(struct otlp *o, const char *text)
{
	return strings_number(&o->strings, text);
}

/* Returns the entry of a trace's stack, the leaf first; -1: memory is short. */
static int64_t otlp_stack(struct otlp *o, const struct analysis *a, const struct trace *t)
{
	for (size_t i = 0; i < t->nr; i++) {
		int64_t number = locations_number(&o->locations, &a->traces.frames[t->first + i]);

		if (number < 0)
			return -1;
		proto_varint(&o->numbers, number + 1);
	}
	proto_varint(&o->numbers, 0);	/* ends the text */
	o->numbers.nr = 0;
	return o->numbers.failed ? -1 :
	       (int64_t)strings_number(&o->stacks, (const char *)o->numbers.bytes);
}

/* Adds the entry of an attribute to the numbers; type: the field of AnyValue. */
static void otlp_attribute(struct otlp *o, int type, const char *key, const char *value)
{
	char *text;

	if (asprintf(&text, "%d%s=%s", type, key, value) < 0) {
		o->numbers.failed = true;
		return;
	}
	proto_varint(&o->numbers, strings_number(&o->attributes, text));
	free(text);
}

static void otlp_attribute_number(struct otlp *o, const char *key, uint32_t value)
{
	char text[16];

	snprintf(text, sizeof(text), "%" PRIu32, value);
	otlp_attribute(o, OTLP_INT, key, text);
}

/* Names are those of the semantic conventions where these have one. */
static void otlp_sample_attributes(struct otlp *o, const struct analysis *a, const struct trace *t)
{
	const char *cgroup = samples_cgroup(a->samples, t->who->cgroup);

	otlp_attribute(o, OTLP_TEXT, "thread.name", t->who->comm);
	otlp_attribute_number(o, "thread.id", t->who->tid);
	otlp_attribute_number(o, "process.pid", t->who->pid);
	if (analysis_has_cpu(a))
		otlp_attribute_number(o, "cpu.logical_number", t->who->cpu);
	if (cgroup)
		otlp_attribute(o, OTLP_TEXT, "process.linux.cgroup", cgroup);
	otlp_attribute(o, OTLP_TEXT, "lbrscope.verdict", stacks_verdict_name(t->verdict));
	if (t->inferred)
		otlp_attribute(o, OTLP_BOOL, "lbrscope.tail_call", "1");
	if (t->unwound)
		otlp_attribute(o, OTLP_BOOL, "lbrscope.unwound", "1");
	if (t->pointed)
		otlp_attribute(o, OTLP_BOOL, "lbrscope.frame_pointer", "1");
	if (t->stitched)
		otlp_attribute(o, OTLP_BOOL, "lbrscope.stitched", "1");
	proto_end(&o->part, 2, &o->numbers);
}

static int otlp_sample(struct otlp *o, const struct analysis *a, const struct trace *t,
		       uint64_t value)
{
	int64_t stack = otlp_stack(o, a, t);

	if (stack < 0)
		return -1;
	proto_number(&o->part, 1, stack);
	otlp_sample_attributes(o, a, t);
	proto_varint(&o->numbers, value);
	proto_end(&o->part, 4, &o->numbers);
	proto_end(&o->profile, OTLP_SAMPLES, &o->part);
	return 0;
}

static void otlp_type(struct otlp *o, int field, const char *name, const char *unit)
{
	proto_number(&o->part, 1, otlp_string(o, name));
	proto_number(&o->part, 2, otlp_string(o, unit));
	proto_end(&o->profile, field, &o->part);
}

/* The profile's types. The period is the mean where it varies: readers take one of 0 for none, and
 * then name the profile after nothing. */
static void otlp_types(struct otlp *o, const struct analysis *a, bool periods)
{
	struct out_time time = out_time(o->first);
	char name[STORE_TYPE_MAX], samples[STORE_TYPE_MAX + 16];

	store_type(a, name, sizeof(name));
	snprintf(samples, sizeof(samples), "%s%ssamples", a->follows ? name : "",
		 a->follows ? "_" : "");
	otlp_type(o, OTLP_SAMPLE_TYPE, periods ? name : samples,
		  periods ? out_unit(a) : "count");
	proto_fixed64(&o->profile, OTLP_TIME, time.begin);
	proto_number(&o->profile, OTLP_DURATION, time.duration);
	otlp_type(o, OTLP_PERIOD_TYPE, name, out_unit(a));
	proto_number(&o->profile, OTLP_PERIOD, a->period ? a->period : a->nr_samples ?
		     a->period_sum / a->nr_samples : 0);
}

/* first: number of the analysis's first trace among those of all. */
static int otlp_profile(struct otlp *o, const struct analysis *a, size_t first, uint32_t service,
			bool periods)
{
	bool empty = true;

	for (size_t i = 0; i < a->traces.nr; i++) {
		const struct trace *t = &a->traces.list[i];

		if (o->store->of[first + i] != service)
			continue;
		if (empty)
			otlp_types(o, a, periods);
		empty = false;
		if (otlp_sample(o, a, t, periods ? t->period : t->samples))
			return -1;
	}
	if (!empty)
		proto_end(&o->scope, 2, &o->profile);
	return 0;
}

static void otlp_key_value(struct otlp *o, const char *key, const char *value)
{
	proto_text(&o->part, 1, key);
	proto_text(&o->inner, OTLP_TEXT, value);
	proto_end(&o->part, 2, &o->inner);
	proto_end(&o->numbers, 1, &o->part);
}

static int otlp_resource(struct otlp *o, uint32_t service, const struct store_label *labels,
			 size_t nr_labels)
{
	size_t first = 0;

	otlp_key_value(o, "service.name", o->store->services[service].name);
	for (size_t i = 0; i < nr_labels; i++)
		otlp_key_value(o, labels[i].name, labels[i].value);
	proto_end(&o->resource, 1, &o->numbers);

	proto_text(&o->part, 1, "lbrctl");
	proto_text(&o->part, 2, version_text);
	proto_end(&o->scope, 1, &o->part);
	for (const struct analysis *a = o->first; a; first += a->traces.nr, a = a->next)
		if (otlp_profile(o, a, first, service, true) ||
		    otlp_profile(o, a, first, service, false))
			return -1;
	proto_end(&o->resource, 2, &o->scope);
	proto_end(&o->request, 1, &o->resource);
	return 0;
}

/* Returns the entry of a function, which a frame is the first to name; 0: memory is short. */
static uint32_t otlp_function(struct otlp *o, const struct symbols_frame *frame)
{
	const char *name;

	if (room_for(&o->entry, frame->function + 1ULL, &o->max_entry, sizeof(*o->entry)))
		return 0;
	if (o->entry[frame->function])
		return o->entry[frame->function];
	name = symbols_function(o->first->symbols, frame->function)->name;
	proto_number(&o->inner, 1, otlp_string(o, name));
	proto_number(&o->inner, 2, otlp_string(o, name));
	proto_number(&o->inner, 3, otlp_string(o, frame->file));
	proto_end(&o->functions, OTLP_FUNCTIONS, &o->inner);
	return o->entry[frame->function] = ++o->nr_functions;
}

static int otlp_location(struct otlp *o, const struct location *l)
{
	size_t nr;
	const struct symbols_frame *list = locations_frames(&o->locations, l, &nr);

	proto_number(&o->part, 1, o->mapping[l->place.file]);
	proto_number(&o->part, 2, locations_address(&o->locations, l));
	for (size_t i = nr; i-- > 0;) {		/* the innermost first */
		uint32_t function = otlp_function(o, &list[i]);

		if (!function)
			return -1;
		proto_number(&o->numbers, 1, function);
		proto_number(&o->numbers, 2, l->function_only ? 0 : list[i].line);
		proto_end(&o->part, 3, &o->numbers);
	}
	otlp_attribute(o, OTLP_TEXT, "profile.frame.type",
		       l->place.file == MAPS_KERNEL ? "kernel" : "native");
	proto_end(&o->part, 4, &o->numbers);
	proto_end(&o->tables, OTLP_LOCATIONS, &o->part);
	return 0;
}

static void otlp_mapping(struct otlp *o, uint32_t file)
{
	struct location_range range = locations_range(&o->locations, file);
	char id[2 * BUILDID_MAX + 1];

	proto_number(&o->part, 1, range.start);
	proto_number(&o->part, 2, range.limit);
	proto_number(&o->part, 3, range.offset);
	proto_number(&o->part, 4, otlp_string(o, locations_path(&o->locations, file)));
	locations_build_id_text(&o->locations, file, id, sizeof(id));
	if (*id) {
		otlp_attribute(o, OTLP_TEXT, "process.executable.build_id.gnu", id);
		proto_end(&o->part, 5, &o->numbers);
	}
	proto_end(&o->tables, OTLP_MAPPINGS, &o->part);
}

/* Writes the entry of an attribute; "": the zero value. */
static void otlp_attribute_entry(struct otlp *o, char *text)
{
	char *value = strchr(text, '=');

	if (value) {
		int type = *text - '0';

		*value++ = '\0';
		proto_number(&o->part, 1, otlp_string(o, text + 1));
		if (type == OTLP_TEXT) {
			proto_text(&o->inner, OTLP_TEXT, value);
		} else {	/* 0 is a value, too */
			proto_varint(&o->inner, type << 3);
			proto_varint(&o->inner, strtoull(value, NULL, 10));
		}
		proto_end(&o->part, 2, &o->inner);
	}
	proto_end(&o->tables, OTLP_ATTRIBUTES, &o->part);
}

/* Mappings come first, as locations refer to their entries; strings last, as all do. */
static int otlp_tables(struct otlp *o)
{
	static const uint8_t none[16];
	uint32_t mappings = 0;

	locations_lay_out(&o->locations);
	proto_end(&o->tables, OTLP_MAPPINGS, &o->part);
	for (size_t i = 0; i < o->locations.nr_files; i++) {
		if (!o->locations.files[i].used)
			continue;
		otlp_mapping(o, i);
		o->mapping[i] = ++mappings;
	}
	proto_end(&o->tables, OTLP_LOCATIONS, &o->part);
	proto_end(&o->functions, OTLP_FUNCTIONS, &o->part);
	for (size_t i = 0; i < o->locations.index.used; i++)
		if (otlp_location(o, &o->locations.list[i]))
			return -1;
	proto_join(&o->tables, &o->functions);
	/* Some readers want the full sizes of trace and span. */
	proto_bytes(&o->part, 1, none, 16);
	proto_bytes(&o->part, 2, none, 8);
	proto_end(&o->tables, OTLP_LINKS, &o->part);
	for (size_t i = 0; i < o->stacks.index.used; i++) {
		const char *packed = o->stacks.list[i];

		if (*packed)
			proto_bytes(&o->part, 1, packed, strlen(packed));
		proto_end(&o->tables, OTLP_STACKS, &o->part);
	}
	for (size_t i = 0; i < o->attributes.index.used; i++)
		otlp_attribute_entry(o, o->attributes.list[i]);
	for (size_t i = 0; i < o->strings.index.used; i++)
		proto_text(&o->tables, OTLP_STRINGS, o->strings.list[i]);
	proto_end(&o->request, 2, &o->tables);
	return 0;
}

static int otlp_build(struct otlp *o, const struct store_label *labels, size_t nr_labels)
{
	if (locations_init(&o->locations, o->first))
		return -1;
	o->mapping = calloc(o->locations.nr_files, sizeof(*o->mapping));
	if (!o->mapping)
		return -1;
	otlp_string(o, "");
	strings_number(&o->stacks, "");
	strings_number(&o->attributes, "");
	for (size_t i = 0; i < o->store->nr; i++)
		if (otlp_resource(o, i, labels, nr_labels))
			return -1;
	if (otlp_tables(o))
		return -1;
	return o->request.failed || o->strings.failed || o->stacks.failed ||
	       o->attributes.failed ? -1 : 0;
}

int store_otlp(const struct analysis *first, const struct store *store,
	       const struct store_label *labels, size_t nr_labels, FILE *out)
{
	struct otlp o = { .first = first, .store = store };
	int ret = otlp_build(&o, labels, nr_labels);

	if (!ret)
		ret = proto_gzip(&o.request, out);
	free(o.request.bytes);
	free(o.tables.bytes);
	free(o.functions.bytes);
	free(o.resource.bytes);
	free(o.scope.bytes);
	free(o.profile.bytes);
	free(o.part.bytes);
	free(o.inner.bytes);
	free(o.numbers.bytes);
	strings_free(&o.strings);
	strings_free(&o.stacks);
	strings_free(&o.attributes);
	locations_free(&o.locations);
	free(o.entry);
	free(o.mapping);
	return ret;
}
