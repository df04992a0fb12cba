// SPDX-License-Identifier: GPL-2.0
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "analysis.h"
#include "cmd.h"
#include "err.h"
#include "options.h"
#include "pager.h"
#include "report.h"

enum { REPORT_LIMIT = OPTIONS_OWN, REPORT_CHILDREN, REPORT_NO_CHILDREN,
       REPORT_UNFOLDED, REPORT_JSON, REPORT_CSV, REPORT_NO_PAGER };

static const char help[] =
	"Usage: lbrctl report [-i FILE] [-e EVENT] [-s KEY,…] [-g ORDER] [FILTER]...\n"
	"                     [--json | --csv]\n"
	"\n"
	"Prints what a capture shows: the samples, losses and stack verdicts, self and\n"
	"total of each function, and the call tree from the threads' entries down. Behind\n"
	"each share stands how far it may be off (95 %).\n"
	"\n"
	"  -i, --input FILE     the capture (perf.data)\n"
	"  -e, --event EVENT    of this event only, as offcpu-time (all others)\n"
	"  -s, --sort KEY,…     what lines are of, some of: sym, dso, srcline, comm, pid,\n"
	"                       tid, cpu, cgroup (sym,dso)\n"
	"      --children       lines by falling total, not by self\n"
	"      --no-children    lines by falling self\n"
	"  -g, --call-graph caller|callee|none\n"
	"                       the tree from the callers down, or inverted: who called\n"
	"                       what took the time; or no tree\n"
	"      --no-fold        recursion as it was, not folded to where it began\n"
	"      --percent-limit PERCENT\n"
	"                       leave out what has less of the total (0.5; with --json\n"
	"                       and --csv 0)\n"
	"      --strict         without stacks that are broken or disputed\n"
	FILTER_USAGE
	OPTIONS_NAMES_USAGE
	"      --json, --csv    for scripts: see lbrctl-json(7)\n"
	"      --no-pager       not through $PAGER, if it is a terminal\n"
	"  -h, --help           this text\n";

struct report_options {
	struct options_reading reading;
	struct rows_sort sort;
	double limit;		/* negative: as the form has it */
	bool by_total, no_tree, inverted, unfolded, no_pager;
	void (*print)(const struct report *report, FILE *out);
};

static int report_graph(const char *text, struct report_options *o)
{
	o->inverted = !strcmp(text, "callee");
	o->no_tree = !strcmp(text, "none");
	if (o->inverted || o->no_tree || !strcmp(text, "caller"))
		return 0;
	return err_usage("report", "-g takes caller, callee or none, not '%s'", text);
}

static int report_print(const struct report_options *o, const struct analysis *a)
{
	struct report report = {
		.analysis = a, .by_total = o->by_total, .tree = !o->no_tree,
		.limit = o->limit >= 0 ? o->limit :
			 o->print == report_print_text ? 0.5 : 0,
	};
	bool paged = o->print == report_print_text && !o->no_pager;
	int err;

	if (rows_order(a->rows, o->by_total))
		return err_fail("not enough memory for the table");
	if (paged)
		pager_start();
	o->print(&report, stdout);
	err = err_flush_stdout();
	if (paged)
		pager_end();
	return err;
}

static int report(struct report_options *o)
{
	struct analysis *a = analysis_open(&(struct analysis_query){
		.input = o->reading.input, .event = o->reading.event,
		.strict = o->reading.strict, .filter = &o->reading.filter,
		.names = &o->reading.names,
		.sort = &o->sort, .fold = !o->unfolded, .inverted = o->inverted });
	int err;

	if (!a)
		return ERR_EXIT_FAILED;
	err = a->nr_samples ? report_print(o, a) : analysis_none(a);
	analysis_free(a);
	return err ? ERR_EXIT_FAILED : ERR_EXIT_DONE;
}

static int report_option(int c, char **argv, struct report_options *o)
{
	switch (c) {
	case 's':
		return options_sort("report", optarg, &o->sort);
	case 'g':
		return report_graph(optarg, o);
	case REPORT_CHILDREN:
	case REPORT_NO_CHILDREN:
		o->by_total = c == REPORT_CHILDREN;
		return 0;
	case REPORT_UNFOLDED:
		o->unfolded = true;
		return 0;
	case REPORT_LIMIT:
		return options_percent("report", optarg, &o->limit);
	case REPORT_JSON:
	case REPORT_CSV:
		o->print = c == REPORT_JSON ? report_print_json : report_print_csv;
		return 0;
	case REPORT_NO_PAGER:
		o->no_pager = true;
		return 0;
	default:
		return options_reading("report", c, argv, &o->reading);
	}
}

int cmd_report(int argc, char **argv)
{
	static const struct option options[] = {
		OPTIONS_READING_LONG,
		FILTER_LONG_OPTIONS,
		OPTIONS_NAMES_LONG,
		{ "sort", required_argument, NULL, 's' },
		{ "call-graph", required_argument, NULL, 'g' },
		{ "children", no_argument, NULL, REPORT_CHILDREN },
		{ "no-children", no_argument, NULL, REPORT_NO_CHILDREN },
		{ "no-fold", no_argument, NULL, REPORT_UNFOLDED },
		{ "percent-limit", required_argument, NULL, REPORT_LIMIT },
		{ "strict", no_argument, NULL, OPTIONS_STRICT },
		{ "json", no_argument, NULL, REPORT_JSON },
		{ "csv", no_argument, NULL, REPORT_CSV },
		{ "no-pager", no_argument, NULL, REPORT_NO_PAGER },
		{ NULL, 0, NULL, 0 }
	};
	struct report_options o = {
		.reading = { .input = "perf.data" }, .limit = -1,
		.sort = { .keys = { ROWS_SYMBOL, ROWS_OBJECT }, .nr = 2 },
		.print = report_print_text,
	};
	int c, err = 0;

	opterr = 0;
	while (!err && (c = getopt_long(argc, argv, ":i:e:s:g:" FILTER_OPTIONS "h",
					options, NULL)) != -1)
		err = report_option(c, argv, &o);
	if (!err)
		err = options_end("report", argc, argv);
	if (!err)
		err = o.reading.help ? options_help(help) : report(&o);
	filter_free(&o.reading.filter);
	return err;
}
