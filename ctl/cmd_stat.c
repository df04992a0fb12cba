// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "err.h"
#include "options.h"
#include "stat.h"

static const char usage[] =
	"Usage: lbrctl stat [OPTION]... (-a | -p PID | -t TID | -G PATH |\n"
	"                   -- COMMAND [ARG]...)\n"
	"\n"
	"Counts hardware events of COMMAND and its children, of a running\n"
	"process, or of everything, and prints them to stderr. With -a,\n"
	"-p, -t or -G a COMMAND says how long.\n"
	"\n"
	"  -e EVENT,...  what to count (default cycles, instructions, branches,\n"
	"                branch-misses); names as for record. {A,B} are counted\n"
	"                together. Where counters are too few events take turns\n"
	"  -A            each CPU by itself\n"
	"  --json        one JSON object\n"
	"  -o FILE       to FILE instead\n"
	SUBJECT_USAGE;

enum { STAT_JSON = 256 };

static const struct option stat_long[] = {
	{ "event", required_argument, NULL, 'e' },
	{ "no-aggr", no_argument, NULL, 'A' },
	{ "json", no_argument, NULL, STAT_JSON },
	{ "output", required_argument, NULL, 'o' },
	SUBJECT_LONG_OPTIONS,
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 }
};

static int stat_events(const char *text, struct stat_options *o)
{
	char why[512];

	if (!eventlist_parse(&o->events, text, why, sizeof(why)))
		return 0;
	return err_usage("stat", "%s", why);
}

static int stat_option(int c, char **argv, struct stat_options *o)
{
	switch (c) {
	case 'e':
		return stat_events(optarg, o);
	case 'A':
		o->per_cpu = true;
		return 0;
	case STAT_JSON:
		o->json = true;
		return 0;
	case 'o':
		o->output = optarg;
		return *optarg ? 0 : err_usage("stat", "-o wants a name");
	case ':':
	case '?':
		return options_bad("stat", c, argv);
	default:
		return subject_option("stat", c, optarg, &o->subject);
	}
}

static int stat_check(struct stat_options *o)
{
	unsigned int i;
	int err = subject_check("count", &o->subject);

	if (err)
		return err;
	for (i = 0; i < o->events.nr; i++)
		if (o->events.list[i].leads)
			return err_usage("stat", "'%s' leads samples (S), and "
					 "stat takes none",
					 o->events.list[i].event.name);
	return o->events.nr ? 0 : stat_events("cycles,instructions,branches,"
					      "branch-misses", o);
}

int cmd_stat(int argc, char **argv)
{
	struct stat_options *options = calloc(1, sizeof(*options));
	int c, err = 0;

	if (!options) {
		err_fail("out of memory");
		return ERR_EXIT_FAILED;
	}
	opterr = 0;
	while (!err && (c = getopt_long(argc, argv, "+:e:Ao:h" SUBJECT_OPTIONS,
					stat_long, NULL)) != -1) {
		if (c == 'h') {
			fputs(usage, stdout);
			free(options);
			return err_flush_stdout() ? ERR_EXIT_FAILED :
						    ERR_EXIT_DONE;
		}
		err = stat_option(c, argv, options);
	}
	if (optind < argc)
		options->subject.command = argv + optind;
	if (!err)
		err = stat_check(options);
	if (!err)
		err = stat_run(options);
	free(options);
	return err;
}
