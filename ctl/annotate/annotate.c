// SPDX-License-Identifier: GPL-2.0
/* Reads a capture's samples by address, and assigns them to instructions. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/annotate.h"
#include "base/err.h"
#include "base/grow.h"
#include "base/shortname.h"

/* Names in a message. */
#define SEVERAL	8

/* The upper half of the address space is the kernel's on x86-64. */
static struct place place_of(struct maps *maps, const struct perfdata_sample *raw)
{
	struct place place = { MAPS_KERNEL, raw->ip };
	uint64_t offset;

	return (int64_t)raw->ip < 0 ? place : maps_place(maps, raw->pid, raw->ip, &offset);
}

/* Samples of several events have no common unit. */
static int take_event(struct annotate *a, const struct perfdata_event *event,
		      const struct annotate_query *query)
{
	if (!a->event)
		a->event = strdup(event->name);
	if (!a->event)
		return err_errno("reading %s", query->input);
	if (strcmp(a->event, event->name))
		return err_fail("%s: samples of several events; choose one: -e %s, -e %s",
				query->input, a->event, event->name);
	return 0;
}

static int take_sample(struct annotate *a, const struct annotate_query *query,
		       const struct recorded_sample *s)
{
	struct maps *maps = samples_maps(a->blocks.samples);

	a->nr_read++;
	if (take_event(a, s->event, query))
		return -1;
	if (!filter_sample(query->filter, maps, &s->raw))
		return 0;
	if (hits_add(&a->hits, place_of(maps, &s->raw), s->raw.period ? s->raw.period : 1))
		return err_errno("counting samples");
	if (!blocks_whole(s->event))
		return 0;
	a->branches = true;
	return runs_add(&a->blocks.runs, maps, s);
}

static int read_samples(struct annotate *a, const struct annotate_query *query)
{
	struct recorded_sample s;
	int ret;

	filter_begin(query->filter);
	if (samples_select(a->blocks.samples, query->event))
		return -1;
	while ((ret = samples_take(a->blocks.samples, &s)) > 0)
		if (take_sample(a, query, &s))
			return -1;
	return ret ? ret : runs_finish(&a->blocks.runs);
}

int annotate_read(struct annotate *a, const struct annotate_query *query)
{
	struct symbols_options names = *query->names;

	names.lines = true;
	a->blocks.samples = samples_open(query->input);
	a->blocks.blocks = a->blocks.samples ? blocks_new(query->syntax) : NULL;
	if (!a->blocks.blocks || read_samples(a, query))
		return -1;
	a->blocks.symbols = symbols_new(samples_maps(a->blocks.samples), &names);
	a->sources = sources_new(maps_machine(samples_maps(a->blocks.samples)));
	if (!a->blocks.symbols || !a->sources ||
	    hits_finish(&a->hits, a->blocks.symbols, query->filter))
		return err_errno("reading %s", query->input);
	if (!a->nr_read)
		return samples_none(a->blocks.samples, query->input);
	if (!a->hits.samples)
		return samples_none_chosen(query->input, a->nr_read);
	for (size_t i = 0; i < a->hits.nr; i++)
		if (unnamed_add(&a->unnamed, a->blocks.symbols, a->hits.places[i].place,
				a->hits.places[i].weight))
			return err_errno("reading %s", query->input);
	blocks_decode(&a->blocks, NULL);
	return 0;
}

void annotate_free(struct annotate *a)
{
	hits_free(&a->hits);
	unnamed_free(&a->unnamed);
	sources_free(a->sources);
	symbols_free(a->blocks.symbols);
	blocks_free(a->blocks.blocks);
	runs_free(&a->blocks.runs);
	samples_close(a->blocks.samples);
	free(a->event);
}

static const struct symbols_function *name_of(const struct annotate *a,
					      const struct hits_function *f)
{
	return symbols_function(a->blocks.symbols, f->function);
}

static const struct object *object_of(const struct annotate *a, uint32_t file)
{
	return maps_file(samples_maps(a->blocks.samples), file)->object;
}

/* Returns the bounds of the symbol, which the samples belong to; for code without a symbol,
 * the bounds by its call frame information. */
static bool range_of(const struct object *object, uint64_t address, struct object_range *range)
{
	const struct object_symbol *symbol;

	if (!object || !object_is_x86_64(object))
		return false;
	symbol = object_plt(object, address, range) ? NULL : object_symbol(object, address);
	if (symbol)
		*range = (struct object_range){ symbol->start, symbol->end };
	return symbol || object_function(object, address, range);
}

static bool has_code(const struct annotate *a, const struct hits_function *f)
{
	struct object_range range;
	unsigned char byte;
	const struct object *object = object_of(a, f->places->place.file);

	return range_of(object, f->places->place.addr, &range) &&
	       object_read(object, range.start, &byte, 1);
}

const char *annotate_no_code(const struct annotate *a, const struct hits_function *f)
{
	const struct maps_file *file = maps_file(samples_maps(a->blocks.samples),
						 f->places->place.file);

	if (f->places->place.file == MAPS_KERNEL)
		return "the kernel's code is not in a file";
	if (file->jitdump || file->state == OBJECT_NO_FILE)
		return "it was made at run time";
	if (file->state == OBJECT_MISSING)
		return "its file is not here: copy it here, or use --symfs FOLDER";
	if (file->state == OBJECT_MISMATCH)
		return "the file here is not the recorded one: use --symfs FOLDER";
	if (file->object && !object_is_x86_64(file->object))
		return "it is code of another processor: annotate shows that of x86-64";
	return file->state == OBJECT_NOT_ELF ? "its file is no ELF file" :
	       "its bounds are not known: install its debug symbols, or use --debuginfod";
}

/* Returns the function that has inlined code of a function with this name; NULL: none. */
static const struct symbols_function *inlined_into(const struct annotate *a, const char *name)
{
	const struct hits *c = &a->hits;

	for (size_t i = 0; i < c->nr; i++) {
		size_t nr;
		const struct symbols_frame *list = symbols_frames(a->blocks.symbols,
								  c->places[i].place, &nr);

		for (size_t n = 1; n < nr; n++)
			if (shortname_is(symbols_function(a->blocks.symbols, list[n].function)->name,
					 name))
				return symbols_function(a->blocks.symbols, list[0].function);
	}
	return NULL;
}

/* The ways in which a word may mean a function, the closest first. */
enum match { MATCH_WHOLE, MATCH_COMPONENT, MATCH_PART, MATCH_NONE };

static bool is_match(enum match how, const char *name, const char *word)
{
	return how == MATCH_WHOLE ? !strcmp(name, word) :
	       how == MATCH_COMPONENT ? shortname_is(name, word) : strstr(name, word) != NULL;
}

/* Prints the names that match, the heaviest first. */
static int several(const struct annotate *a, const char *word, enum match how)
{
	const char *last = "";
	char names[512] = "";
	size_t nr = 0, at = 0;

	for (size_t i = 0; i < a->hits.nr_functions; i++) {
		const char *name = name_of(a, &a->hits.functions[i])->name;

		if (!is_match(how, name, word) || !strcmp(name, last))
			continue;
		if (nr < SEVERAL && at < sizeof(names))
			at += snprintf(names + at, sizeof(names) - at, "%s%s", nr ? ", " : "", name);
		nr++;
		last = name;
	}
	return err_fail("'%s' may be %zu functions: %s%s; name one of them", word, nr, names,
			nr > SEVERAL ? ", ..." : "");
}

/* Sets *name to the whole name of the only function that the word may mean, or to the word if no
 * function has it. Returns 0, or -1 with a message if several have it. */
static int choose(const struct annotate *a, const char *word, const char **name)
{
	*name = word;
	for (enum match how = MATCH_WHOLE; how < MATCH_NONE; how++) {
		const char *found = NULL;

		if (how == MATCH_PART && inlined_into(a, word))
			return 0;
		for (size_t i = 0; i < a->hits.nr_functions; i++) {
			const char *of = name_of(a, &a->hits.functions[i])->name;

			if (!is_match(how, of, word))
				continue;
			if (found && strcmp(found, of))
				return several(a, word, how);
			found = of;
		}
		if (found) {
			*name = found;
			return 0;
		}
	}
	return 0;
}

static int none_chosen(const struct annotate *a, const char *name,
		       const struct hits_function *skipped)
{
	const struct symbols_function *f;

	if (err_whole())
		return -1;
	if (skipped)
		return err_fail("%s, %s: no code to show: %s", name_of(a, skipped)->name,
				name_of(a, skipped)->object, annotate_no_code(a, skipped));
	f = inlined_into(a, name);
	if (f)
		return err_fail("'%s' is inlined and has no code of its own: try 'lbrctl annotate %s'",
				name, f->name);
	return err_fail("no sample is in a function '%s'; 'lbrctl report' names those with samples",
			name);
}

/* Returns 0, or -1 with a message. */
static int function_make(const struct annotate *a, const struct hits_function *hits,
			 struct annotate_function *f)
{
	const struct object *object = object_of(a, hits->places->place.file);

	*f = (struct annotate_function){
		.hits = hits, .function = name_of(a, hits),
		.file = hits->places->place.file };
	range_of(object, hits->places->place.addr, &f->range);
	if (blocks_function(a->blocks.blocks, object, f->file, f->range, &a->blocks.runs,
			    &f->code))
		return -1;
	f->loops = calloc(f->code.nr + 1, sizeof(*f->loops));
	if (!f->loops)
		return err_errno("finding loops");
	return loops_find(&f->code, f->loops, &f->loops_given_up);
}

/* Disassembles the first `most` functions with code; name: of those with this name. */
static int disassemble(const struct annotate *a, const char *name, size_t most, struct annotate_list *list)
{
	size_t max = 0;

	*list = (struct annotate_list){ 0 };
	for (size_t i = 0; i < a->hits.nr_functions && list->nr < most; i++) {
		const struct hits_function *f = &a->hits.functions[i];

		if (name && strcmp(name_of(a, f)->name, name))
			continue;
		if (!has_code(a, f)) {
			if (!list->nr && !list->skipped)
				list->skipped = f;
			continue;
		}
		if (room_for(&list->functions, list->nr + 1, &max, sizeof(*list->functions)))
			return err_errno("disassembling");
		if (function_make(a, f, &list->functions[list->nr++]))
			return -1;
	}
	return 0;
}

int annotate_heaviest(const struct annotate *a, size_t most, struct annotate_list *list)
{
	return disassemble(a, NULL, most, list);
}

int annotate_functions(const struct annotate *a, const char *name, struct annotate_list *list)
{
	*list = (struct annotate_list){ 0 };
	if ((name && choose(a, name, &name)) || disassemble(a, name, name ? SIZE_MAX : 1, list))
		return -1;
	return list->nr ? 0 : none_chosen(a, name, list->skipped);
}

void annotate_list_free(struct annotate_list *list)
{
	for (size_t i = 0; i < list->nr; i++) {
		blocks_function_free(&list->functions[i].code);
		free(list->functions[i].loops);
	}
	free(list->functions);
}

struct hits_place annotate_samples(const struct annotate_function *f, size_t i)
{
	uint64_t start = i ? f->code.list[i].address : f->range.start;

	return hits_between(f->hits, start, i + 1 < f->code.nr ?
			      f->code.list[i + 1].address : f->range.end);
}

const struct symbols_frame *annotate_frame(const struct annotate *a,
					   const struct annotate_function *f, size_t i,
					   bool *inlined)
{
	const struct place place = { f->file, f->code.list[i].address };
	size_t nr;
	const struct symbols_frame *list = symbols_frames(a->blocks.symbols, place, &nr);

	*inlined = nr > 1;
	return &list[nr - 1];
}

const struct symbols_function *annotate_target(const struct annotate *a,
					       const struct annotate_function *f, size_t i,
					       uint64_t *offset)
{
	const struct place place = { f->file, f->code.list[i].target };
	const struct symbols_function *to;

	if (!place.addr || (place.addr > f->range.start && place.addr < f->range.end))
		return NULL;
	to = symbols_function(a->blocks.symbols, symbols_find(a->blocks.symbols, place));
	*offset = place.addr - to->start;
	return to->known ? to : NULL;
}

size_t annotate_block(const struct annotate_function *f, size_t i)
{
	size_t end = i + 1;

	while (end < f->code.nr && !f->code.list[end].leads)
		end++;
	return end - i;
}
