// SPDX-License-Identifier: GPL-2.0
/* The command line of lbrctl blocks. */
#include <stdio.h>

#include "base/err.h"
#include "base/pager.h"
#include "blocks/text.h"
#include "verbs/options.h"
#include "verbs/verbs.h"

static const char usage[] =
	"Usage: lbrctl blocks [-i FILE] [-e EVENT] [FILTER]... [--percent-limit PERCENT]\n"
	"                     [--json] [FUNCTION]\n"
	"\n"
	"Prints the runs of code between two taken branches, from the branch records of a\n"
	"capture (record -b): executions, cycles, instructions per cycle, and how often\n"
	"the branch at the end was mispredicted. With FUNCTION: its\n"
	"instructions, in basic blocks. -d and -S select runs by their first address.\n";

struct blocks_options {
	struct options_reading reading;
	double limit;
	bool json, no_pager;
};

static int blocks_run(struct blocks_options *options, struct blocks_capture *c,
		      const char *function)
{
	struct options_reading *o = &options->reading;
	bool json = options->json;

	c->samples = samples_open(o->input);
	c->blocks = c->samples ? blocks_new(INSN_ATT) : NULL;
	if (!c->blocks || blocks_read(c, o->input, o->event, &o->filter))
		return -1;
	c->symbols = symbols_new(samples_maps(c->samples), &o->names);
	if (!c->symbols)
		return err_fail("out of memory");
	blocks_decode(c, &o->filter);
	if (!c->runs.nr && filter_has_frames(&o->filter))
		return err_fail("%s: no possible run begins in the files and functions of -d "
				"and -S",
				o->input);
	if (!json && !options->no_pager)
		pager_start();
	if (function)
		return json ? blocks_json_function(c, function) :
			      blocks_print_function(c, function);
	return json ? blocks_json(c) : blocks_print(c);
}

static int blocks(struct blocks_options *o, const char *function)
{
	struct blocks_capture c = { .limit = o->limit };
	int err = blocks_run(o, &c, function);

	err = err_flush_stdout() || err;
	pager_end();
	symbols_free(c.symbols);
	blocks_free(c.blocks);
	runs_free(&c.runs);
	samples_close(c.samples);
	return err ? ERR_EXIT_FAILED : ERR_EXIT_DONE;
}

static const struct options_option options[] = {
	{ "input", 'i', "FILE",
	  "the capture (perf.data)",
	  options_text, part_of(struct blocks_options, reading.input, const char *) },
	{ "event", 'e', "EVENT",
	  "only samples of this event",
	  options_text, part_of(struct blocks_options, reading.event, const char *) },
	{ "percent-limit", 0, "PERCENT",
	  "omit lines with less of the total (0.5)",
	  options_percent, part_of(struct blocks_options, limit, double) },
	FILTER_ROWS(struct blocks_options, reading.filter),
	OPTIONS_SYMFS_ROW,
	{ "json", 0, NULL,
	  "one JSON object",
	  options_set, part_of(struct blocks_options, json, bool) },
	OPTIONS_PAGER_ROW(struct blocks_options, no_pager),
	{ .name = NULL }
};

int cmd_blocks(int argc, char **argv)
{
	static const struct options_verb verb = {
		.name = "blocks", .usage = usage,
		.options = options, .arguments = 1,
	};
	struct blocks_options o = { .reading.input = "perf.data", .limit = 0.5 };
	int err;

	if (options_take(&verb, argc, argv, &o, &err))
		err = blocks(&o, argv[optind]);
	filter_free(&o.reading.filter);
	return err;
}
