// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>

#include "analysis.h"
#include "cmd.h"
#include "diff.h"
#include "err.h"
#include "options.h"
#include "pager.h"

enum { DIFF_CHILDREN = OPTIONS_OWN, DIFF_NO_CHILDREN, DIFF_LIMIT, DIFF_JSON, DIFF_CSV,
       DIFF_NO_PAGER };

static const char help[] =
	"Usage: lbrctl diff [-e EVENT] [-s KEY,…] [--children] [FILTER]...\n"
	"                   [--json | --csv] BEFORE AFTER\n"
	"\n"
	"Compares the shares of each function in two captures. What is marked * has\n"
	"changed beyond what chance does to samples, and stands first.\n"
	"\n"
	"  -e, --event EVENT    of this event only, as offcpu-time (all others)\n"
	"  -s, --sort KEY,…     what lines are of, as with report (sym,dso)\n"
	"      --children       compare totals, with what the functions called\n"
	"      --no-children    compare selfs, which is the default\n"
	"      --percent-limit PERCENT\n"
	"                       leave out what has less in both (0.5; with --json and\n"
	"                       --csv 0)\n"
	"      --strict         without stacks that are broken or disputed\n"
	FILTER_USAGE
	OPTIONS_NAMES_USAGE
	"      --json, --csv    for scripts: see lbrctl-json(7)\n"
	"      --no-pager       not through $PAGER, if it is a terminal\n"
	"  -h, --help           this text\n";

struct diff_options {
	struct options_reading reading;
	const char *files[DIFF_SIDES];
	struct rows_sort sort;
	double limit;		/* negative: as the form has it */
	bool by_total, no_pager;
	void (*print)(const struct diff *diff, FILE *out);
};

static struct analysis *diff_open(struct diff_options *o, const char *file)
{
	struct analysis *a = analysis_open(&(struct analysis_query){
		.input = file, .event = o->reading.event, .strict = o->reading.strict,
		.filter = &o->reading.filter, .names = &o->reading.names,
		.sort = &o->sort });

	if (!a || a->nr_samples)
		return a;
	analysis_none(a);
	analysis_free(a);
	return NULL;
}

static int diff_print(const struct diff_options *o, const struct diff *diff)
{
	bool paged = o->print == diff_print_text && !o->no_pager;
	int err;

	if (paged)
		pager_start();
	o->print(diff, stdout);
	err = err_flush_stdout();
	if (paged)
		pager_end();
	return err;
}

static int diff_sides(const struct diff_options *o, struct analysis *before,
		      struct analysis *after)
{
	struct diff diff = {
		.sides = { before, after }, .by_total = o->by_total,
		.limit = o->limit >= 0 ? o->limit : o->print == diff_print_text ? 0.5 : 0,
	};
	int err;

	if (before->offcpu != after->offcpu)
		return err_fail("%s and %s: the one has times off the CPU, the other samples of events; -e says which event",
				o->files[DIFF_BEFORE], o->files[DIFF_AFTER]);
	if (strcmp(before->event, after->event))
		err_warn("before it is %s, after %s: what is compared is not of one kind",
			 before->event, after->event);
	err = diff_build(&diff) ? err_fail("not enough memory to compare the captures") :
				  diff_print(o, &diff);
	diff_free(&diff);
	return err;
}

static int diff(struct diff_options *o)
{
	struct analysis *before = diff_open(o, o->files[DIFF_BEFORE]);
	struct analysis *after = before ? diff_open(o, o->files[DIFF_AFTER]) : NULL;
	int err = after ? diff_sides(o, before, after) : -1;

	analysis_free(before);
	analysis_free(after);
	return err ? ERR_EXIT_FAILED : ERR_EXIT_DONE;
}

static int diff_option(int c, char **argv, struct diff_options *o)
{
	switch (c) {
	case 's':
		return options_sort("diff", optarg, &o->sort);
	case DIFF_CHILDREN:
	case DIFF_NO_CHILDREN:
		o->by_total = c == DIFF_CHILDREN;
		return 0;
	case DIFF_LIMIT:
		return options_percent("diff", optarg, &o->limit);
	case DIFF_JSON:
	case DIFF_CSV:
		o->print = c == DIFF_JSON ? diff_print_json : diff_print_csv;
		return 0;
	case DIFF_NO_PAGER:
		o->no_pager = true;
		return 0;
	default:
		return options_reading("diff", c, argv, &o->reading);
	}
}

static int diff_files(int argc, char **argv, struct diff_options *o)
{
	if (o->reading.help)
		return 0;
	if (argc - optind < DIFF_SIDES)
		return err_usage("diff", "two captures are to be compared: BEFORE AFTER");
	o->files[DIFF_BEFORE] = argv[optind++];
	o->files[DIFF_AFTER] = argv[optind++];
	return options_end("diff", argc, argv);
}

int cmd_diff(int argc, char **argv)
{
	static const struct option options[] = {
		{ "event", required_argument, NULL, 'e' },
		{ "help", no_argument, NULL, 'h' },
		FILTER_LONG_OPTIONS,
		OPTIONS_NAMES_LONG,
		{ "sort", required_argument, NULL, 's' },
		{ "children", no_argument, NULL, DIFF_CHILDREN },
		{ "no-children", no_argument, NULL, DIFF_NO_CHILDREN },
		{ "percent-limit", required_argument, NULL, DIFF_LIMIT },
		{ "strict", no_argument, NULL, OPTIONS_STRICT },
		{ "json", no_argument, NULL, DIFF_JSON },
		{ "csv", no_argument, NULL, DIFF_CSV },
		{ "no-pager", no_argument, NULL, DIFF_NO_PAGER },
		{ NULL, 0, NULL, 0 }
	};
	struct diff_options o = {
		.limit = -1, .sort = { .keys = { ROWS_SYMBOL, ROWS_OBJECT }, .nr = 2 },
		.print = diff_print_text,
	};
	int c, err = 0;

	opterr = 0;
	while (!err && (c = getopt_long(argc, argv, ":e:s:" FILTER_OPTIONS "h", options,
					NULL)) != -1)
		err = diff_option(c, argv, &o);
	if (!err)
		err = diff_files(argc, argv, &o);
	if (!err)
		err = o.reading.help ? options_help(help) : diff(&o);
	filter_free(&o.reading.filter);
	return err;
}
