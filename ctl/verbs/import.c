// SPDX-License-Identifier: GPL-2.0
/* The command line of lbrctl import. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "import/import.h"
#include "verbs/options.h"
#include "verbs/verbs.h"

static const char usage[] =
	"Usage: lbrctl import [-o FILE] [TEXT]\n"
	"\n"
	"Reads the text that 'perf script' prints, of a machine from which there is\n"
	"nothing else, and writes a capture with the names that the text has. report and\n"
	"the other verbs read it. Without TEXT, or with -, it reads its standard input.\n";

struct import_options {
	const char *output;
};

static const struct options_option options[] = {
	{ "output", 'o', "FILE",
	  "the file to write (that of the text and .tar.zst; perf.data.tar.zst; -: standard output)",
	  options_text, part_of(struct import_options, output, const char *) },
	{ .name = NULL }
};

static int import(const char *text, const char *output)
{
	char *name = NULL;
	int err;

	if (!output && asprintf(&name, "%s.tar.zst", strcmp(text, "-") ? text : "perf.data") < 0)
		return err_fail("out of memory"), ERR_EXIT_FAILED;
	err = import_text(text, output ? output : name);
	free(name);
	return err ? ERR_EXIT_FAILED : ERR_EXIT_DONE;
}

int cmd_import(int argc, char **argv)
{
	static const struct options_verb verb = {
		.name = "import", .usage = usage,
		.options = options, .arguments = 1,
	};
	struct import_options o = { NULL };
	int err;

	if (!options_take(&verb, argc, argv, &o, &err))
		return err;
	return import(argv[optind] ? argv[optind] : "-", o.output);
}
