// SPDX-License-Identifier: GPL-2.0
/* The command line of lbrctl script. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/err.h"
#include "base/pager.h"
#include "base/grow.h"
#include "script/lines.h"
#include "script/print.h"
#include "script/repeats.h"
#include "verbs/options.h"
#include "verbs/verbs.h"

/* Bytes. A pipe holds several of them, or its reader and we take turns after each 64 KiB. */
#define SCRIPT_BUFFER	(1 << 18)
#define SCRIPT_PIPE	(1 << 20)	/* all that fs.pipe-max-size allows at first */

static const char usage[] =
	"Usage: lbrctl script [-i FILE] [-e EVENT] [FILTER]... [--json]\n"
	"\n"
	"Prints each sample in the default layout of 'perf script', for programs that\n"
	"read it. The first line of an LBR call stack is the sampled address (perf prints\n"
	"the entry of its function); its callers follow. With a stack window\n"
	"(record --stack-window) it is the stack that 'lbrctl report' shows.\n";

struct script_options {
	struct options_reading reading;
	int (*print)(const struct script *script, const struct recorded_sample *sample);
	unsigned int fields;
	bool no_pager;
};

struct printer {
	struct script_options *options;
	struct script script;
	struct stacks_stack stack;
	size_t max_frames;
	uint64_t nr_read, nr;
};

static int printer_room(struct printer *p, size_t nr)
{
	return room_for(&p->script.frames, nr, &p->max_frames, sizeof(*p->script.frames)) ?
	       err_fail("not enough memory for a stack") : 0;
}

static int take_chain(struct printer *p, const struct recorded_sample *s)
{
	if (printer_room(p, s->nr_frames))
		return -1;
	for (size_t i = 0; i < s->nr_frames; i++) {
		struct place place = s->frames[i].place, within = place;

		/* Functions that are inlined at a return address did not necessarily contain
		 * the call. */
		if (!s->stack.has_lbr && i > s->stack.nr_kernel && within.addr)
			within.addr--;
		p->script.frames[i] = (struct script_frame){
			s->frames[i].offset, place, within, false };
	}
	p->script.nr_frames = s->nr_frames;
	return 0;
}

static uint64_t file_offset(const struct maps *maps, struct place place)
{
	const struct object *object = maps_file(maps, place.file)->object;
	uint64_t offset = place.addr;

	if (object)
		object_offset(object, place.addr, &offset);
	return offset;
}

/* Callers from the recorded stack are printed only after they were checked against the LBR and
 * the code. */
static int take_stack(struct printer *p, const struct recorded_sample *s)
{
	struct maps *maps = samples_maps(p->script.samples);
	struct stacks_code answers = samples_code(p->script.samples);

	if (stacks_build(&s->stack, &answers, &p->stack))
		return err_fail("not enough memory for the stacks");
	if (printer_room(p, p->stack.nr_frames))
		return -1;
	for (size_t i = 0; i < p->stack.nr_frames; i++) {
		struct place place = p->stack.frames[i].place;

		/* The frame is not on the stack. */
		if (p->stack.frames[i].kind == STACKS_TAIL_CALL)
			continue;
		p->script.frames[p->script.nr_frames++] = (struct script_frame){
			file_offset(maps, place), place, place,
			p->stack.frames[i].pointed };
	}
	return 0;
}

static int take_frames(struct printer *p, const struct recorded_sample *s)
{
	p->script.nr_frames = 0;
	p->script.is_chain = s->raw.chain || s->stack.nr_unwound;
	if (s->stack.nr_unwound)
		return take_stack(p, s);
	if (s->raw.chain)
		return take_chain(p, s);
	if (printer_room(p, 1))
		return -1;
	p->script.frames[p->script.nr_frames++] = (struct script_frame){
		s->ip.offset, s->ip.place, s->ip.place, false };
	return 0;
}

/* Whether the innermost frame passes the filter. */
static bool leaf_meant(struct printer *p)
{
	const struct filter *filter = &p->options->reading.filter;
	const struct symbols_function *f;
	const struct symbols_frame *list;
	size_t nr;

	if (!filter_has_frames(filter))
		return true;
	if (!p->script.nr_frames)
		return false;
	list = symbols_frames(p->script.symbols, p->script.frames[0].within, &nr);
	f = symbols_function(p->script.symbols, list[nr - 1].function);
	return filter_frame(filter, f->name, f->object);
}

/* Looks for the text of the sample's stack, which a filter by frames would have to see. Returns 0, or -1 with
 * the reason printed. */
static int find_repeat(struct printer *p, struct recorded_sample *s)
{
	const struct script_options *o = p->options;
	struct script *script = &p->script;
	const uint64_t *words;
	size_t nr;

	script->known = NULL;
	if (o->print != script_text || !(o->fields & SCRIPT_IP) || filter_has_frames(&o->reading.filter))
		return 0;
	if (samples_words(script->samples, s, &words, &nr))
		return -1;
	script->known = script_repeats_find(script->repeats, words, nr, &script->known_size);
	if (script->known)
		s->comm = maps_comm(samples_maps(script->samples), s->raw.pid, s->raw.tid);
	return 0;
}

static int print_sample(struct printer *p, struct recorded_sample *s)
{
	p->nr_read++;
	if (!filter_sample(&p->options->reading.filter, samples_maps(p->script.samples),
			   &s->raw))
		return 0;
	if (find_repeat(p, s))
		return -1;
	if (!p->script.known && (samples_place(p->script.samples, s) || take_frames(p, s)))
		return -1;
	if (!p->script.known && !leaf_meant(p))
		return 0;
	p->nr++;
	if (p->options->print(&p->script, s))
		return err_fail("not enough memory to print a sample");
	return 0;
}

static int print_samples(struct printer *p)
{
	const char *input = p->options->reading.input;
	struct recorded_sample sample;
	int ret;

	while ((ret = samples_take(p->script.samples, &sample)) > 0 && !ferror(stdout))
		if (print_sample(p, &sample))
			return -1;
	if (ret || p->nr)
		return ret;
	return p->nr_read ? samples_none_chosen(input, p->nr_read) :
			    samples_none(p->script.samples, input);
}

static int script(struct script_options *o)
{
	struct printer p = { .options = o };
	struct script *s = &p.script;
	int ret = -1;

	s->samples = samples_open(o->reading.input);
	if (!s->samples || (o->reading.event &&
			    samples_select(s->samples, o->reading.event))) {
		samples_close(s->samples);
		return ERR_EXIT_FAILED;
	}
	setvbuf(stdout, NULL, _IOFBF, SCRIPT_BUFFER);
	fcntl(STDOUT_FILENO, F_SETPIPE_SZ, SCRIPT_PIPE);
	s->fields = o->fields;
	s->event_width = script_event_width(s->samples);
	o->reading.names.lines = o->print == script_json;
	s->symbols = symbols_new(samples_maps(s->samples), &o->reading.names);
	s->lines = script_lines_new(s->symbols, o->fields, script_text_frame);
	s->repeats = script_repeats_new();
	if (s->symbols && s->lines && s->repeats) {
		if (o->print == script_text && !o->no_pager)
			pager_start();
		ret = print_samples(&p);
	} else {
		err_errno("reading %s", o->reading.input);
	}
	stacks_free(&p.stack);
	free(s->frames);
	script_repeats_free(s->repeats);
	script_lines_free(s->lines);
	symbols_free(s->symbols);
	samples_close(s->samples);
	ret = err_flush_stdout() || ret < 0;
	pager_end();
	return ret ? ERR_EXIT_FAILED : ERR_EXIT_DONE;
}

static int script_as_json(const char *verb, const char *none, void *options)
{
	(void)verb;
	(void)none;
	((struct script_options *)options)->print = script_json;
	return 0;
}

static int script_fields(const char *verb, const char *list, void *fields)
{
	(void)verb;
	return script_fields_parse(list, fields) ? ERR_EXIT_USAGE : 0;
}

static const struct options_option options[] = {
	{ "input", 'i', "FILE",
	  "the capture (perf.data)",
	  options_text, part_of(struct script_options, reading.input, const char *) },
	{ "event", 'e', "EVENT",
	  "only this event",
	  options_text, part_of(struct script_options, reading.event, const char *) },
	{ "fields", 'F', "FIELD,…",
	  "print these fields only: comm, pid, tid, cpu, time, period, event, ip, sym, symoff, dso, brstack; with + or - in front of each, change the default",
	  script_fields, part_of(struct script_options, fields, unsigned int) },
	FILTER_ROWS(struct script_options, reading.filter),
	OPTIONS_NAMES_ROWS(struct script_options, reading.names),
	OPTIONS_SYMFS_ROW,
	{ "json", 0, NULL,
	  "one JSON object per line, see lbrctl-json(7)",
	  script_as_json, 0 },
	OPTIONS_PAGER_ROW(struct script_options, no_pager),
	{ .name = NULL }
};

int cmd_script(int argc, char **argv)
{
	static const struct options_verb verb = {
		.name = "script", .usage = usage,
		.options = options,
	};
	struct script_options o = { .reading.input = "perf.data", .print = script_text,
				    .fields = SCRIPT_FIELDS };
	int err;

	if (options_take(&verb, argc, argv, &o, &err))
		err = script(&o);
	filter_free(&o.reading.filter);
	return err;
}
