// SPDX-License-Identifier: GPL-2.0
/* The command line of lbrctl archive. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "archive/contents.h"
#include "base/err.h"
#include "verbs/options.h"
#include "verbs/verbs.h"

static const char usage[] =
	"Usage: lbrctl archive [-i FILE] [-o FILE] [FILE]\n"
	"\n"
	"Writes a capture and the files that its samples are in, with their debug files\n"
	"and the kernel's symbols, into one file for another machine. report and the\n"
	"other verbs read it as they read the capture.\n";

struct archive_options {
	const char *input, *output;
};

static int add_contents(void *input, struct archive_writer *writer)
{
	return contents_write(writer, input);
}

static int archive(const struct archive_options *o)
{
	char *output = NULL;
	int err;

	if (!o->output && asprintf(&output, "%s.tar.zst",
				   strcmp(o->input, "-") ? o->input : "perf.data") < 0)
		return err_fail("out of memory"), ERR_EXIT_FAILED;
	err = archive_make(o->output ? o->output : output, add_contents, (void *)o->input);
	free(output);
	return err ? ERR_EXIT_FAILED : ERR_EXIT_DONE;
}

static const struct options_option options[] = {
	{ "input", 'i', "FILE",
	  "the capture (perf.data)",
	  options_text, part_of(struct archive_options, input, const char *) },
	{ "output", 'o', "FILE",
	  "the file to write (that of the capture and .tar.zst; -: standard output)",
	  options_text, part_of(struct archive_options, output, const char *) },
	OPTIONS_SYMFS_ROW,
	{ "debuginfod", 0, "[=URL]",
	  "ask a server for debug files that this machine does not have",
	  options_debuginfod, 0 },
	{ .name = NULL }
};

int cmd_archive(int argc, char **argv)
{
	static const struct options_verb verb = {
		.name = "archive", .usage = usage,
		.options = options, .arguments = 1,
	};
	struct archive_options o = { NULL, NULL };
	int err;

	if (!options_take(&verb, argc, argv, &o, &err))
		return err;
	if (o.input && argv[optind])
		return err_usage("archive", "-i %s and %s: give one capture", o.input, argv[optind]);
	if (!o.input)
		o.input = argv[optind] ? argv[optind] : "perf.data";
	return archive(&o);
}
