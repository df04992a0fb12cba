// SPDX-License-Identifier: GPL-2.0
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "err.h"
#include "samples.h"
#include "symbols.h"

static const char help[] =
	"Usage: lbrctl script [-i FILE] [-e EVENT]\n"
	"\n"
	"Prints each sample in the default layout of 'perf script', for the programs\n"
	"that read it. Of an LBR call stack the first line is the sampled address (perf\n"
	"prints the entry of its function), then come the callers.\n"
	"\n"
	"  -i, --input FILE   the capture (perf.data)\n"
	"  -e, --event EVENT  of this event only\n"
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
		printf("\t%16" PRIx64, s->frames[i].offset);
		print_name(symbols, s->frames[i].place);
	}
	printf("\n");
}

static void print_sample(struct symbols *symbols,
			 const struct samples_sample *s, int width)
{
	print_head(s, width);
	if (s->has_chain) {
		print_chain(symbols, s);
	} else {
		printf(" %16" PRIx64, s->ip.address);
		print_name(symbols, s->ip.place);
	}
	if (s->raw.raw && s->event->attr.config == PERF_COUNT_SW_BPF_OUTPUT &&
	    s->event->attr.type == PERF_TYPE_SOFTWARE) {
		print_raw(s->raw.raw, s->raw.raw_size);
		printf("\n");
	}
}

static int script(const char *input, const char *event)
{
	struct samples *samples = samples_open(input);
	struct symbols *symbols = NULL;
	struct samples_sample sample;
	uint64_t nr = 0;
	int ret = -1, width = 0;

	if (samples && event && samples_select(samples, event)) {
		samples_close(samples);
		return ERR_EXIT_FAILED;
	}
	if (samples && !(symbols = symbols_new(samples_maps(samples))))
		err_errno("reading %s", input);
	if (symbols)
		width = event_width(samples);
	while (symbols && (ret = samples_next(samples, &sample)) > 0 &&
	       !ferror(stdout)) {
		print_sample(symbols, &sample, width);
		nr++;
	}
	if (ret == 0 && !nr)
		ret = samples_none(input);
	symbols_free(symbols);
	samples_close(samples);
	return err_flush_stdout() || ret < 0 ? ERR_EXIT_FAILED : ERR_EXIT_DONE;
}

int cmd_script(int argc, char **argv)
{
	static const struct option options[] = {
		{ "input", required_argument, NULL, 'i' },
		{ "event", required_argument, NULL, 'e' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 }
	};
	const char *input = "perf.data", *event = NULL;
	int c;

	opterr = 0;
	while ((c = getopt_long(argc, argv, ":i:e:h", options, NULL)) != -1) {
		switch (c) {
		case 'i':
			input = optarg;
			break;
		case 'e':
			event = optarg;
			break;
		case 'h':
			fputs(help, stdout);
			return err_flush_stdout() ? ERR_EXIT_FAILED : ERR_EXIT_DONE;
		case ':':
			return err_usage("script", "%s needs a value", argv[optind - 1]);
		default:
			return err_usage("script", "unknown option '%s'",
					 argv[optind - 1]);
		}
	}
	if (optind < argc)
		return err_usage("script", "unexpected '%s'", argv[optind]);
	return script(input, event);
}
