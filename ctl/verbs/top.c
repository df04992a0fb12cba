// SPDX-License-Identifier: GPL-2.0
/* The command line of lbrctl top. */
#include <stdio.h>
#include <stdlib.h>

#include "base/duration.h"
#include "base/err.h"
#include "top/top.h"
#include "verbs/options.h"
#include "verbs/verbs.h"

#define TOP_DELAY_DEFAULT	2000000000ULL
#define TOP_DELAY_MIN		100000000ULL

static const char usage[] =
	"Usage: lbrctl top [OPTION]... [-a | -p PID | -t TID | -u USER | -G PATH |\n"
	"                  -- COMMAND [ARG]...]\n"
	"\n"
	"Shows live in which functions the time is spent: by everything, by COMMAND and\n"
	"its children, or by a running process. Enter opens the call tree of the selected\n"
	"function, / searches, p pauses, q quits.\n";

#define TOP_DELAY_PLAIN	1000000000	/* ns: perf's -d 1 is a second */

static int top_delay(const char *verb, const char *text, void *options)
{
	struct top_options *o = options;

	if (duration_parse(text, TOP_DELAY_PLAIN, &o->delay) && o->delay >= TOP_DELAY_MIN)
		return 0;
	return err_usage(verb, "-d %s: the time is at least 100ms, in seconds or with a unit ("
			 DURATION_UNITS "), such as 10s", text);
}

static int top(struct top_options *o)
{
	struct subject_options *subject = &o->record.subject;
	int err;

	/* As with top(1), the default is everything. */
	if (subject_is_nobody(subject))
		subject->all = true;
	err = subject_check("top", "show", subject);
	if (!err)
		err = options_sampling_end("top", &o->record);
	return err ? err : top_run(o);
}

static const struct options_option options[] = {
	SUBJECT_ROWS(struct top_options, record.subject),
	{ "event", 'e', "EVENT,…",
	  "as with lbrctl record (cycles)",
	  options_events, part_of(struct top_options, record.events, struct eventlist) },
	{ "freq", 'F', "HZ",
	  "samples per second of each CPU, or of each task while it runs (999)",
	  options_frequency, part_of(struct top_options, record, struct record_options) },
	{ "count", 'c', "COUNT",
	  "use a fixed period: events from one sample to the next",
	  options_period, part_of(struct top_options, record, struct record_options) },
	{ "delay", 'd', "TIME",
	  "the time that a picture covers: 500ms, 10s (2s)",
	  top_delay, 0 },
	{ "comms", 0, "NAME,…",
	  "only threads with these names",
	  filter_comms, part_of(struct top_options, filter, struct filter) },
	{ "dsos", 0, "NAME,…",
	  "only samples with the innermost frame in these files",
	  filter_objects, part_of(struct top_options, filter, struct filter) },
	{ "symbols", 0, "NAME,…",
	  "only samples with the innermost frame in these functions",
	  filter_symbols, part_of(struct top_options, filter, struct filter) },
	OPTIONS_NAMES_ROWS(struct top_options, names),
	{ .name = NULL }
};

int cmd_top(int argc, char **argv)
{
	static const struct options_verb verb = {
		.name = "top", .usage = usage, .command = true,
		.options = options, .arguments = OPTIONS_ANY,
	};
	static struct top_options o = { .delay = TOP_DELAY_DEFAULT, .record.stacks_where_needed = true };	/* large for a stack */
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
