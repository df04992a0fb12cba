// SPDX-License-Identifier: GPL-2.0
/*
 * pprof's profile.proto (github.com/google/pprof/proto), compressed as its readers expect. Each
 * event has two values, its samples and the sum of its periods. Numbers of messages' fields are
 * the .proto's.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "export/format.h"
#include "export/locations.h"
#include "export/proto.h"
#include "export/store.h"
#include "export/strings.h"
#include "object/buildid.h"

enum {
	PPROF_SAMPLE_TYPE = 1, PPROF_SAMPLE = 2, PPROF_MAPPING = 3,
	PPROF_LOCATION = 4, PPROF_FUNCTION = 5, PPROF_STRING = 6,
	PPROF_TIME = 9, PPROF_DURATION = 10, PPROF_PERIOD_TYPE = 11, PPROF_PERIOD = 12,
	PPROF_COMMENT = 13, PPROF_DEFAULT_TYPE = 14,
};

struct pprof {
	const struct analysis *first;
	const struct store *store;	/* NULL: all samples, with all labels */
	uint32_t service;		/* with store: the samples of this service alone */
	struct proto whole, part, numbers;
	struct strings strings;
	struct locations locations;
	const char **sources;		/* by function number: its file */
	bool *functions;		/* by function number: it is used */
	size_t max_sources, max_functions;
};

static void pprof_type_name(const struct pprof *p, const struct analysis *a, char *name,
			    size_t size)
{
	if (p->store)
		store_type(a, name, size);
	else
		snprintf(name, size, "%s", a->event);
}

static void pprof_value_type(struct pprof *p, int field, const char *type, const char *unit)
{
	proto_number(&p->part, 1, strings_number(&p->strings, type));
	proto_number(&p->part, 2, strings_number(&p->strings, unit));
	proto_end(&p->whole, field, &p->part);
}

/* The first value is called "samples", as its readers expect; those of further events have
 * the event's name before that. */
static void pprof_types(struct pprof *p)
{
	for (const struct analysis *a = p->first; a; a = a->next) {
		char own[STORE_TYPE_MAX], name[STORE_TYPE_MAX + 16];

		pprof_type_name(p, a, own, sizeof(own));
		snprintf(name, sizeof(name), "%s%ssamples", a->follows ? own : "",
			 !a->follows ? "" : p->store ? "_" : " ");
		pprof_value_type(p, PPROF_SAMPLE_TYPE, name, "count");
		pprof_value_type(p, PPROF_SAMPLE_TYPE, own, out_unit(a));
	}
}

static void pprof_label(struct pprof *p, const char *key, const char *value)
{
	proto_number(&p->numbers, 1, strings_number(&p->strings, key));
	proto_number(&p->numbers, 2, strings_number(&p->strings, value));
	proto_end(&p->part, 3, &p->numbers);
}

/* Numbers are texts: a numeric label of 0 would count as missing. */
static void pprof_label_number(struct pprof *p, const char *key, uint32_t value)
{
	char text[16];

	snprintf(text, sizeof(text), "%" PRIu32, value);
	pprof_label(p, key, text);
}

/* Labels that tell samples apart. A store makes a series of each set of labels, so they would
 * be too many for it. */
static void pprof_labels_fine(struct pprof *p, const struct analysis *a, const struct trace *t)
{
	pprof_label_number(p, "tid", t->who->tid);
	pprof_label_number(p, "pid", t->who->pid);
	if (analysis_has_cpu(a))
		pprof_label_number(p, "cpu", t->who->cpu);
	if (t->inferred)
		pprof_label(p, "mark", "tail call");
	if (t->unwound)
		pprof_label(p, "mark", "unwound");
	if (t->pointed)
		pprof_label(p, "mark", "by frame pointer");
	if (t->stitched)
		pprof_label(p, "mark", "stitched");
}

static void pprof_labels(struct pprof *p, const struct analysis *a, const struct trace *t)
{
	struct maps *maps = samples_maps(a->samples);
	const char *cgroup = samples_cgroup(a->samples, t->who->cgroup);

	pprof_label(p, "thread", t->who->comm);
	pprof_label(p, "process", maps_comm(maps, t->who->pid, t->who->pid));
	if (cgroup)
		pprof_label(p, "cgroup", cgroup);
	pprof_label(p, "verdict", stacks_verdict_name(t->verdict));
	if (!p->store)
		pprof_labels_fine(p, a, t);
}

/* 0 for the values of other events. */
static void pprof_values(struct pprof *p, const struct analysis *own, const struct trace *t)
{
	for (const struct analysis *a = p->first; a; a = a->next) {
		proto_varint(&p->numbers, a == own ? t->samples : 0);
		proto_varint(&p->numbers, a == own ? t->period : 0);
	}
	proto_end(&p->part, 2, &p->numbers);
}

/* Locations are leaf first, as traces are. */
static int pprof_sample(struct pprof *p, const struct analysis *a, const struct trace *t)
{
	for (size_t i = 0; i < t->nr; i++) {
		int64_t number = locations_number(&p->locations, &a->traces.frames[t->first + i]);

		if (number < 0)
			return -1;
		proto_varint(&p->numbers, number + 1);
	}
	proto_end(&p->part, 1, &p->numbers);
	pprof_values(p, a, t);
	pprof_labels(p, a, t);
	proto_end(&p->whole, PPROF_SAMPLE, &p->part);
	return 0;
}

/* Files without a build id are known by their names. The names of functions were found here:
 * pprof does not look for them again. */
static void pprof_mapping(struct pprof *p, uint32_t number)
{
	struct location_range range = locations_range(&p->locations, number);
	char text[2 * BUILDID_MAX + 1];

	locations_build_id_text(&p->locations, number, text, sizeof(text));
	proto_number(&p->part, 1, number + 1);
	proto_number(&p->part, 2, range.start);
	proto_number(&p->part, 3, range.limit);
	proto_number(&p->part, 4, range.offset);
	proto_number(&p->part, 5, strings_number(&p->strings, locations_path(&p->locations, number)));
	proto_number(&p->part, 6, strings_number(&p->strings, text));
	for (int has = 7; has <= 10; has++)	/* functions, filenames, lines, inlined frames */
		proto_number(&p->part, has, has < 10 || !p->first->query.names->no_inlines);
	proto_end(&p->whole, PPROF_MAPPING, &p->part);
}

/* The program itself comes first: it has an entry point. */
static void pprof_mappings(struct pprof *p)
{
	const struct maps *maps = samples_maps(p->first->samples);
	uint32_t program = 0;

	for (size_t i = MAPS_FIRST_FILE; i < p->locations.nr_files && !program; i++) {
		const struct object *object = maps_file(maps, i)->object;

		if (p->locations.files[i].used && object && object_entry(object) &&
		    !object_is_linker(object))
			program = i;
	}
	if (program)
		pprof_mapping(p, program);
	for (size_t i = 0; i < p->locations.nr_files; i++)
		if (p->locations.files[i].used && (!program || i != program))
			pprof_mapping(p, i);
}

static int pprof_location(struct pprof *p, size_t number)
{
	const struct location *l = &p->locations.list[number];
	size_t nr;
	const struct symbols_frame *list = locations_frames(&p->locations, l, &nr);

	for (size_t i = nr; i-- > 0;) {		/* the innermost first */
		uint32_t function = list[i].function;

		if (room_for(&p->sources, function + 1ULL, &p->max_sources, sizeof(*p->sources)) ||
		    room_for(&p->functions, function + 1ULL, &p->max_functions,
			     sizeof(*p->functions)))
			return -1;
		p->functions[function] = true;
		if (!p->sources[function])
			p->sources[function] = list[i].file;
		proto_number(&p->numbers, 1, function + 1ULL);
		proto_number(&p->numbers, 2, l->function_only ? 0 : list[i].line);
		proto_end(&p->part, 4, &p->numbers);
	}
	proto_number(&p->numbers, 1, number + 1);
	proto_number(&p->numbers, 2, l->place.file + 1ULL);
	proto_number(&p->numbers, 3, locations_address(&p->locations, l));
	/* The fields of a message may come in any order. */
	proto_join(&p->numbers, &p->part);
	proto_end(&p->whole, PPROF_LOCATION, &p->numbers);
	return 0;
}

static void pprof_functions(struct pprof *p)
{
	for (size_t i = 0; i < p->max_functions; i++) {
		const struct symbols_function *f;

		if (!p->functions[i])
			continue;
		f = symbols_function(p->first->symbols, i);
		proto_number(&p->part, 1, i + 1);
		proto_number(&p->part, 2, strings_number(&p->strings, f->name));
		proto_number(&p->part, 3, strings_number(&p->strings, f->name));
		proto_number(&p->part, 4, strings_number(&p->strings, p->sources[i]));
		proto_end(&p->whole, PPROF_FUNCTION, &p->part);
	}
}

/* The period where it is fixed. */
static void pprof_times(struct pprof *p)
{
	struct out_time time = out_time(p->first);
	char name[STORE_TYPE_MAX];

	pprof_type_name(p, p->first, name, sizeof(name));
	proto_number(&p->whole, PPROF_TIME, time.begin);
	proto_number(&p->whole, PPROF_DURATION, time.duration);
	pprof_value_type(p, PPROF_PERIOD_TYPE, name, out_unit(p->first));
	proto_number(&p->whole, PPROF_PERIOD, p->first->period);
	proto_number(&p->whole, PPROF_DEFAULT_TYPE, strings_number(&p->strings, name));
}

static int pprof_samples(struct pprof *p)
{
	size_t n = 0;

	for (const struct analysis *a = p->first; a; a = a->next)
		for (size_t i = 0; i < a->traces.nr; i++, n++)
			if ((!p->store || p->store->of[n] == p->service) &&
			    pprof_sample(p, a, &a->traces.list[i]))
				return -1;
	return 0;
}

static int pprof_build(struct pprof *p)
{
	const char *command = samples_info(p->first->samples)->cmdline;

	strings_number(&p->strings, "");	/* string 0 */
	pprof_types(p);
	if (locations_init(&p->locations, p->first) || pprof_samples(p))
		return -1;
	locations_lay_out(&p->locations);
	pprof_mappings(p);
	for (size_t i = 0; i < p->locations.index.used; i++)
		if (pprof_location(p, i))
			return -1;
	pprof_functions(p);
	pprof_times(p);
	if (command) {
		proto_varint(&p->numbers, strings_number(&p->strings, command));
		proto_end(&p->whole, PPROF_COMMENT, &p->numbers);
	}
	for (size_t i = 0; i < p->strings.index.used; i++)
		proto_text(&p->whole, PPROF_STRING, p->strings.list[i]);
	return p->whole.failed || p->strings.failed ? -1 : 0;
}

static int pprof_put(struct pprof *p, FILE *out)
{
	int ret = pprof_build(p);

	if (!ret)
		ret = proto_gzip(&p->whole, out);
	free(p->whole.bytes);
	free(p->part.bytes);
	free(p->numbers.bytes);
	free(p->sources);
	free(p->functions);
	strings_free(&p->strings);
	locations_free(&p->locations);
	return ret;
}

static int pprof_write(const struct analysis *first, FILE *out)
{
	return pprof_put(&(struct pprof){ .first = first }, out);
}

int store_pprof(const struct analysis *first, const struct store *store, uint32_t service,
		FILE *out)
{
	return pprof_put(&(struct pprof){ .first = first, .store = store, .service = service },
			 out);
}

const struct out_format out_pprof = {
	.name = "pprof", .description = "a compressed profile.proto, for pprof",
	.binary = true, .traces = true, .write = pprof_write,
};
