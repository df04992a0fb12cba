// SPDX-License-Identifier: GPL-2.0
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analysis.h"
#include "atomic_file.h"
#include "cmd.h"
#include "err.h"
#include "out.h"
#include "samples.h"

static const struct out_format *const formats[] = {
	&out_folded, &out_csv, &out_json, &out_speedscope, &out_pprof,
};

#define NR_FORMATS (sizeof(formats) / sizeof(formats[0]))

static const char help[] =
	"Usage: lbrctl export --format FORMAT [-i FILE] [-e EVENT] [-o FILE]\n"
	"                     [--strict]\n"
	"\n"
	"Writes a capture's stacks as other programs read them, with the totals of the\n"
	"report.\n"
	"\n"
	"  -f, --format FORMAT  which one, of those below\n"
	"  -i, --input FILE     the capture (perf.data)\n"
	"  -e, --event EVENT    of this event only, as offcpu-time (all others)\n"
	"  -o, --output FILE    where to (standard output)\n"
	"      --strict         without stacks that are broken or disputed\n"
	"  -h, --help           this text\n"
	"\n"
	"Formats:\n";

static void print_help(void)
{
	fputs(help, stdout);
	for (size_t i = 0; i < NR_FORMATS; i++)
		printf("  %-12s %s\n", formats[i]->name, formats[i]->description);
}

static const struct out_format *find_format(const char *name)
{
	for (size_t i = 0; i < NR_FORMATS; i++)
		if (!strcmp(name, formats[i]->name))
			return formats[i];
	return NULL;
}

static int write_to(const struct analysis *a, const struct out_format *format,
		    const char *output)
{
	struct atomic_file file;

	if (!output) {
		if (format->write(a, stdout))
			return err_fail("out of memory");
		return err_flush_stdout();
	}
	if (atomic_file_open(&file, output))
		return -1;
	if (!format->write(a, file.stream))
		return atomic_file_commit(&file);
	atomic_file_abort(&file);
	return err_fail("out of memory");
}

static int export(const char *input, const char *event,
		  const struct out_format *format, const char *output,
		  bool strict)
{
	struct analysis *a;
	int ret = ERR_EXIT_FAILED;

	if (!output && format->binary && isatty(STDOUT_FILENO))
		return err_usage("export", "%s is nothing for a terminal: give a file, -o",
				 format->name);
	a = analysis_open(input, event, strict);
	if (!a)
		return ERR_EXIT_FAILED;
	if (!a->nr_samples)
		samples_none(input);
	else if (!write_to(a, format, output))
		ret = ERR_EXIT_DONE;
	analysis_free(a);
	return ret;
}

int cmd_export(int argc, char **argv)
{
	static const struct option options[] = {
		{ "format", required_argument, NULL, 'f' },
		{ "input", required_argument, NULL, 'i' },
		{ "event", required_argument, NULL, 'e' },
		{ "output", required_argument, NULL, 'o' },
		{ "strict", no_argument, NULL, 's' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 }
	};
	const char *input = "perf.data", *event = NULL, *output = NULL;
	const struct out_format *format = NULL;
	bool strict = false;
	int c;

	opterr = 0;
	while ((c = getopt_long(argc, argv, ":f:i:e:o:h", options, NULL)) != -1) {
		switch (c) {
		case 'f':
			format = find_format(optarg);
			if (!format)
				return err_usage("export", "no format '%s'", optarg);
			break;
		case 'i':
			input = optarg;
			break;
		case 'e':
			event = optarg;
			break;
		case 'o':
			output = optarg;
			break;
		case 's':
			strict = true;
			break;
		case 'h':
			print_help();
			return err_flush_stdout() ? ERR_EXIT_FAILED : ERR_EXIT_DONE;
		case ':':
			return err_usage("export", "%s needs a value", argv[optind - 1]);
		default:
			return err_usage("export", "unknown option '%s'",
					 argv[optind - 1]);
		}
	}
	if (optind < argc)
		return err_usage("export", "unexpected '%s'", argv[optind]);
	if (!format)
		return err_usage("export", "which format? --format says");
	return export(input, event, format, output, strict);
}
