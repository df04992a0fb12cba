// SPDX-License-Identifier: GPL-2.0
/* The command line of lbrctl diff. */
#include <stdio.h>
#include <stdlib.h>
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
	"Compares the shares of each function in two captures, event by event. Lines\n"
	"marked * have changed significantly and come first.\n";

static struct analysis *diff_open(struct options_table *o, const char *file)
{
	struct options_reading *reading = &o->reading;
	struct analysis *a = analysis_open(&(struct analysis_query){
		.input = file, .event = reading->event, .strict = reading->strict,
		.filter = &reading->filter, .names = &reading->names,
		.sort = &o->sort, .no_tree = true,
		.leaves = o->form != OPTIONS_JSON && !o->by_total });

	if (!a || a->nr_samples)
		return a;
	analysis_none(a);
	analysis_free(a);
	return NULL;
}

static int diff_print(const struct options_table *o, const struct diff *diff)
{
	static int (*const print[OPTIONS_FORMS])(const struct diff *, FILE *) = {
		[OPTIONS_TEXT] = diff_print_text, [OPTIONS_JSON] = diff_print_json,
		[OPTIONS_CSV] = diff_print_csv,
	};

	int err;

	options_table_begin(o);
	err = print[o->form](diff, stdout);
	return options_table_end() || err ? -1 : 0;
}

/* Adds a comparison at the end of the chain. */
static int diff_add(struct diff ***end, const struct options_table *o,
		    const struct analysis *before, const struct analysis *after)
{
	struct diff *diff = calloc(1, sizeof(*diff));

	if (!diff)
		return -1;
	*diff = (struct diff){
		.sides = { before, after }, .by_total = o->by_total,
		.limit = options_limit(o), .full_names = o->full_names,
	};
	**end = diff;
	*end = &diff->next;
	return diff_build(diff);
}

/* Either capture has one event, whatever its name, or events of one name are compared. */
static int diff_pairs(struct diff **list, const struct options_table *o, char **files,
		      const struct analysis *before, const struct analysis *after)
{
	struct diff **end = list;
	int err = 0;

	if (!before->next && !after->next) {
		if (strcmp(before->event, after->event))
			err_warn("before: %s, after: %s: the captures have different events",
				 before->event, after->event);
		return diff_add(&end, o, before, after);
	}
	for (const struct analysis *a = before; a && !err; a = a->next) {
		const struct analysis *b = analysis_find(after, a);

		if (b)
			err = diff_add(&end, o, a, b);
		else
			err_warn("%s: only in %s", a->event, files[DIFF_BEFORE]);
	}
	for (const struct analysis *b = after; b; b = b->next)
		if (!analysis_find(before, b))
			err_warn("%s: only in %s", b->event, files[DIFF_AFTER]);
	return err;
}

static int diff_sides(const struct options_table *o, char **files,
		      struct analysis *before, struct analysis *after)
{
	struct diff *list = NULL;
	int err;

	if (before->offcpu != after->offcpu)
		return err_fail("%s and %s: one has times off the CPU, the other has samples of "
				"events; select one event with -e",
				files[DIFF_BEFORE], files[DIFF_AFTER]);
	if (diff_pairs(&list, o, files, before, after))
		err = err_fail("not enough memory to compare the captures");
	else if (!list)
		err = err_fail("%s and %s have no event in common",
			       files[DIFF_BEFORE], files[DIFF_AFTER]);
	else
		err = diff_print(o, list);
	while (list) {
		struct diff *next = list->next;

		diff_free(list);
		free(list);
		list = next;
	}
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
	  "what a line stands for: sym, dso, srcline, comm, pid, tid, cpu, cgroup, state (sym,dso)",
	  options_sort, part_of(struct options_table, sort, struct rows_sort) },
	{ "children", 0, NULL,
	  "compare total shares, which include callees",
	  options_set, part_of(struct options_table, by_total, bool) },
	{ "no-children", 0, NULL,
	  "compare self shares (the default)",
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
