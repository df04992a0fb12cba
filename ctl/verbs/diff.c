// SPDX-License-Identifier: GPL-2.0
/* The command line of lbrctl diff. */
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "profile/analysis.h"
#include "report/diff.h"
#include "verbs/options.h"
#include "verbs/verbs.h"

static const char usage[] =
	"Usage: lbrctl diff [-e EVENT] [-s KEY,…] [--children] [FILTER]...\n"
	"                   [--json | --csv] BEFORE AFTER\n"
	"\n"
	"Compares the shares of each function in two captures. Lines marked * have\n"
	"changed significantly and come first.\n";

static struct analysis *diff_open(struct options_table *o, const char *file)
{
	struct options_reading *reading = &o->reading;
	struct analysis *a = analysis_open(&(struct analysis_query){
		.input = file, .event = reading->event, .strict = reading->strict,
		.filter = &reading->filter, .names = &reading->names,
		.sort = &o->sort });

	if (!a || a->nr_samples)
		return a;
	analysis_none(a);
	analysis_free(a);
	return NULL;
}

static int diff_print(const struct options_table *o, const struct diff *diff)
{
	static void (*const print[OPTIONS_FORMS])(const struct diff *, FILE *) = {
		[OPTIONS_TEXT] = diff_print_text, [OPTIONS_JSON] = diff_print_json,
		[OPTIONS_CSV] = diff_print_csv,
	};

	options_table_begin(o);
	print[o->form](diff, stdout);
	return options_table_end();
}

static int diff_sides(const struct options_table *o, char **files,
		      struct analysis *before, struct analysis *after)
{
	struct diff diff = {
		.sides = { before, after }, .by_total = o->by_total,
		.limit = options_limit(o),
	};
	int err;

	if (before->offcpu != after->offcpu)
		return err_fail("%s and %s: one has times off the CPU, the other has samples of "
				"events; select one event with -e",
				files[DIFF_BEFORE], files[DIFF_AFTER]);
	if (strcmp(before->event, after->event))
		err_warn("before: %s, after: %s: the captures have different events",
			 before->event, after->event);
	err = diff_build(&diff) ? err_fail("not enough memory to compare the captures") :
				  diff_print(o, &diff);
	diff_free(&diff);
	return err;
}

static int diff(struct options_table *o, char **files)
{
	struct analysis *before = diff_open(o, files[DIFF_BEFORE]);
	struct analysis *after = before ? diff_open(o, files[DIFF_AFTER]) : NULL;
	int err = after ? diff_sides(o, files, before, after) : -1;

	analysis_free(before);
	analysis_free(after);
	return err ? ERR_EXIT_FAILED : ERR_EXIT_DONE;
}

static const struct options_option options[] = {
	{ "event", 'e', "EVENT",
	  "only this event, such as offcpu-time (all others)",
	  options_text, part_of(struct options_table, reading.event, const char *) },
	{ "sort", 's', "KEY,…",
	  "what a line stands for, as with report (sym,dso)",
	  options_sort, part_of(struct options_table, sort, struct rows_sort) },
	{ "children", 0, NULL,
	  "compare totals, which include callees",
	  options_set, part_of(struct options_table, by_total, bool) },
	{ "no-children", 0, NULL,
	  "compare selfs (the default)",
	  options_clear, part_of(struct options_table, by_total, bool) },
	{ "percent-limit", 0, "PERCENT",
	  "omit lines with less in both (0.5; with --json and --csv 0)",
	  options_percent, part_of(struct options_table, limit, double) },
	OPTIONS_TABLE_ROWS(struct options_table, ),
	{ .name = NULL }
};

int cmd_diff(int argc, char **argv)
{
	static const struct options_verb verb = {
		.name = "diff", .usage = usage,
		.options = options, .arguments = DIFF_SIDES,
	};
	struct options_table o = OPTIONS_TABLE_DEFAULT;
	int err;

	if (options_take(&verb, argc, argv, &o, &err))
		err = argc - optind == DIFF_SIDES ? diff(&o, argv + optind) :
		      err_usage("diff", "name two captures to compare: BEFORE AFTER");
	filter_free(&o.reading.filter);
	return err;
}
