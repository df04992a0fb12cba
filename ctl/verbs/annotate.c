// SPDX-License-Identifier: GPL-2.0
/* The command line of lbrctl annotate. */
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "annotate/annotate.h"
#include "base/err.h"
#include "base/pager.h"
#include "verbs/options.h"
#include "verbs/verbs.h"

#define ANNOTATE_WIDTH	80	/* columns of a text that does not go to a terminal */

static const char usage[] =
	"Usage: lbrctl annotate [-i FILE] [-e EVENT] [-M SYNTAX] [FILTER]... [--json]\n"
	"                       [FUNCTION]\n"
	"\n"
	"Prints the instructions of a function with their samples, its source lines,\n"
	"jumps and loops; by default of the function with most samples. With branch\n"
	"records (record -b) also executions, mispredictions and cycles of each block.\n";

struct annotate_options {
	const char *function;
	struct options_reading reading;
	enum insn_syntax syntax;
	bool json, no_pager;
};

static int annotate_syntax(const char *verb, const char *text, void *part)
{
	enum insn_syntax *syntax = part;

	*syntax = strcmp(text, "intel") ? INSN_ATT : INSN_INTEL;
	if (*syntax == INSN_INTEL || !strcmp(text, "att"))
		return 0;
	return err_usage(verb, "-M takes att or intel, not '%s'", text);
}

static size_t annotate_width(void)
{
	struct winsize size;

	return !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col ? size.ws_col :
									 ANNOTATE_WIDTH;
}

static int annotate_show(const struct annotate_options *o, const struct annotate *a,
			 const struct annotate_list *list)
{
	size_t width = annotate_width();
	int err;

	if (o->json)
		return annotate_json(a, list) || err_flush_stdout() ? -1 : 0;
	if (!o->no_pager)
		pager_start();
	err = annotate_print(a, list, width, stdout);
	err = err_flush_stdout() || err ? -1 : 0;
	pager_end();
	return err;
}

static int annotate(const struct annotate_options *o, struct filter *filter,
		    const char *function)
{
	struct annotate a = { .event = NULL };
	struct annotate_list list = { .nr = 0 };
	int err = annotate_read(&a, &(struct annotate_query){
		o->reading.input, o->reading.event, filter, &o->reading.names, o->syntax });

	if (!err)
		err = annotate_functions(&a, function, &list);
	if (!err)
		err = annotate_show(o, &a, &list);
	annotate_list_free(&list);
	annotate_free(&a);
	return err ? ERR_EXIT_FAILED : ERR_EXIT_DONE;
}

static const struct options_option options[] = {
	{ "input", 'i', "FILE",
	  "the capture (perf.data)",
	  options_text, part_of(struct annotate_options, reading.input, const char *) },
	{ "event", 'e', "EVENT",
	  "only samples of this event",
	  options_text, part_of(struct annotate_options, reading.event, const char *) },
	{ "disassembler-style", 'M', "att|intel",
	  "the syntax of the instructions (att)",
	  annotate_syntax, part_of(struct annotate_options, syntax, enum insn_syntax) },
	{ "symbol", 's', "FUNCTION",
	  "as perf has it: the function",
	  options_text, part_of(struct annotate_options, function, const char *) },
	{ "stdio", 0, NULL,
	  "ignored: the output is always text",
	  options_ignore, 0 },
	FILTER_ROWS(struct annotate_options, reading.filter),
	OPTIONS_NAMES_ROWS(struct annotate_options, reading.names),
	OPTIONS_SYMFS_ROW,
	OPTIONS_SOURCES_ROW,
	{ "json", 0, NULL,
	  "one JSON object",
	  options_set, part_of(struct annotate_options, json, bool) },
	OPTIONS_PAGER_ROW(struct annotate_options, no_pager),
	{ .name = NULL }
};

int cmd_annotate(int argc, char **argv)
{
	static const struct options_verb verb = {
		.name = "annotate", .usage = usage,
		.options = options, .arguments = 1,
	};
	struct annotate_options o = { .reading.input = "perf.data" };
	int err;

	if (options_take(&verb, argc, argv, &o, &err))
		err = annotate(&o, &o.reading.filter, argv[optind] ? argv[optind] : o.function);
	filter_free(&o.reading.filter);
	return err;
}
