// SPDX-License-Identifier: GPL-2.0
/* The command line of lbrctl stat. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/err.h"
#include "stat/stat.h"
#include "verbs/options.h"
#include "verbs/verbs.h"

static const char usage[] =
	"Usage: lbrctl stat [OPTION]... (-a | -p PID | -t TID | -G PATH |\n"
	"                   -- COMMAND [ARG]...)\n"
	"\n"
	"Counts hardware events of COMMAND and its children, of a running process, or\n"
	"of everything, and prints them to stderr. With -a, -p, -t or -G a COMMAND says\n"
	"how long.\n";

enum { STAT_CSV = 256, STAT_PER_CORE, STAT_PER_THREAD, STAT_TOPDOWN };

#define STAT_INTERVAL_MIN	10000000ULL	/* ns */
#define STAT_INTERVAL_MAX	86400000000000ULL

static const struct options_option options[] = {
	SUBJECT_ROWS,
	{ "event", 'e', "EVENT,…",
	  "what to count (cycles, instructions, branches, branch-misses); names as "
	  "for record. {A,B} are counted together. Where counters are too few "
	  "events take turns" },
	{ "no-aggr", 'A', NULL,
	  "each CPU by itself" },
	{ "per-core", STAT_PER_CORE, NULL,
	  "each core by itself, with all its threads" },
	{ "per-thread", STAT_PER_THREAD, NULL,
	  "each thread by itself, also those that begin meanwhile" },
	{ "topdown", STAT_TOPDOWN, NULL,
	  "what became of the CPU's slots: of all CPUs together" },
	{ "interval", 'I', "TIME",
	  "print the counts of each interval (1000 or 1s, 10m)" },
	{ "repeat", 'r', "N",
	  "run COMMAND N times: the mean, and how far it may be off" },
	{ "json", 'j', NULL,
	  "for scripts: a JSON object" },
	{ "csv", STAT_CSV, NULL,
	  "or a table" },
	{ "output", 'o', "FILE",
	  "to FILE instead; - is the standard output" },
	{ NULL, 0, NULL, NULL }
};

static int stat_events(const char *text, struct stat_options *o)
{
	char why[512];

	if (!eventlist_parse(&o->events, text, why, sizeof(why)))
		return 0;
	return err_usage("stat", "%s", why);
}

static int stat_per(struct stat_options *o, enum stat_per per)
{
	if (o->per != STAT_ALL && o->per != per)
		return err_usage("stat", "-A, --per-core and --per-thread: one of them");
	o->per = per;
	return 0;
}

static int stat_option(int c, void *options)
{
	struct stat_options *o = options;
	uint64_t number;

	switch (c) {
	case 'e':
		return stat_events(optarg, o);
	case 'A':
		return stat_per(o, STAT_CPU);
	case STAT_PER_CORE:
		return stat_per(o, STAT_CORE);
	case STAT_PER_THREAD:
		return stat_per(o, STAT_TASK);
	case STAT_TOPDOWN:
		o->topdown = true;
		return 0;
	case 'I':
		if (duration_parse(optarg, DURATION_MS, &o->interval) && o->interval >= STAT_INTERVAL_MIN &&
		    o->interval <= STAT_INTERVAL_MAX)
			return 0;
		return err_usage("stat", "-I %s: an interval is from 10ms to 1d: "
				 "milliseconds, or a number with a unit (" DURATION_UNITS ")", optarg);
	case 'r':
		if (!options_number(optarg, STAT_REPEAT_MAX, &number) || !number)
			return err_usage("stat", "-r %s: it is how often the command is to "
					 "run, up to %d", optarg, STAT_REPEAT_MAX);
		o->repeat = number;
		return 0;
	case 'j':
	case STAT_CSV:
		o->print = c == 'j' ? stat_print_json : stat_print_csv;
		return 0;
	case 'o':
		o->output = optarg;
		return *optarg ? 0 : err_usage("stat", "-o wants a name");
	default:
		return subject_option("stat", c, optarg, &o->subject);
	}
}

static int stat_check(struct stat_options *o)
{
	unsigned int i;
	int err = subject_check("stat", "count", &o->subject);

	if (err)
		return err;
	for (i = 0; i < o->events.nr; i++)
		if (o->events.list[i].leads)
			return err_usage("stat", "'%s' leads samples (S), and "
					 "stat takes none",
					 o->events.list[i].event.name);
	if (o->repeat > 1 && !o->subject.command)
		return err_usage("stat", "-r says how often a command runs, and there is none");
	if (o->repeat > 1 && (o->interval || o->per != STAT_ALL))
		return err_usage("stat", "-r is about whole runs and all CPUs, without -I, -A, "
				 "--per-core and --per-thread");
	if (o->topdown && o->per != STAT_ALL)
		return err_usage("stat", "--topdown is of all CPUs together, without -A, "
				 "--per-core and --per-thread; -C chooses some");
	if (o->per == STAT_TASK && (o->subject.all || o->subject.cgroup))
		return err_usage("stat", "--per-thread is about a COMMAND, -p or -t, without -a, "
				 "-C and -G");
	return o->events.nr || o->topdown ? 0 : stat_events("cycles,instructions,branches,"
					      "branch-misses", o);
}

int cmd_stat(int argc, char **argv)
{
	static const struct options_verb verb = {
		.name = "stat", .usage = usage, .command = true,
		.options = options, .take = stat_option, .arguments = OPTIONS_ANY,
	};
	static struct stat_options options = {	/* large for a stack */
		.repeat = 1, .print = stat_print_text,
	};
	int err;

	if (options_take(&verb, argc, argv, &options, &err)) {
		if (optind < argc)
			options.subject.command = argv + optind;
		err = stat_check(&options);
		if (!err)
			err = stat_run(&options);
	}
	return err;
}
