// SPDX-License-Identifier: GPL-2.0
/* The command line of lbrctl pgo export. */
#include <stdio.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/err.h"
#include "export/format.h"
#include "pgo/check.h"
#include "verbs/options.h"
#include "verbs/pgo.h"

static const char usage[] =
	"Usage: lbrctl pgo export --for clang|gcc|bolt [-e EVENT] [--object PATH]\n"
	"                         [--symfs FOLDER] [-o FILE] FILE...\n"
	"\n"
	"Adds up the branches of one build of an object in captures, and writes them for\n"
	"the program that makes a compiler's profile of them, or for BOLT. Names the\n"
	"command that comes next.\n";

/* A consumer's format, and the user's next commands: %1$s is the file, %2$s the object. */
static const struct consumer {
	const char *name;
	const struct out_format *format;
	const char *next;
} consumers[] = {
	{ "clang", &out_profgen,
	  "llvm-profgen --unsymbolized-profile=%1$s --binary=%2$s --output=%1$s.prof, and "
	  "clang -fprofile-sample-use=%1$s.prof" },
	{ "gcc", &out_autofdo,
	  "create_gcov --profiler=text --profile=%1$s --binary=%2$s --gcov=%1$s.gcov "
	  "-gcov_version=1 (gcc 12 and later: 2), and gcc -fauto-profile=%1$s.gcov" },
	{ "bolt", &out_bolt,
	  "perf2bolt -pa -p %1$s -o %1$s.fdata %2$s, and llvm-bolt %2$s -data=%1$s.fdata" },
};

struct pgo_export_options {
	struct counts_query query;
	struct filter filter;
	const struct consumer *consumer;
	const char *output;
};

static int take_consumer(const char *verb, const char *text, void *part)
{
	const struct consumer **consumer = part;

	for (size_t i = 0; i < sizeof(consumers) / sizeof(consumers[0]); i++) {
		if (strcmp(text, consumers[i].name))
			continue;
		*consumer = &consumers[i];
		return 0;
	}
	return err_usage(verb, "--for takes clang, gcc or bolt, not '%s'", text);
}

static int write_counts(const struct pgo_export_options *o, const struct counts *counts)
{
	struct atomic_file file;

	counts_warn_left_out(counts);
	if (atomic_file_open(&file, o->output))
		return -1;
	o->consumer->format->write_counts(counts, file.stream);
	if (atomic_file_commit(&file))
		return -1;
	if (!strcmp(o->output, "-"))
		return 0;
	fputs("lbrctl: next: ", stderr);
	fprintf(stderr, o->consumer->next, o->output, counts->path);
	fputc('\n', stderr);
	return 0;
}

static const struct options_option options[] = {
	{ "for", 0, "NAME",
	  "clang (llvm-profgen), gcc (create_gcov) or bolt (perf2bolt, llvm-bolt)",
	  take_consumer, part_of(struct pgo_export_options, consumer, const struct consumer *) },
	PGO_ROWS(struct pgo_export_options, query.),
	{ "output", 'o', "FILE",
	  "the file to write (-, the standard output)",
	  options_text, part_of(struct pgo_export_options, output, const char *) },
	{ .name = NULL }
};

int pgo_export(int argc, char **argv)
{
	static const struct options_verb verb = {
		.name = "pgo export", .usage = usage,
		.options = options, .arguments = OPTIONS_ANY,
	};
	struct pgo_export_options o = { .query.filter = &o.filter, .output = "-" };
	struct counts counts;
	int err;

	if (!options_take(&verb, argc, argv, &o, &err))
		return err;
	if (!o.consumer)
		return err_usage("pgo export", "no consumer given: --for clang, gcc or bolt");
	if (optind == argc)
		return err_usage("pgo export", "no capture given");
	err = pgo_read(&counts, &o.query, argv + optind, argc - optind) ||
	      write_counts(&o, &counts);
	counts_free(&counts);
	return err ? ERR_EXIT_FAILED : ERR_EXIT_DONE;
}
