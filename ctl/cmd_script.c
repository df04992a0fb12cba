// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "err.h"
#include "options.h"
#include "samples.h"
#include "symbols.h"

static const char help[] =
	"Usage: lbrctl script [-i FILE] [-e EVENT]\n"
	"\n"
	"Prints each sample in the default layout of 'perf script', for the programs\n"
	"that read it. Of an LBR call stack the first line is the sampled address (perf\n"
	"prints the entry of its function), then come the callers. With a piece of the user\n"
	"stack (record --stack-window) it is the stack that 'lbrctl report' shows.\n"
	"\n"
	"  -i, --input FILE   the capture (perf.data)\n"
	"  -e, --event EVENT  of this event only\n"
	OPTIONS_NAMES_USAGE
	"  -h, --help         this text\n";

/* perf pads the names of events to the longest. */
static int event_width(const struct samples *samples)
{
	size_t nr, width = 0;
	const struct perfdata_event *events = samples_events(samples, &nr);

	for (size_t i = 0; i < nr; i++)
		if (strlen(events[i].name) > width)
			width = strlen(events[i].name);
	return width;
}

static void print_head(const struct samples_sample *s, int width)
{
	const struct perfdata_sample *raw = &s->raw;
	uint64_t type = s->event->attr.sample_type;

	printf(s->has_chain ? "%s " : "%16s ", s->comm);
	if (type & PERF_SAMPLE_TID)
		printf("%5d ", (int)raw->tid);
	if (raw->has_cpu)
		printf("[%03u] ", raw->cpu);
	if (raw->has_time)
		printf("%5" PRIu64 ".%06" PRIu64 ": ", raw->time / 1000000000,
		       raw->time % 1000000000 / 1000);
	printf("%10" PRIu64 " %*s: ", raw->period, width, s->event->name);
}

static bool is_text(unsigned char c)
{
	return c >= ' ' && c < 0x7f;
}

static void print_name(struct symbols *symbols, struct place place)
{
	const struct symbols_function *f =
		symbols_function(symbols, symbols_find(symbols, place));

	if (f->known)
		printf(" %s+0x%" PRIx64, f->name, place.addr - f->start);
	else
		printf(" [unknown]");
	printf(" (%s)\n", f->object);
}

/* A frame of a call chain; behind what is inlined there, as perf has it: with the
 * offset in the function that has the code. */
static void print_frame(struct symbols *symbols, uint64_t offset,
			struct place place, struct place within)
{
	const struct symbols_function *f;
	size_t nr;
	const struct symbols_frame *frames = symbols_frames(symbols, within, &nr);
	uint64_t start = symbols_function(symbols, frames->function)->start;

	for (size_t i = nr; i-- > 1;) {
		f = symbols_function(symbols, frames[i].function);
		printf("\t%16" PRIx64 " %s+0x%" PRIx64 " (inlined)\n", offset,
		       f->name, place.addr - start);
	}
	printf("\t%16" PRIx64, offset);
	print_name(symbols, place);
}

/* Eight bytes a line, as hexadecimal and as text, and all of it as text again
 * if it is one; for which perf wants no more than printable characters. */
static void print_raw(const unsigned char *raw, uint32_t size)
{
	uint32_t len = strnlen((const char *)raw, size), i = 0;

	for (uint32_t at = 0; at < size; at += 8) {
		printf("%17s %04x:", at ? "" : "BPF output:", at);
		for (i = at; i < at + 8; i++)
			printf(i < size ? " %02x" : "   ", i < size ? raw[i] : 0);
		printf("  ");
		for (i = at; i < at + 8; i++)
			putchar(i >= size ? ' ' : is_text(raw[i]) ? raw[i] : '.');
		putchar('\n');
	}
	for (i = 0; i < size; i++)
		if (i < len ? !is_text(raw[i]) : raw[i])
			break;
	if (len < size && i == size)
		printf("%17s \"%s\"\n", "BPF string:", raw);
}

static void print_chain(struct symbols *symbols, const struct samples_sample *s)
{
	printf("\n");
	for (size_t i = 0; i < s->nr_frames; i++) {
		struct place place = s->frames[i].place, within = place;

		/* What is inlined where a return address leads to need not be
		 * what made the call. */
		if (!s->stack.has_lbr && i > s->stack.nr_kernel && within.addr)
			within.addr--;
		print_frame(symbols, s->frames[i].offset, place, within);
	}
	printf("\n");
}

struct printer {
	struct samples *samples;
	struct symbols *symbols;
	struct stacks_stack stack;
	int width;			/* of the events' names */
};

static uint64_t file_offset(const struct maps *maps, struct place place)
{
	const struct object *object = maps_file(maps, place.file)->object;
	uint64_t offset = place.addr;

	if (object)
		object_offset(object, place.addr, &offset);
	return offset;
}

/* The callers that the recorded stack tells are no use unless they are held against
 * the LBR and the code. */
static int print_stack(struct printer *p, struct samples_sample *s)
{
	struct maps *maps = samples_maps(p->samples);
	struct stacks_code answers = samples_code(p->samples);

	if (stacks_build(&s->stack, &answers, &p->stack))
		return err_fail("not enough memory for the stacks");
	printf("\n");
	for (size_t i = 0; i < p->stack.nr_frames; i++) {
		struct stacks_frame *f = &p->stack.frames[i];

		/* It is on no stack. */
		if (f->kind == STACKS_TAIL_CALL)
			continue;
		print_frame(p->symbols, file_offset(maps, f->place), f->place,
			    f->place);
	}
	printf("\n");
	return 0;
}

static int print_sample(struct printer *p, struct samples_sample *s)
{
	print_head(s, p->width);
	if (s->stack.nr_unwound) {
		if (print_stack(p, s))
			return -1;
	} else if (s->has_chain) {
		print_chain(p->symbols, s);
	} else {
		printf(" %16" PRIx64, s->ip.address);
		print_name(p->symbols, s->ip.place);
	}
	if (s->raw.raw && s->event->attr.config == PERF_COUNT_SW_BPF_OUTPUT &&
	    s->event->attr.type == PERF_TYPE_SOFTWARE) {
		print_raw(s->raw.raw, s->raw.raw_size);
		printf("\n");
	}
	return 0;
}

static int print_samples(struct printer *p, const char *input)
{
	struct samples_sample sample;
	uint64_t nr = 0;
	int ret;

	p->width = event_width(p->samples);
	while ((ret = samples_next(p->samples, &sample)) > 0 && !ferror(stdout)) {
		if (print_sample(p, &sample))
			return -1;
		nr++;
	}
	return ret == 0 && !nr ? samples_none(input) : ret;
}

static int script(const char *input, const char *event,
		  const struct symbols_options *names)
{
	struct printer p = { .samples = samples_open(input) };
	int ret = -1;

	if (!p.samples || (event && samples_select(p.samples, event))) {
		samples_close(p.samples);
		return ERR_EXIT_FAILED;
	}
	p.symbols = symbols_new(samples_maps(p.samples), names);
	if (p.symbols)
		ret = print_samples(&p, input);
	else
		err_errno("reading %s", input);
	stacks_free(&p.stack);
	symbols_free(p.symbols);
	samples_close(p.samples);
	return err_flush_stdout() || ret < 0 ? ERR_EXIT_FAILED : ERR_EXIT_DONE;
}

int cmd_script(int argc, char **argv)
{
	static const struct option options[] = {
		OPTIONS_READING_LONG,
		OPTIONS_NAMES_LONG,
		{ NULL, 0, NULL, 0 }
	};
	struct options_reading o = { .input = "perf.data" };
	int c, err = 0;

	opterr = 0;
	while (!err && (c = getopt_long(argc, argv, ":i:e:h", options, NULL)) != -1)
		err = options_reading("script", c, argv, &o);
	if (!err)
		err = options_end("script", argc, argv);
	if (err)
		return err;
	if (o.help) {
		fputs(help, stdout);
		return err_flush_stdout() ? ERR_EXIT_FAILED : ERR_EXIT_DONE;
	}
	return script(o.input, o.event, &o.names);
}
