// SPDX-License-Identifier: GPL-2.0
/* The command line of lbrctl report. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "browse/screen.h"
#include "profile/analysis.h"
#include "report/report.h"
#include "verbs/browse.h"
#include "verbs/options.h"
#include "verbs/verbs.h"

static const char usage[] =
	"Usage: lbrctl report [-i FILE] [-e EVENT] [-s KEY,…] [-g ORDER] [FILTER]...\n"
	"                     [--json | --csv] [FILE]\n"
	"\n"
	"Prints a capture: its samples, losses and stack verdicts, self and total of each\n"
	"function, and the call tree from the threads' entries down. A share is followed\n"
	"by its 95 % interval.\n"
	"\n"
	"On a terminal, 'lbrctl browse' shows it instead. --stdio prints text there, too,\n"
	"as does each option that asks for more than 'lbrctl browse' has.\n";

struct report_options {
	struct options_table table;
	bool no_tree, inverted, unfolded, quiet, verbose, numbers;
	bool text;			/* an option asks for it that leaves no other trace */
};

static bool is_word(const char *text, size_t length, const char *word)
{
	return strlen(word) == length && !memcmp(text, word, length);
}

static int report_graph(const char *verb, const char *text, void *options)
{
	/* perf's forms of a tree, of which the text has one, and what its lines show. */
	static const char *const ignored[] = {
		"graph", "fractal", "flat", "folded", "function", "address", "percent", "period", "count",
	};
	struct report_options *o = options;

	o->inverted = o->no_tree = false;
	o->text = true;
	for (const char *at = text;; at++) {
		const size_t length = strcspn(at, ",");
		bool known = length && strspn(at, "0123456789.") == length;

		for (size_t i = 0; i < sizeof(ignored) / sizeof(*ignored); i++)
			known |= is_word(at, length, ignored[i]);
		o->inverted |= is_word(at, length, "callee");
		o->no_tree |= is_word(at, length, "none");
		if (!known && !is_word(at, length, "caller") && !is_word(at, length, "callee") &&
		    !is_word(at, length, "none"))
			return err_usage(verb, "-g takes caller, callee or none, not '%s'", text);
		at += length;
		if (!*at)
			return 0;
	}
}

static int report_callers(const char *verb, const char *none, void *options)
{
	(void)none;
	return report_graph(verb, "caller", options);
}

static int report_print(const struct report_options *o, const struct analysis *a)
{
	static int (*const print[OPTIONS_FORMS])(const struct report *, FILE *) = {
		[OPTIONS_TEXT] = report_print_text, [OPTIONS_JSON] = report_print_json,
		[OPTIONS_CSV] = report_print_csv,
	};
	const struct options_table *table = &o->table;
	struct report report = {
		.analysis = a, .by_total = table->by_total, .tree = !o->no_tree,
		.limit = options_limit(table), .quiet = o->quiet, .verbose = o->verbose,
		.full_names = table->full_names, .numbers = o->numbers,
	};

	int err;

	for (const struct analysis *of = a; of; of = of->next)
		if (rows_order(of->rows, table->by_total))
			return err_fail("not enough memory for the table");
	options_table_begin(table);
	err = print[table->form](&report, stdout);
	return options_table_end() || err ? -1 : 0;
}

static int report(struct report_options *o)
{
	struct options_reading *reading = &o->table.reading;
	struct analysis *a = analysis_open(&(struct analysis_query){
		.input = reading->input, .event = reading->event,
		.strict = reading->strict, .filter = &reading->filter,
		.names = &reading->names, .sort = &o->table.sort,
		.no_tree = o->no_tree || o->table.form == OPTIONS_CSV,
		.leaves = o->no_tree && o->table.form == OPTIONS_TEXT && !o->table.by_total && !o->verbose,
		.fold = !o->unfolded, .inverted = o->inverted });
	int err;

	if (!a)
		return ERR_EXIT_FAILED;
	err = a->nr_samples ? report_print(o, a) : analysis_none(a);
	analysis_free(a);
	return err ? ERR_EXIT_FAILED : ERR_EXIT_DONE;
}

/* Whether an option is for the text alone. */
static bool asks_for_text(const struct report_options *o)
{
	static const struct options_table none = OPTIONS_TABLE_DEFAULT;
	const struct options_table *t = &o->table;

	return o->text || o->unfolded || o->quiet || o->verbose || o->numbers || t->by_total || t->no_pager ||
	       t->full_names || t->reading.strict || t->limit >= 0 || t->form != OPTIONS_TEXT ||
	       memcmp(&t->sort, &none.sort, sizeof(t->sort));
}

static const struct options_option options[] = {
	{ "input", 'i', "FILE",
	  "the capture (perf.data)",
	  options_text, part_of(struct report_options, table.reading.input, const char *) },
	{ "event", 'e', "EVENT",
	  "only this event, such as offcpu-time (all others)",
	  options_text, part_of(struct report_options, table.reading.event, const char *) },
	{ "sort", 's', "KEY,…",
	  "what a line stands for: sym, dso, srcline, comm, pid, tid, cpu, cgroup, state (sym,dso)",
	  options_sort, part_of(struct report_options, table.sort, struct rows_sort) },
	{ "children", 0, NULL,
	  "sort lines by total, not by self",
	  options_set, part_of(struct report_options, table.by_total, bool) },
	{ "no-children", 0, NULL,
	  "sort lines by self",
	  options_clear, part_of(struct report_options, table.by_total, bool) },
	{ "call-graph", 'g', "caller|callee|none",
	  "the tree from the callers down; or inverted, from the functions that took the time "
	  "up to their callers; or no tree",
	  report_graph, 0 },
	{ "no-fold", 0, NULL,
	  "show recursion unfolded",
	  options_set, part_of(struct report_options, unfolded, bool) },
	{ "percent-limit", 0, "PERCENT",
	  "omit lines with less of the total (0.5; with --json and --csv 0)",
	  options_percent, part_of(struct report_options, table.limit, double) },
	{ "quiet", 'q', NULL,
	  "only the table and the tree, without the summary",
	  options_set, part_of(struct report_options, quiet, bool) },
	{ "inverted", 'G', NULL,
	  "as perf has it: the tree from the callers down, -g caller",
	  report_callers, 0 },
	{ "stdio", 0, NULL,
	  "print text on a terminal, too",
	  options_set, part_of(struct report_options, text, bool) },
	{ "show-nr-samples", 'n', NULL,
	  "the table has the numbers of samples",
	  options_set, part_of(struct report_options, numbers, bool) },
	{ "header", 0, NULL,
	  "as perf has it: -v",
	  options_set, part_of(struct report_options, verbose, bool) },
	{ "verbose", 'v', NULL,
	  "everything about the samples and the stacks, with all reasons of their verdicts",
	  options_set, part_of(struct report_options, verbose, bool) },
	OPTIONS_TABLE_ROWS(struct report_options, table.),
	{ .name = NULL }
};

int cmd_report(int argc, char **argv)
{
	static const struct options_verb verb = {
		.name = "report", .usage = usage,
		.options = options, .arguments = 1,
	};
	struct report_options o = { .table = OPTIONS_TABLE_DEFAULT };
	int err;

	o.table.reading.input = NULL;
	if (options_take(&verb, argc, argv, &o, &err)) {
		err = options_input("report", &o.table.reading.input, argv[optind]);
		if (!err)
			err = asks_for_text(&o) || !screen_possible() ? report(&o) : browse_reading(&o.table.reading);
	}
	filter_free(&o.table.reading.filter);
	return err;
}
