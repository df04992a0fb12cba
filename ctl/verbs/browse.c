// SPDX-License-Identifier: GPL-2.0
/* The command line of lbrctl browse. */
#include <unistd.h>

#include "base/err.h"
#include "browse/browse.h"
#include "verbs/browse.h"
#include "verbs/options.h"
#include "verbs/verbs.h"

static const char usage[] =
	"Usage: lbrctl browse [-e EVENT] [FILTER]... [FILE]\n"
	"\n"
	"Shows a capture (perf.data) on the terminal: the table of functions, callers\n"
	"and callees that open and close, annotated instructions, filters by thread,\n"
	"event and verdict. ? lists the keys.\n";

int browse_reading(struct options_reading *reading)
{
	bool busy;
	int status = browse_show(&(struct browse_options){
		.input = reading->input, .event = reading->event,
		.filter = &reading->filter, .names = &reading->names },
		&busy) ? ERR_EXIT_FAILED : ERR_EXIT_DONE;

	if (busy)
		_exit(status);
	return status;
}

static int browse(struct options_reading *reading)
{
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
		err_fail("browse draws on a terminal, and stdin or stdout is not one: use "
			 "'lbrctl report'");
		return ERR_EXIT_FAILED;
	}
	return browse_reading(reading);
}

static const struct options_option options[] = {
	{ "input", 'i', "FILE",
	  "the capture (perf.data)",
	  options_text, part_of(struct options_reading, input, const char *) },
	{ "event", 'e', "EVENT",
	  "only this event",
	  options_text, part_of(struct options_reading, event, const char *) },
	FILTER_ROWS(struct options_reading, filter),
	FILTER_VERDICT_ROW(struct options_reading, filter),
	OPTIONS_NAMES_ROWS(struct options_reading, names),
	OPTIONS_SYMFS_ROW,
	OPTIONS_SOURCES_ROW,
	{ .name = NULL }
};

int cmd_browse(int argc, char **argv)
{
	static const struct options_verb verb = {
		.name = "browse", .usage = usage,
		.options = options, .arguments = 1,
	};
	struct options_reading o = { .input = NULL };
	int err;

	if (options_take(&verb, argc, argv, &o, &err)) {
		err = options_input("browse", &o.input, argv[optind]);
		err = err ? err : browse(&o);
	}
	filter_free(&o.filter);
	return err;
}
