// SPDX-License-Identifier: GPL-2.0
/* The command line of lbrctl export. */
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
	&out_folded, &out_csv, &out_json, &out_speedscope, &out_pprof, &out_firefox,
	&out_perf, &out_bolt, &out_profgen, &out_autofdo,
};

#define NR_FORMATS (sizeof(formats) / sizeof(formats[0]))

static const char usage[] =
	"Usage: lbrctl export --format FORMAT [-i FILE] [-e EVENT] [-o FILE]\n"
	"                     [--strict] [--samples] [--object PATH] [FILTER]...\n"
	"\n"
	"Writes a capture's stacks in the formats of other programs, with the totals of\n"
	"the report, or the branches of one object for optimizers (record -b).\n";

static void print_formats(void)
{
	puts("\nFormats:");
	for (size_t i = 0; i < NR_FORMATS; i++)
		printf("  %-12s %s\n", formats[i]->name, formats[i]->description);
}

static int export_format(const char *verb, const char *name, void *part)
{
	const struct out_format **format = part;

	for (size_t i = 0; i < NR_FORMATS; i++) {
		if (strcmp(name, formats[i]->name))
			continue;
		*format = formats[i];
		return 0;
	}
	return err_usage(verb, "unknown format '%s'", name);
}

static int write_to(const struct analysis *a, const struct out_format *format,
		    enum out_weight weight, const char *output)
{
	struct atomic_file file;
	int err;

	if (format->write_file)
		return format->write_file(a, output);
	if (atomic_file_open(&file, output))
		return -1;
	err = format->write_weights ? format->write_weights(a, weight, file.stream) :
				      format->write(a, file.stream);
	if (!err)
		return atomic_file_commit(&file);
	atomic_file_abort(&file);
	return err_fail("out of memory");
}

struct export_options {
	struct options_reading reading;
	const struct out_format *format;
	const char *object;
	bool samples;
};

static int export_counts(struct export_options *options)
{
	const struct out_format *format = options->format;
	struct options_reading *o = &options->reading;
	struct counts_query query = {
		.input = o->input, .event = o->event, .object = options->object,
		.filter = &o->filter,
	};
	struct atomic_file file;
	struct counts counts;
	int err = -1;

	if (o->strict || o->filter.verdicts || filter_has_frames(&o->filter))
		return err_usage("export", "%s has no stacks, so --strict, --verdict, -d and -S do not apply; "
				 "--object names the object", format->name);
	if (!counts_read(&counts, &query) && !atomic_file_open(&file, o->output)) {
		counts_warn_left_out(&counts);
		format->write_counts(&counts, file.stream);
		err = atomic_file_commit(&file);
	}
	counts_free(&counts);
	return err ? ERR_EXIT_FAILED : ERR_EXIT_DONE;
}

static int export(struct export_options *options)
{
	const struct out_format *format = options->format;
	struct options_reading *o = &options->reading;
	struct analysis *a;
	int ret = ERR_EXIT_FAILED;

	if (!format)
		return err_usage("export", "no format given: name one with -f");
	if (!strcmp(o->output, "-") && format->binary &&
	    (format->write_file || isatty(STDOUT_FILENO)))
		return err_usage("export", "%s is a binary format: name a file with -o",
				 format->name);
	if (options->samples && !format->write_weights)
		return err_usage("export", "--samples is for folded, speedscope and firefox%s", format->write_counts ? "" :
				 "; this format has the number of samples and that of events");
	if (format->write_counts)
		return export_counts(options);
	if (options->object)
		return err_usage("export", "--object is for bolt, profgen and autofdo; %s has "
				 "stacks: -d selects by their innermost frame", format->name);
	a = analysis_open(&(struct analysis_query){
		.input = o->input, .event = o->event, .strict = o->strict,
		.filter = &o->filter, .names = &o->names,
		.traces = format->traces, .frames = format->traces, .moments = format->moments,
		.sources = format->sources, .with_offcpu = format->traces });
	if (!a)
		return ERR_EXIT_FAILED;
	if (!a->nr_samples)
		analysis_none(a);
	else if (!(format->one_event && analysis_one_event(a, format->one_event)) &&
		 !write_to(a, format, options->samples ? OUT_SAMPLES : OUT_EVENTS, o->output))
		ret = ERR_EXIT_DONE;
	analysis_free(a);
	return ret;
}

static const struct options_option options[] = {
	{ "format", 'f', "FORMAT",
	  "one of the formats below",
	  export_format, part_of(struct export_options, format, const struct out_format *) },
	{ "input", 'i', "FILE",
	  "the capture (perf.data)",
	  options_text, part_of(struct export_options, reading.input, const char *) },
	{ "event", 'e', "EVENT",
	  "only this event, such as offcpu-time (all others)",
	  options_text, part_of(struct export_options, reading.event, const char *) },
	{ "output", 'o', "FILE",
	  "the file to write (-, the standard output)",
	  options_text, part_of(struct export_options, reading.output, const char *) },
	{ "strict", 0, NULL,
	  "omit stacks that are broken or disputed",
	  options_set, part_of(struct export_options, reading.strict, bool) },
	{ "samples", 0, NULL,
	  "folded, speedscope, firefox: count samples instead of events",
	  options_set, part_of(struct export_options, samples, bool) },
	{ "object", 0, "PATH",
	  "bolt, profgen, autofdo: the object, by its path or the end of it (the one with most "
	  "branches)",
	  options_text, part_of(struct export_options, object, const char *) },
	FILTER_ROWS(struct export_options, reading.filter),
	FILTER_VERDICT_ROW(struct export_options, reading.filter),
	OPTIONS_NAMES_ROWS(struct export_options, reading.names),
	OPTIONS_SYMFS_ROW,
	{ .name = NULL }
};

int cmd_export(int argc, char **argv)
{
	static const struct options_verb verb = {
		.name = "export", .usage = usage, .help_more = print_formats,
		.options = options,
	};
	struct export_options o = { .reading = { .input = "perf.data", .output = "-" } };
	int err;

	if (options_take(&verb, argc, argv, &o, &err))
		err = export(&o);
	filter_free(&o.reading.filter);
	return err;
}
