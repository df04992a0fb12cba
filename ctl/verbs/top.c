// SPDX-License-Identifier: GPL-2.0
/* The command line of lbrctl top. */
#include <stdio.h>
#include <stdlib.h>

#include "base/duration.h"
#include "base/err.h"
#include "top/top.h"
#include "verbs/options.h"
#include "verbs/verbs.h"

/* The options of filters whose letters are the recording's here, as with perf top. */
enum { TOP_COMMS = OPTIONS_OWN, TOP_OBJECTS, TOP_SYMBOLS };

#define TOP_DELAY_DEFAULT	2000000000ULL
#define TOP_DELAY_MIN		100000000ULL

static const char usage[] =
	"Usage: lbrctl top [OPTION]... [-a | -p PID | -t TID | -G PATH |\n"
	"                  -- COMMAND [ARG]...]\n"
	"\n"
	"Shows while it goes on where the time goes, by function: of everything, of\n"
	"COMMAND and its children, or of a running process. Enter opens the call tree of\n"
	"the function that is marked, / finds others, p pauses, q ends it.\n";

static const struct options_option options[] = {
	SUBJECT_ROWS,
	{ "event", 'e', "EVENT,…",
	  "as lbrctl record has it (cycles)" },
	{ "freq", 'F', "HZ",
	  "samples a second of each CPU, or of each task while it runs (999)" },
	{ "count", 'c', "COUNT",
	  "events from one sample to the next, instead" },
	{ "delay", 'd', "TIME",
	  "what a picture is of: the last 500ms, 10s (2s)" },
	{ "comms", TOP_COMMS, "NAME,…",
	  "only these threads, by name" },
	{ "dsos", TOP_OBJECTS, "NAME,…",
	  "only where the innermost frame is in these files" },
	{ "symbols", TOP_SYMBOLS, "NAME,…",
	  "or in these functions" },
	OPTIONS_NAMES_ROWS,
	{ NULL, 0, NULL, NULL }
};

static int top_option(int c, void *options)
{
	struct top_options *o = options;
	struct filter *filter = &o->filter;

	switch (c) {
	case 'e':
	case 'F':
	case 'c':
		return options_sampling("top", c, optarg, &o->record);
	case 'd':
		if (duration_parse(optarg, 0, &o->delay) && o->delay >= TOP_DELAY_MIN)
			return 0;
		return err_usage("top", "-d %s: the time of a picture is at least 100ms, "
				 "with its unit (" DURATION_UNITS "), as 10s", optarg);
	case TOP_COMMS:
		return filter_option("top", 'c', optarg, filter);
	case TOP_OBJECTS:
		return filter_option("top", 'd', optarg, filter);
	case TOP_SYMBOLS:
		return filter_option("top", 'S', optarg, filter);
	case 'a':
	case 'C':
	case 'p':
	case 't':
	case 'G':
		return subject_option("top", c, optarg, &o->record.subject);
	default:
		return options_names(c, &o->names);
	}
}

static int top(struct top_options *o)
{
	struct subject_options *subject = &o->record.subject;
	int err;

	/* As top(1), it can do without being told. */
	if (subject_is_nobody(subject))
		subject->all = true;
	err = subject_check("top", "show", subject);
	if (!err)
		err = options_sampling_end("top", &o->record);
	return err ? err : top_run(o);
}

int cmd_top(int argc, char **argv)
{
	static const struct options_verb verb = {
		.name = "top", .usage = usage, .command = true,
		.options = options, .take = top_option, .arguments = OPTIONS_ANY,
	};
	static struct top_options o = { .delay = TOP_DELAY_DEFAULT };	/* large for a stack */
	int err;

	options_sampling_begin(&o.record, argc, argv);
	if (options_take(&verb, argc, argv, &o, &err)) {
		if (optind < argc)
			o.record.subject.command = argv + optind;
		err = top(&o);
	}
	filter_free(&o.filter);
	return err;
}
