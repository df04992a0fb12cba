// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "branches.h"
#include "cmd.h"
#include "err.h"
#include "record.h"

/* A counter is loaded with minus the period, of which 31 bits count. */
#define RECORD_PERIOD_MAX	0x7fffffffULL
/* A prime, so that samples do not fall into step with a loop of the program. */
#define RECORD_PERIOD_DEFAULT	1000003

static const char usage[] =
	"Usage: lbrctl record [OPTION]... (-a | -p PID | -- COMMAND [ARG]...)\n"
	"\n"
	"Samples a hardware event with the call stack of each sample into a\n"
	"perf.data file: of COMMAND and its children, of a running process, or\n"
	"of everything. With -a or -p a COMMAND says how long.\n"
	"\n"
	"  -e EVENT   cycles (default), instructions, branches, branch-misses,\n"
	"             cache-references, cache-misses, bus-cycles; a name known\n"
	"             to libpfm4; or rXXXX, a raw code. Then :u or :k for user\n"
	"             or kernel mode only\n"
	"  -c COUNT   events from one sample to the next (default 1000003)\n"
	"  -b         the last branches before each sample, instead of call\n"
	"             stacks\n"
	"  -j LIST    the same, of some kinds only: any, any_call, any_ret,\n"
	"             ind_call, ind_jmp, cond, call; u and k for where they end\n"
	"  -o FILE    where to (default perf.data; one that is there becomes\n"
	"             FILE.old)\n"
	"  -a         all CPUs, all processes\n"
	"  -p PID     this process, and what it forks from now on\n";

static const struct option record_long[] = {
	{ "event", required_argument, NULL, 'e' },
	{ "count", required_argument, NULL, 'c' },
	{ "branch-any", no_argument, NULL, 'b' },
	{ "branch-filter", required_argument, NULL, 'j' },
	{ "output", required_argument, NULL, 'o' },
	{ "all-cpus", no_argument, NULL, 'a' },
	{ "pid", required_argument, NULL, 'p' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 }
};

/* Parses a decimal number of 1 to max. Returns 0 when it is none. */
static uint64_t record_number(const char *text, uint64_t max)
{
	unsigned long long value;
	char *end;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (errno || !isdigit((unsigned char)*text) || *end || value > max)
		return 0;
	return value;
}

/* What getopt saw of a bad option. */
static int record_bad_option(int c, char **argv)
{
	if (c == ':')
		return err_usage("record", "option %s wants a value",
				 argv[optind - 1]);
	if (optopt)
		return err_usage("record", "no option -%c", optopt);
	return err_usage("record", "no option %s", argv[optind - 1]);
}

static int record_filter(const char *text, struct record_options *o)
{
	uint32_t filter;
	char why[256];

	if (branches_parse(text, &filter, why, sizeof(why)))
		return err_usage("record", "-j %s: %s", text, why);
	o->branches = true;
	o->branch_filter |= filter;
	return 0;
}

static int record_option(int c, const char **event, struct record_options *o)
{
	switch (c) {
	case 'e':
		if (*event)
			return err_usage("record", "a session samples one "
					 "event: -e %s -e %s", *event, optarg);
		*event = optarg;
		return 0;
	case 'c':
		o->period = record_number(optarg, RECORD_PERIOD_MAX);
		return o->period ? 0 :
		       err_usage("record", "-c %s: a period is a number of "
				 "events from 1 to %llu", optarg,
				 RECORD_PERIOD_MAX);
	case 'b':
		o->branches = true;
		o->branch_filter |= LBRSCOPE_FILTER_KINDS;
		return 0;
	case 'j':
		return record_filter(optarg, o);
	case 'o':
		o->output = optarg;
		return *optarg ? 0 : err_usage("record", "-o wants a name");
	case 'a':
		o->all = true;
		return 0;
	default:
		o->pid = record_number(optarg, INT32_MAX);
		return o->pid ? 0 : err_usage("record", "-p %s: a process id is "
					      "a number from 1", optarg);
	}
}

static int record_check(const char *event, struct record_options *o)
{
	char why[384];

	if (o->all && o->pid)
		return err_usage("record", "-a and -p exclude each other: all "
				 "processes, or one");
	if (!o->all && !o->pid && !o->command)
		return err_usage("record", "nothing to record: -a, -p PID or "
				 "-- COMMAND");
	if (events_parse(event ? event : "cycles", &o->event, why, sizeof(why)))
		return err_usage("record", "event '%s': %s", event, why);
	/* As perf does: the branches are of the levels that the event counts. */
	if (o->branches && !(o->branch_filter & LBRSCOPE_FILTER_LEVELS)) {
		if (o->event.select & EVENTS_SELECT_USR)
			o->branch_filter |= LBRSCOPE_FILTER_USER;
		if (o->event.select & EVENTS_SELECT_OS)
			o->branch_filter |= LBRSCOPE_FILTER_KERNEL;
	}
	return 0;
}

int cmd_record(int argc, char **argv)
{
	struct record_options options = {
		.period = RECORD_PERIOD_DEFAULT, .output = "perf.data",
		.argc = argc, .argv = argv,
	};
	const char *event = NULL;
	int c, err;

	opterr = 0;
	while ((c = getopt_long(argc, argv, "+:e:c:bj:o:ap:h", record_long,
				NULL)) != -1) {
		if (c == 'h') {
			fputs(usage, stdout);
			return err_flush_stdout() ? ERR_EXIT_FAILED :
						    ERR_EXIT_DONE;
		}
		err = c == '?' || c == ':' ? record_bad_option(c, argv) :
					     record_option(c, &event, &options);
		if (err)
			return err;
	}
	if (optind < argc)
		options.command = argv + optind;
	err = record_check(event, &options);
	return err ? err : record_run(&options);
}
