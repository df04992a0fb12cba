// SPDX-License-Identifier: GPL-2.0
/* The command line of lbrctl record. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/duration.h"
#include "base/err.h"
#include "base/size.h"
#include "perfdata/pack.h"
#include "pmu/branches.h"
#include "record/record.h"
#include "report/verdicts.h"
#include "verbs/options.h"
#include "verbs/verbs.h"

#define RECORD_JITTER_MAX	(LBRSCOPE_JITTER_MAX / 10)
/* What takes less than that is seldom waited for, and often happens. */
#define RECORD_OFFCPU_MIN_NS	100000

static const char usage[] =
	"Usage: lbrctl record [OPTION]... (-a | -p PID | -t TID | -G PATH |\n"
	"                     -- COMMAND [ARG]...)\n"
	"\n"
	"Samples hardware events with the call stack of each sample into a perf.data\n"
	"file: of COMMAND and its children, of a running process, or of everything.\n"
	"With -a, -p, -t or -G a COMMAND says how long.\n";

enum { RECORD_JITTER = 256, RECORD_SEED, RECORD_STACK, RECORD_CGROUPS,
       RECORD_BUDGET, RECORD_OFFCPU, RECORD_OFFCPU_RATE, RECORD_WAKER,
       RECORD_TRIGGER, RECORD_FLIGHT, RECORD_LBR_RESET, RECORD_LBR_CALLERS,
       RECORD_NO_LBR, RECORD_MAX_SIZE, RECORD_SWITCH, RECORD_KEEP, RECORD_KEEP_STACKS };

static const struct options_option options[] = {
	SUBJECT_ROWS,
	{ "event", 'e', "EVENT,…",
	  "cycles (unless another is given), instructions, branches, branch-misses, "
	  "cache-references, cache-misses, bus-cycles, ref-cycles; a name that "
	  "'lbrctl list' has; or rXXXX, a raw code. Then :u or :k for user or "
	  "kernel mode only. {A,B}:S samples A, and reads what B counted with each "
	  "sample. dummy: no event at all, with --off-cpu or --trigger" },
	{ "freq", 'F', "HZ",
	  "samples a second of each CPU, or of each task while it runs (999)" },
	{ "count", 'c', "COUNT",
	  "events from one sample to the next, instead" },
	{ "jitter", RECORD_JITTER, "PERCENT",
	  "vary each period at random by up to so much (10; with -c 0)" },
	{ "seed", RECORD_SEED, "N",
	  "of the jitter (0)" },
	{ "budget", RECORD_BUDGET, "PERCENT",
	  "of each CPU's time that sampling may take, up to 50: what would take "
	  "more has longer periods (50)" },
	{ "call-graph", 'g', "=lbr",
	  "call stacks, which there are anyway: the default" },
	{ "branch-any", 'b', NULL,
	  "the last branches before each sample, instead of call stacks" },
	{ "branch-filter", 'j', "LIST",
	  "the same, of some kinds only: any, any_call, any_ret, ind_call, ind_jmp, "
	  "cond, call; u and k for where they end" },
	{ "lbr-reset", RECORD_LBR_RESET, NULL,
	  "call stacks begin anew at each context switch, which costs less" },
	{ "lbr-callers", RECORD_LBR_CALLERS, NULL,
	  "of call stacks only who called, and not which function: half of the "
	  "registers, of the buffer and of the checks" },
	{ "no-lbr", RECORD_NO_LBR, NULL,
	  "addresses alone, no call stacks: what costs least" },
	{ "stack-window", RECORD_STACK, "[=BYTES]",
	  "read so much of the user stack with each sample (8192), and record the "
	  "call chain that it holds: also of stacks deeper than the LBR" },
	{ "keep-stacks", RECORD_KEEP_STACKS, NULL,
	  "with --stack-window: record the user registers and these bytes as they "
	  "are, and not the call chain" },
	{ "all-cgroups", RECORD_CGROUPS, NULL,
	  "the cgroup of each sample" },
	{ "off-cpu", RECORD_OFFCPU, "[=MIN]",
	  "also where threads leave the CPU and for how long, if that is at least "
	  "MIN, as 1ms or 2s (100us); 0 is all" },
	{ "off-cpu-rate", RECORD_OFFCPU_RATE, "N",
	  "at most so many of these a second of each CPU (1000)" },
	{ "waker", RECORD_WAKER, NULL,
	  "with these, who woke the thread" },
	{ "trigger", RECORD_TRIGGER, "KIND[:ARGUMENT]",
	  "a sample each time that this happens: watch:ADDR[/LEN][:rw], "
	  "uprobe:FILE:FUNCTION or :+OFFSET, kprobe:FUNCTION, kretprobe:FUNCTION, "
	  "exec, exit, signal[:NAME]; with --flight also event:EVENT, one of -e, "
	  "and off-cpu:TIME" },
	{ "flight", RECORD_FLIGHT, "[=SIZE]",
	  "keep the newest samples only, SIZE bytes of each CPU (1M), and write "
	  "them at the end, when a trigger fires, which is the end, or on SIGUSR2, "
	  "to FILE.1 and so on" },
	{ "mmap-pages", 'm', "SIZE",
	  "each CPU's buffer, where samples are lost to a full ring: from 64K to "
	  "64M, or in pages (1M)" },
	{ "compression-level", 'z', "[=LEVEL]",
	  "compress the file by zstd, from 1 to 22 (2), as perf does" },
	{ "duration", 'd', "TIME",
	  "how long (500ms, 10s, 10m), if nothing else ends it before" },
	{ "max-size", RECORD_MAX_SIZE, "SIZE",
	  "end when the file has so many bytes (100M, 2G), or all have" },
	{ "switch-output", RECORD_SWITCH, "[=signal|SIZE|TIME]",
	  "go on in another file, FILE.YYYYMMDDhhmmsscc, on SIGUSR2, or also when "
	  "one has so many bytes (100M), or is so long (60s, 10m, 1h)" },
	{ "switch-max-files", RECORD_KEEP, "N",
	  "of these the newest N are kept" },
	{ "output", 'o', "FILE",
	  "where to (perf.data; one that is there becomes FILE.old)" },
	{ NULL, 0, NULL, NULL }
};

/* A number of 1 to max; 0 when it is none. */
static uint64_t record_number(const char *text, uint64_t max)
{
	uint64_t value;

	return options_number(text, max, &value) ? value : 0;
}

static int record_jitter(const char *text, struct record_options *o)
{
	uint64_t percent;

	if (!options_number(text, RECORD_JITTER_MAX, &percent))
		return err_usage("record", "--jitter %s: it is a part of a period "
				 "from 0 to %d percent", text, RECORD_JITTER_MAX);
	o->jitter = 10 * percent;
	return 0;
}

/* text: NULL for the default. */
static int record_stack(const char *text, struct record_options *o)
{
	uint64_t bytes = LBRSCOPE_USER_STACK_DEFAULT;

	if (text && !size_parse(text, &bytes))
		bytes = 0;
	if (!bytes || bytes > LBRSCOPE_USER_STACK_MAX || bytes % 8)
		return err_usage("record", "--stack-window=%s: the size is a multiple of 8 "
				 "up to %u bytes", text,
				 LBRSCOPE_USER_STACK_MAX);
	o->stack_window = bytes;
	return 0;
}

/* Percent, with one decimal. */
static int record_budget(const char *text, struct record_options *o)
{
	char *end;
	double percent;

	percent = isdigit((unsigned char)*text) ? strtod(text, &end) : 0;
	if (percent >= 0.1 && percent <= LBRSCOPE_BUDGET_MAX / 10 && !*end) {
		o->budget = percent * 10 + 0.5;
		return 0;
	}
	return err_usage("record", "--budget %s: it is a part of each CPU's time "
			 "from 0.1 to %d percent", text, LBRSCOPE_BUDGET_MAX / 10);
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

static int record_events(const char *text, struct record_options *o)
{
	/* perf's name of an event that counts nothing. */
	if (strcmp(text, "dummy"))
		return options_sampling("record", 'e', text, o);
	o->no_events = true;
	return 0;
}

static int record_offcpu(const char *min, struct record_options *o)
{
	o->offcpu.wanted = true;
	o->offcpu.min = RECORD_OFFCPU_MIN_NS;
	if (!min || duration_parse(min, 0, &o->offcpu.min))
		return 0;
	return err_usage("record", "--off-cpu=%s: the least time to record needs a unit "
			 "(" DURATION_UNITS "), as 100us; 0 is all", min);
}

static int record_offcpu_rate(const char *text, struct record_options *o)
{
	o->offcpu.rate = record_number(text, LBRSCOPE_OFFCPU_RATE_MAX);
	if (o->offcpu.rate)
		return 0;
	return err_usage("record", "--off-cpu-rate %s: it is a number of records "
			 "a second from 1 to %d", text, LBRSCOPE_OFFCPU_RATE_MAX);
}

static int record_trigger(const char *text, struct record_options *o)
{
	char why[512];

	if (!triggers_add(&o->triggers, text, why, sizeof(why)))
		return 0;
	return err_usage("record", "--trigger %s: %s", text, why);
}

/* text: NULL for the default. */
static int record_flight(const char *text, struct record_options *o)
{
	uint64_t size = LBRSCOPE_RING_SIZE_DEFAULT;

	if (text && !size_parse(text, &size))
		size = 0;
	o->flight = size <= LBRSCOPE_RING_SIZE_MAX ? size : 0;
	if (o->flight >= LBRSCOPE_RING_SIZE_MIN && !(size & (size - 1)))
		return 0;
	return err_usage("record", "--flight=%s: it is the size of each CPU's "
			 "buffer, a power of two from 64K to 64M", text);
}

/* perf's way to ask for what there is anyway; text: NULL for -g. */
static int record_graph(const char *text, struct record_options *o)
{
	o->call_stacks = true;
	if (!text || !strcmp(text, "lbr"))
		return 0;
	return err_usage("record", "--call-graph %s: call stacks are the LBR's (lbr); "
			 "--stack-window has deeper ones, and frame pointers are not "
			 "followed", text);
}

/* A size, or as perf has it a number of pages. */
static int record_ring(const char *text, struct record_options *o)
{
	uint64_t size, pages;

	if (options_number(text, UINT32_MAX, &pages))
		size = pages * sysconf(_SC_PAGESIZE);
	else if (!size_parse(text, &size))
		size = 0;
	o->ring = size <= LBRSCOPE_RING_SIZE_MAX ? size : 0;
	if (o->ring >= LBRSCOPE_RING_SIZE_MIN && !(size & (size - 1)))
		return 0;
	return err_usage("record", "-m %s: it is the size of each CPU's buffer, a power "
			 "of two from 64K to 64M, or of 16 to 16384 pages", text);
}

/* Where the recording goes and when it has enough. */
static int record_option_output(int c, struct record_options *o)
{
	switch (c) {
	case 'z':
		o->compression = optarg ? record_number(optarg,
						PERFDATA_PACK_LEVEL_MAX) :
					  PERFDATA_PACK_LEVEL;
		return o->compression ? 0 :
		       err_usage("record", "-z%s: the level of compression is a "
				 "number from 1 to %d", optarg,
				 PERFDATA_PACK_LEVEL_MAX);
	case 'd':
		if (duration_parse(optarg, 0, &o->duration) && o->duration)
			return 0;
		return err_usage("record", "-d %s: the duration is more than 0 and has a unit ("
				 DURATION_UNITS "), as 10s", optarg);
	case RECORD_MAX_SIZE:
		if (size_parse(optarg, &o->max_size) && o->max_size)
			return 0;
		return err_usage("record", "--max-size %s: the size is a number of bytes, "
				 "or one with a unit (" SIZE_UNITS "), as 100M", optarg);
	case RECORD_SWITCH:
		if (rotation_parse(&o->rotation, optarg))
			return 0;
		return err_usage("record", "--switch-output=%s: use signal, a size with a unit "
				 "(" SIZE_UNITS "), as 100M, or a time (" DURATION_UNITS
				 "), as 10m", optarg);
	case RECORD_KEEP:
		o->rotation.keep = record_number(optarg, INT32_MAX);
		return o->rotation.keep ? 0 :
		       err_usage("record", "--switch-max-files %s: it is a number "
				 "of files", optarg);
	default:
		o->output = optarg;
		if (!strcmp(optarg, "-"))
			return err_usage("record", "-o -: a capture's head is written last, which "
					 "a pipe does not take: name a file");
		return *optarg ? 0 : err_usage("record", "-o wants a name");
	}
}

static int record_option(int c, void *options)
{
	struct record_options *o = options;

	switch (c) {
	case 'e':
		return record_events(optarg, o);
	case 'F':
	case 'c':
		return options_sampling("record", c, optarg, o);
	case RECORD_JITTER:
		return record_jitter(optarg, o);
	case RECORD_SEED:
		return options_number(optarg, UINT64_MAX, &o->seed) ? 0 :
		       err_usage("record", "--seed %s: it is a number", optarg);
	case RECORD_BUDGET:
		return record_budget(optarg, o);
	case RECORD_OFFCPU:
		return record_offcpu(optarg, o);
	case RECORD_OFFCPU_RATE:
		return record_offcpu_rate(optarg, o);
	case RECORD_WAKER:
		o->offcpu.waker = true;
		return 0;
	case RECORD_TRIGGER:
		return record_trigger(optarg, o);
	case RECORD_FLIGHT:
		return record_flight(optarg, o);
	case 'g':
		return record_graph(optarg, o);
	case 'm':
		return record_ring(optarg, o);
	case 'b':
		o->branches = true;
		o->branch_filter |= LBRSCOPE_FILTER_KINDS;
		return 0;
	case 'j':
		return record_filter(optarg, o);
	case RECORD_LBR_RESET:
		o->lbr_reset = true;
		return 0;
	case RECORD_LBR_CALLERS:
		o->lbr_callers = true;
		return 0;
	case RECORD_NO_LBR:
		o->no_lbr = true;
		return 0;
	case RECORD_STACK:
		return record_stack(optarg, o);
	case RECORD_KEEP_STACKS:
		o->keep_stacks = true;
		return 0;
	case RECORD_CGROUPS:
		o->cgroups = true;
		return 0;
	case 'z':
	case 'd':
	case RECORD_MAX_SIZE:
	case RECORD_SWITCH:
	case RECORD_KEEP:
	case 'o':
		return record_option_output(c, o);
	default:
		return subject_option("record", c, optarg, &o->subject);
	}
}

/* What is left of a trigger's argument: it is about the other options. */
static int record_check_trigger(struct triggers_trigger *t,
				struct record_options *o)
{
	unsigned int i;

	if (t->kind != LBRSCOPE_TRIGGER_EVENT &&
	    t->kind != LBRSCOPE_TRIGGER_OFFCPU)
		return 0;
	if (!o->flight)
		return err_usage("record", "--trigger %s: it is there to end a "
				 "--flight; without one its samples are in the "
				 "file anyway", t->text);
	if (t->kind == LBRSCOPE_TRIGGER_OFFCPU) {
		if (!o->offcpu.wanted)
			o->offcpu.min = RECORD_OFFCPU_MIN_NS;
		o->offcpu.wanted = true;
		return 0;
	}
	for (i = 0; i < o->events.nr; i++) {
		if (strcmp(o->events.list[i].event.name, t->event) ||
		    !eventlist_samples(&o->events, i))
			continue;
		t->index = i;
		return 0;
	}
	return err_usage("record", "--trigger %s: -e has no such event that is "
			 "sampled", t->text);
}

/* With -e dummy. */
static int record_check_no_events(const struct record_options *o)
{
	if (o->events.nr)
		return err_usage("record", "-e dummy is for a recording without "
				 "events, and there are others");
	if (!o->offcpu.wanted && !o->triggers.nr)
		return err_usage("record", "-e dummy leaves nothing to record: "
				 "give --off-cpu or --trigger");
	if (o->frequency || o->period || o->jitter != RECORD_JITTER_UNSET)
		return err_usage("record", "-F, -c and --jitter are about events, "
				 "and -e dummy is none");
	return 0;
}

/* Of what the branch records are asked for, one excludes the other. */
static int record_check_lbr(const struct record_options *o)
{
	if ((o->lbr_reset || o->lbr_callers) && (o->branches || o->no_lbr))
		return err_usage("record", "%s is about call stacks, and -b, -j and "
				 "--no-lbr record none", o->lbr_reset ?
				 "--lbr-reset" : "--lbr-callers");
	if (o->call_stacks && (o->branches || o->no_lbr))
		return err_usage("record", "-g asks for call stacks, and -b, -j and --no-lbr "
				 "record none");
	if (o->no_lbr && o->branches)
		return err_usage("record", "--no-lbr: -b and -j are about what it "
				 "leaves out");
	return 0;
}

static int record_check(struct record_options *o)
{
	int err = subject_check("record", "record", &o->subject);
	unsigned int i;

	if (!err && !o->no_events)
		err = options_sampling_end("record", o);
	if (err)
		return err;
	if ((o->offcpu.rate || o->offcpu.waker) && !o->offcpu.wanted)
		return err_usage("record", "--off-cpu-rate and --waker say more of "
				 "what --off-cpu records: give that too");
	if (o->keep_stacks && !o->stack_window)
		return err_usage("record", "--keep-stacks is about what --stack-window "
				 "reads: give that too");
	/* Its samples are read when the programs may be gone. */
	o->keep_stacks |= o->flight;
	if (o->rotation.keep && !o->rotation.wanted)
		return err_usage("record", "--switch-max-files is about the files of "
				 "--switch-output: give that too");
	if (o->ring && o->flight)
		return err_usage("record", "-m and --flight exclude each other: --flight=SIZE is "
				 "how large each CPU's buffer is");
	if (o->rotation.wanted && o->flight)
		return err_usage("record", "--switch-output and --flight exclude each "
				 "other: SIGUSR2 has a flight recorder dumped");
	for (i = 0; i < o->triggers.nr; i++) {
		err = record_check_trigger(&o->triggers.list[i], o);
		if (err)
			return err;
	}
	err = record_check_lbr(o);
	if (err)
		return err;
	return o->no_events ? record_check_no_events(o) : 0;
}

int cmd_record(int argc, char **argv)
{
	static const struct options_verb verb = {
		.name = "record", .usage = usage,
		.command = true,
		.options = options, .take = record_option, .arguments = OPTIONS_ANY,
	};
	static struct record_options options;	/* large for a stack */
	int err;

	options_sampling_begin(&options, argc, argv);
	options.output = "perf.data";
	options.show = verdicts_print;
	if (options_take(&verb, argc, argv, &options, &err)) {
		if (optind < argc)
			options.subject.command = argv + optind;
		err = record_check(&options);
		if (!err)
			err = record_run(&options);
	}
	triggers_close(&options.triggers);
	return err;
}
