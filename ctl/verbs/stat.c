// SPDX-License-Identifier: GPL-2.0
/* The command line of lbrctl stat. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/err.h"
#include "pmu/generic.h"
#include "stat/stat.h"
#include "verbs/options.h"
#include "verbs/verbs.h"

static const char usage[] =
	"Usage: lbrctl stat [OPTION]... (-a | -p PID | -t TID | -u USER | -G PATH |\n"
	"                   -- COMMAND [ARG]...)\n"
	"\n"
	"Counts events of COMMAND and its children, of a running process, or of\n"
	"everything, and prints them to stderr. With -a, -p, -t or -G, COMMAND only\n"
	"sets the duration.\n";

#define STAT_INTERVAL_MIN	10000000ULL	/* ns */
#define STAT_INTERVAL_MAX	86400000000000ULL

static int stat_per(const char *verb, struct stat_options *o, enum stat_per per)
{
	if (o->per != STAT_ALL && o->per != per)
		return err_usage(verb, "-A, --per-core and --per-thread exclude each other");
	o->per = per;
	return 0;
}

static int stat_per_cpu(const char *verb, const char *none, void *options)
{
	(void)none;
	return stat_per(verb, options, STAT_CPU);
}

static int stat_per_core(const char *verb, const char *none, void *options)
{
	(void)none;
	return stat_per(verb, options, STAT_CORE);
}

static int stat_per_thread(const char *verb, const char *none, void *options)
{
	(void)none;
	return stat_per(verb, options, STAT_TASK);
}

static int stat_interval(const char *verb, const char *text, void *options)
{
	struct stat_options *o = options;

	if (duration_parse(text, DURATION_MS, &o->interval) &&
	    o->interval >= STAT_INTERVAL_MIN && o->interval <= STAT_INTERVAL_MAX)
		return 0;
	return err_usage(verb, "-I %s: the interval is 10ms to 1d, in milliseconds or with a unit ("
			 DURATION_UNITS ")", text);
}

static int stat_repeat(const char *verb, const char *text, void *options)
{
	uint64_t number;

	if (!options_number(text, STAT_REPEAT_MAX, &number) || !number)
		return err_usage(verb, "-r %s: the number of runs is 1 to %d",
				 text, STAT_REPEAT_MAX);
	((struct stat_options *)options)->repeat = number;
	return 0;
}

static int stat_as_json(const char *verb, const char *none, void *options)
{
	(void)verb;
	(void)none;
	((struct stat_options *)options)->print = stat_print_json;
	return 0;
}

static int stat_as_csv(const char *verb, const char *none, void *options)
{
	(void)verb;
	(void)none;
	((struct stat_options *)options)->print = stat_print_csv;
	return 0;
}

static int stat_as_fields(const char *verb, const char *separator, void *options)
{
	struct stat_options *o = options;

	o->print = stat_print_fields;
	o->separator = strcmp(separator, "\\t") ? separator : "\t";
	return *separator ? 0 : err_usage(verb, "-x needs what separates the fields: -x,");
}

static int stat_as_openmetrics(const char *verb, const char *none, void *options)
{
	struct stat_options *o = options;

	(void)verb;
	(void)none;
	o->print = stat_print_openmetrics;
	o->replace = true;
	/* node_exporter runs as a user of its own. */
	o->shared = true;
	return 0;
}

static int stat_output(const char *verb, const char *path, void *options)
{
	((struct stat_options *)options)->output = path;
	return *path ? 0 : err_usage(verb, "-o needs the name of a file");
}

/* Adds the accesses and misses of the data caches, as far as this CPU counts them. */
static int stat_add_caches(struct stat_options *o)
{
	static const char *const names[] = {
		"L1-dcache-loads", "L1-dcache-load-misses", "LLC-loads", "LLC-load-misses",
	};
	struct generic generic;
	int err = 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names) && !err; i++)
		if (generic_find(names[i], &generic) && generic.code)
			err = options_events("stat", names[i], &o->events);
	return err;
}

static int stat_check_event(const struct stat_options *o, const struct eventlist_event *e)
{
	if (e->leads)
		return err_usage("stat", "'%s' is to be sampled (:S), and stat takes no samples",
				 e->event.name);
	if (e->event.software && o->per != STAT_ALL && (o->per == STAT_TASK ||
	    !(o->subject.all || o->subject.cgroup)))
		return err_usage("stat", "Linux counts '%s' of tasks as a sum: omit %s", e->event.name,
				 o->per == STAT_TASK ? "--per-thread" : o->per == STAT_CPU ? "-A" :
				 "--per-core");
	return 0;
}

static int stat_check(struct stat_options *o)
{
	unsigned int i;
	int err = subject_check("stat", "count", &o->subject);

	if (err)
		return err;
	for (i = 0; i < o->events.nr && !err; i++)
		err = stat_check_event(o, &o->events.list[i]);
	if (err)
		return err;
	if (o->repeat > 1 && !o->subject.command)
		return err_usage("stat", "-r needs a COMMAND");
	if (o->repeat > 1 && (o->interval || o->per != STAT_ALL))
		return err_usage("stat", "-r excludes -I, -A, --per-core and --per-thread");
	if (o->topdown && o->per != STAT_ALL)
		return err_usage("stat", "--topdown covers all CPUs together and excludes -A, "
				 "--per-core and --per-thread; -C selects CPUs");
	if (o->per == STAT_TASK && (o->subject.all || o->subject.cgroup))
		return err_usage("stat", "--per-thread needs a COMMAND, -p or -t, and excludes "
				 "-a, -C and -G");
	o->default_events = !o->events.nr && !o->topdown;
	if (o->default_events)
		err = options_events("stat", "cycles,instructions,branches,branch-misses",
				     &o->events);
	return err || !o->detailed ? err : stat_add_caches(o);
}

static const struct options_option options[] = {
	SUBJECT_ROWS(struct stat_options, subject),
	{ "event", 'e', "EVENT,…",
	  "the events to count (cycles, instructions, branches, branch-misses), with names as "
	  "for record, and Linux's own: page-faults, minor-faults, major-faults, context-switches (cs), "
	  "cpu-migrations. {A,B} are counted together. If there are too few counters, events take "
	  "turns",
	  options_events, part_of(struct stat_options, events, struct eventlist) },
	{ "detailed", 'd', NULL,
	  "also count loads and misses of the data caches, as far as the CPU can",
	  options_set, part_of(struct stat_options, detailed, bool) },
	{ "no-aggr", 'A', NULL,
	  "print each CPU separately",
	  stat_per_cpu, 0 },
	{ "per-core", 0, NULL,
	  "print each core separately, with all its threads",
	  stat_per_core, 0 },
	{ "per-thread", 0, NULL,
	  "print each thread separately, including new ones",
	  stat_per_thread, 0 },
	{ "topdown", 0, NULL,
	  "the use of the CPU's slots, of all CPUs together",
	  options_set, part_of(struct stat_options, topdown, bool) },
	{ "interval", 'I', "TIME",
	  "print the counts of each interval (1000 or 1s, 10m)",
	  stat_interval, 0 },
	{ "repeat", 'r', "N",
	  "run COMMAND N times and print the means with their errors",
	  stat_repeat, 0 },
	{ "json", 'j', NULL,
	  "print a JSON object",
	  stat_as_json, 0 },
	{ "csv", 0, NULL,
	  "print a CSV table",
	  stat_as_csv, 0 },
	{ "field-separator", 'x', "SEP",
	  "print the fields of perf stat, with SEP between them",
	  stat_as_fields, 0 },
	{ "openmetrics", 0, NULL,
	  "print OpenMetrics, for node_exporter's text files; with -I and -o the file has the last "
	  "interval",
	  stat_as_openmetrics, 0 },
	{ "output", 'o', "FILE",
	  "write to FILE; - is the standard output",
	  stat_output, 0 },
	{ .name = NULL }
};

int cmd_stat(int argc, char **argv)
{
	static const struct options_verb verb = {
		.name = "stat", .usage = usage, .command = true,
		.options = options, .arguments = OPTIONS_ANY,
	};
	static struct stat_options options = {	/* large for a stack */
		.events.software = true, .repeat = 1, .print = stat_print_text,
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
