// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/err.h"
#include "export/format.h"
#include "profile/analysis.h"
#include "profile/samples.h"
#include "verbs/options.h"
#include "verbs/verbs.h"

static const struct out_format *const formats[] = {
	&out_folded, &out_csv, &out_json, &out_speedscope, &out_pprof,
};

#define NR_FORMATS (sizeof(formats) / sizeof(formats[0]))

static const char help[] =
	"Usage: lbrctl export --format FORMAT [-i FILE] [-e EVENT] [-o FILE]\n"
	"                     [--strict] [FILTER]...\n"
	"\n"
	"Writes a capture's stacks as other programs read them, with the totals of the\n"
	"report.\n"
	"\n"
	"  -f, --format FORMAT  which one, of those below\n"
	"  -i, --input FILE     the capture (perf.data)\n"
	"  -e, --event EVENT    of this event only, as offcpu-time (all others)\n"
	"  -o, --output FILE    where to (-, the standard output)\n"
	"      --strict         without stacks that are broken or disputed\n"
	FILTER_USAGE
	OPTIONS_NAMES_USAGE
	OPTIONS_SYMFS_USAGE
	"  -h, --help           this text\n"
	"\n"
	"Formats:\n";

static void print_formats(void)
{
	for (size_t i = 0; i < NR_FORMATS; i++)
		printf("  %-12s %s\n", formats[i]->name, formats[i]->description);
}

static int find_format(const char *name, const struct out_format **format)
{
	for (size_t i = 0; i < NR_FORMATS; i++) {
		if (strcmp(name, formats[i]->name))
			continue;
		*format = formats[i];
		return 0;
	}
	return err_usage("export", "no format '%s'", name);
}

static int write_to(const struct analysis *a, const struct out_format *format,
		    const char *output)
{
	struct atomic_file file;

	if (atomic_file_open(&file, output))
		return -1;
	if (!format->write(a, file.stream))
		return atomic_file_commit(&file);
	atomic_file_abort(&file);
	return err_fail("out of memory");
}

struct export_options {
	struct options_reading reading;
	const struct out_format *format;
};

static int export(struct export_options *options)
{
	const struct out_format *format = options->format;
	struct options_reading *o = &options->reading;
	struct analysis *a;
	int ret = ERR_EXIT_FAILED;

	if (!format)
		return err_usage("export", "which format? Name one with -f");
	if (!strcmp(o->output, "-") && format->binary && isatty(STDOUT_FILENO))
		return err_usage("export", "%s is nothing for a terminal: give a file, -o",
				 format->name);
	a = analysis_open(&(struct analysis_query){
		.input = o->input, .event = o->event, .strict = o->strict,
		.filter = &o->filter, .names = &o->names });
	if (!a)
		return ERR_EXIT_FAILED;
	if (!a->nr_samples)
		analysis_none(a);
	else if (!write_to(a, format, o->output))
		ret = ERR_EXIT_DONE;
	analysis_free(a);
	return ret;
}

static int export_option(int c, void *options)
{
	struct export_options *o = options;

	return c == 'f' ? find_format(optarg, &o->format) :
			  options_reading("export", c, &o->reading);
}

int cmd_export(int argc, char **argv)
{
	static const struct option options[] = {
		OPTIONS_READING_LONG,
		OPTIONS_NAMES_LONG,
		OPTIONS_SYMFS_LONG,
		FILTER_LONG_OPTIONS,
		{ "format", required_argument, NULL, 'f' },
		{ "output", required_argument, NULL, 'o' },
		{ "strict", no_argument, NULL, OPTIONS_STRICT },
		{ NULL, 0, NULL, 0 }
	};
	static const struct options_verb verb = {
		.name = "export", .help = help, .help_more = print_formats,
		.letters = ":f:i:e:o:" FILTER_OPTIONS "h",
		.table = options, .take = export_option,
	};
	struct export_options o = { .reading = { .input = "perf.data", .output = "-" } };
	int err;

	if (options_take(&verb, argc, argv, &o, &err))
		err = export(&o);
	filter_free(&o.reading.filter);
	return err;
}
