// SPDX-License-Identifier: GPL-2.0
/* The command line of lbrctl archive. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "archive/contents.h"
#include "base/atomic_file.h"
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

static int archive_make(const char *input, const char *output)
{
	struct archive_writer *writer;
	struct atomic_file out;
	int err;

	if (atomic_file_open(&out, output))
		return -1;
	writer = archive_writer_new(out.stream, output);
	err = !writer || contents_write(writer, input) || archive_writer_end(writer) ? -1 : 0;
	archive_writer_free(writer);
	if (!err)
		return atomic_file_commit(&out);
	atomic_file_abort(&out);
	return err;
}

static int archive(const struct archive_options *o)
{
	char *output = NULL;
	int err;

	if (!o->output && asprintf(&output, "%s.tar.zst",
				   strcmp(o->input, "-") ? o->input : "perf.data") < 0)
		return err_fail("out of memory"), ERR_EXIT_FAILED;
	err = archive_make(o->input, o->output ? o->output : output);
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
