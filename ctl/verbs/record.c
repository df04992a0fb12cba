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
#include "pmu/branches.h"
#include "pmu/only.h"
#include "record/record.h"
#include "report/stacks_line.h"
#include "verbs/options.h"
#include "verbs/sink.h"
#include "verbs/stacks.h"
#include "verbs/verbs.h"

#define RECORD_JITTER_MAX	(LBRSCOPE_JITTER_MAX / 10)
#define RECORD_AUDIT_SAMPLES	20
/* Shorter times off the CPU are frequent, and seldom the cause of a delay. */
#define RECORD_OFFCPU_MIN_NS	100000

static const char usage[] =
	"Usage: lbrctl record [OPTION]... (-a | -p PID | -t TID | -u USER | -G PATH |\n"
	"                     -- COMMAND [ARG]...)\n"
	"\n"
	"Samples hardware events, with the call stack of each sample, into a perf.data\n"
	"file: COMMAND and its children, a running process, or everything. With -a, -p,\n"
	"-t or -G, COMMAND only sets the duration.\n";

static int record_jitter(const char *verb, const char *text, void *options)
{
	struct record_options *o = options;
	uint64_t percent;

	if (!options_number(text, RECORD_JITTER_MAX, &percent))
		return err_usage(verb, "--jitter %s: the jitter is 0 to %d percent of a period",
				 text, RECORD_JITTER_MAX);
	o->jitter = 10 * percent;
	return 0;
}

/* Parses percent, with one decimal. */
static int record_budget(const char *verb, const char *text, void *options)
{
	struct record_options *o = options;
	char *end;
	double percent;

	percent = isdigit((unsigned char)*text) ? strtod(text, &end) : 0;
	if (percent >= 0.1 && percent <= LBRSCOPE_BUDGET_MAX / 10 && !*end) {
		o->budget = percent * 10 + 0.5;
		return 0;
	}
	return err_usage(verb, "--budget %s: the budget is 0.1 to %d percent of each CPU's time",
			 text, LBRSCOPE_BUDGET_MAX / 10);
}

static int record_filter(const char *verb, const char *text, void *options)
{
	struct record_options *o = options;
	uint32_t filter;
	char why[256];

	if (branches_parse(text, &filter, why, sizeof(why)))
		return err_usage(verb, "-j %s: %s", text, why);
	o->branches = true;
	o->branch_filter |= filter;
	return 0;
}

static int record_events(const char *verb, const char *text, void *options)
{
	struct record_options *o = options;

	/* perf's name of an event that counts nothing. */
	if (strcmp(text, "dummy"))
		return options_events(verb, text, &o->events);
	o->no_events = true;
	return 0;
}

static int record_offcpu(const char *verb, const char *min, void *options)
{
	struct record_options *o = options;

	o->offcpu.wanted = true;
	o->offcpu.min = RECORD_OFFCPU_MIN_NS;
	if (!min || duration_parse(min, 0, &o->offcpu.min))
		return 0;
	return err_usage(verb, "--off-cpu=%s: the minimum time needs a unit ("
			 DURATION_UNITS "), such as 100us; 0 means all", min);
}

static int record_offcpu_rate(const char *verb, const char *text, void *options)
{
	struct record_options *o = options;

	o->offcpu.rate = options_positive(text, LBRSCOPE_OFFCPU_RATE_MAX);
	if (o->offcpu.rate)
		return 0;
	return err_usage(verb, "--off-cpu-rate %s: the rate is 1 to %d records per second",
			 text, LBRSCOPE_OFFCPU_RATE_MAX);
}

static int record_trigger(const char *verb, const char *text, void *options)
{
	struct record_options *o = options;
	char why[512];

	if (!triggers_add(&o->triggers, text, why, sizeof(why)))
		return 0;
	return err_usage(verb, "--trigger %s: %s", text, why);
}

/* text: NULL for the default. */
static int record_flight(const char *verb, const char *text, void *options)
{
	struct record_options *o = options;
	uint64_t size = LBRSCOPE_RING_SIZE_DEFAULT;

	if (text && !size_parse(text, &size))
		size = 0;
	o->flight = size <= LBRSCOPE_RING_SIZE_MAX ? size : 0;
	if (o->flight >= LBRSCOPE_RING_SIZE_MIN && !(size & (size - 1)))
		return 0;
	return err_usage(verb, "--flight=%s: the size of each CPU's buffer is a power of two "
			 "from 64K to 64M", text);
}

/* Parses a size, or as perf does a number of pages. */
static int record_ring(const char *verb, const char *text, void *options)
{
	struct record_options *o = options;
	uint64_t size, pages;

	if (options_number(text, UINT32_MAX, &pages))
		size = pages * sysconf(_SC_PAGESIZE);
	else if (!size_parse(text, &size))
		size = 0;
	o->ring = size <= LBRSCOPE_RING_SIZE_MAX ? size : 0;
	if (o->ring >= LBRSCOPE_RING_SIZE_MIN && !(size & (size - 1)))
		return 0;
	return err_usage(verb, "-m %s: the size of each CPU's buffer is a power of two from 64K "
			 "to 64M, or from 16 to 16384 pages", text);
}

static int record_seed(const char *verb, const char *text, void *options)
{
	struct record_options *o = options;

	return options_number(text, UINT64_MAX, &o->seed) ? 0 :
	       err_usage(verb, "--seed %s: expected a number", text);
}

static int record_lbr_depth(const char *verb, const char *text, void *options)
{
	struct record_options *o = options;
	uint64_t depth;

	if (!options_number(text, UINT32_MAX, &depth) || !depth)
		return err_usage(verb, "--lbr-depth %s: expected a number of entries of the LBR, from 1", text);
	o->lbr_depth = depth;
	return 0;
}

static int record_branches(const char *verb, const char *none, void *options)
{
	struct record_options *o = options;

	(void)verb;
	(void)none;
	o->branches = true;
	o->branch_filter |= LBRSCOPE_FILTER_KINDS;
	return 0;
}

/* Parses a time, in ms as with perf, or -1. */
static int record_delay(const char *verb, const char *text, void *options)
{
	struct record_options *o = options;

	o->disabled = !strcmp(text, "-1");
	o->delay = 0;
	if (o->disabled || duration_parse(text, DURATION_MS, &o->delay))
		return 0;
	return err_usage(verb, "-D %s: the delay is a number of milliseconds or has a unit ("
			 DURATION_UNITS "); -1 waits for an 'enable' of --control", text);
}

static int record_control(const char *verb, const char *text, void *options)
{
	struct record_options *o = options;

	remote_close(&o->remote);
	if (remote_parse(&o->remote, text))
		return 0;
	return err_usage(verb, "--control %s: use fd:N or fifo:NAME for the commands, and ,N or "
			 ",NAME after it for the acknowledgements", text);
}

/* Checks a trigger's argument against the other options. */
static int record_check_trigger(struct triggers_trigger *t,
				struct record_options *o)
{
	unsigned int i;

	if (t->kind != LBRSCOPE_TRIGGER_EVENT &&
	    t->kind != LBRSCOPE_TRIGGER_OFFCPU)
		return 0;
	if (!o->flight)
		return err_usage("record", "--trigger %s: this kind only ends a --flight; "
				 "otherwise its samples are in the file anyway", t->text);
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
	return err_usage("record", "--trigger %s: no such event is sampled with -e", t->text);
}

/* With -e dummy. */
static int record_check_no_events(const struct record_options *o)
{
	if (o->events.nr)
		return err_usage("record", "-e dummy records no events and excludes other events");
	if (!o->offcpu.wanted && !o->triggers.nr)
		return err_usage("record", "-e dummy leaves nothing to record: add --off-cpu or "
				 "--trigger");
	if (o->frequency || o->period || o->jitter != RECORD_JITTER_UNSET)
		return err_usage("record", "-F, -c and --jitter have no meaning with -e dummy");
	return 0;
}

/* The events are known now. Without --only the default event may become a clock. */
static int record_check_only(struct record_options *o)
{
	char why[512];

	if (!o->only)
		return 0;
	if (o->no_events)
		return err_usage("record", "--only keeps samples of an event, and -e dummy is none");
	o->default_event = false;
	return only_apply(&o->events, o->only, why, sizeof(why)) ?
	       err_usage("record", "--only '%s': %s", o->only, why) : 0;
}

/* Checks options for the branch records that exclude each other. */
static int record_check_lbr(const struct record_options *o)
{
	if ((o->lbr_reset || o->lbr_callers) && (o->branches || o->no_lbr))
		return err_usage("record", "%s needs call stacks, which -b, -j and --no-lbr do "
				 "not record", o->lbr_reset ?
				 "--lbr-reset" : "--lbr-callers");
	if (o->call_stacks && (o->branches || o->no_lbr))
		return err_usage("record", "-g asks for call stacks, which -b, -j and --no-lbr "
				 "do not record");
	if (o->no_lbr && (o->branches || o->lbr_depth))
		return err_usage("record", "--no-lbr excludes %s", o->branches ? "-b and -j" : "--lbr-depth");
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
	err = record_check_only(o);
	if (err)
		return err;
	if ((o->offcpu.rate || o->offcpu.waker) && !o->offcpu.wanted)
		return err_usage("record", "--off-cpu-rate and --waker need --off-cpu");
	err = stacks_check(o);
	if (err)
		return err;
	if (o->disabled && !o->remote.text)
		return err_usage("record", "-D -1 needs --control, whose 'enable' it waits for");
	if (o->rotation.keep && !o->rotation.wanted)
		return err_usage("record", "--switch-max-files needs --switch-output");
	if (o->ring && o->flight)
		return err_usage("record", "-m and --flight exclude each other: use "
				 "--flight=SIZE for the size of the buffers");
	if (o->rotation.wanted && o->flight)
		return err_usage("record", "--switch-output and --flight exclude each other: "
				 "SIGUSR2 dumps a flight recorder");
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

static const struct options_option options[] = {
	SUBJECT_ROWS(struct record_options, subject),
	{ "event", 'e', "EVENT,…",
	  "cycles (the default), instructions, branches, branch-misses, cache-references, "
	  "cache-misses, bus-cycles, ref-cycles, L1-dcache-load-misses and so on; cpu-clock or "
	  "task-clock, by a timer (the default without a PMU); a name from 'lbrctl list'; or "
	  "rXXXX, a raw code. Append :u or :k for user or kernel mode only. {A,B}:S samples A and "
	  "adds the count of B to each sample. dummy: no event, only --off-cpu or --trigger",
	  record_events, 0 },
	{ "only", 0, "RATIO",
	  "keep only samples before which two events had this ratio: 'ipc<0.5', "
	  "'cache-misses/instructions>0.01'",
	  options_text, part_of(struct record_options, only, const char *) },
	{ "freq", 'F', "HZ",
	  "samples per second of each CPU, or of each task while it runs (999)",
	  options_frequency, 0 },
	{ "count", 'c', "COUNT",
	  "use a fixed period: events from one sample to the next",
	  options_period, 0 },
	{ "jitter", 0, "PERCENT",
	  "vary each period at random by up to this part (10; with -c 0)",
	  record_jitter, 0 },
	{ "seed", 0, "N",
	  "seed of the jitter (0)",
	  record_seed, 0 },
	{ "budget", 0, "PERCENT",
	  "the part of each CPU's time that sampling may take, up to 50; longer periods keep it "
	  "(50)",
	  record_budget, 0 },
	{ "call-graph", 'g', "=auto|lbr|stack",
	  "call stacks, the default. auto: from the CPU's branch records, and from memory "
	  "for processes whose stacks these do not prove. lbr: from the branch records alone. "
	  "stack: from memory, with the largest --stack-window",
	  stacks_graph, 0 },
	{ "audit", 0, "N",
	  "check one in N of the stacks from branch records against the stack in memory "
	  "(20); 0: none",
	  stacks_audit, 0 },
	{ "branch-any", 'b', NULL,
	  "the last branches before each sample, instead of call stacks",
	  record_branches, 0 },
	{ "branch-filter", 'j', "LIST",
	  "the same for some kinds only: any, any_call, any_ret, ind_call, ind_jmp, cond, call; "
	  "u and k for the mode in which they end",
	  record_filter, 0 },
	{ "lbr-reset", 0, NULL,
	  "call stacks begin anew at each context switch, which costs less",
	  options_set, part_of(struct record_options, lbr_reset, bool) },
	{ "lbr-callers", 0, NULL,
	  "record only the callers' addresses, not the called functions: half of the registers, "
	  "buffer space and checks",
	  options_set, part_of(struct record_options, lbr_callers, bool) },
	{ "lbr-depth", 0, "N",
	  "read only the N youngest entries of the LBR: the innermost N calls, or with -b the last N branches",
	  record_lbr_depth, 0 },
	{ "no-lbr", 0, NULL,
	  "addresses only, no call stacks; costs least",
	  options_set, part_of(struct record_options, no_lbr, bool) },
	{ "stack-window", 0, "[=BYTES]",
	  "read this much of the user stack with each sample (8192) and record its "
	  "call chain, also for stacks deeper than the LBR",
	  stacks_window, 0 },
	{ "keep-stacks", 0, NULL,
	  "with --stack-window: record the user registers and these bytes instead of "
	  "the call chain",
	  options_set, part_of(struct record_options, keep_stacks, bool) },
	{ "all-cgroups", 0, NULL,
	  "record the cgroup of each sample",
	  options_set, part_of(struct record_options, cgroups, bool) },
	{ "off-cpu", 0, "[=MIN]",
	  "also record where threads leave the CPU and for how long, if at least MIN, such as "
	  "1ms or 2s (100us); 0: all",
	  record_offcpu, 0 },
	{ "off-cpu-rate", 0, "N",
	  "at most N of these per second on each CPU (1000)",
	  record_offcpu_rate, 0 },
	{ "waker", 0, NULL,
	  "record the waking thread with each of these",
	  options_set, part_of(struct record_options, offcpu.waker, bool) },
	{ "trigger", 0, "KIND[:ARGUMENT]",
	  "take a sample each time that this happens: watch:ADDR[/LEN][:rw], "
	  "uprobe:FILE:FUNCTION or :+OFFSET, kprobe:FUNCTION, kretprobe:FUNCTION, exec, exit, "
	  "signal[:NAME]; with --flight also event:EVENT, one of -e, and off-cpu:TIME",
	  record_trigger, 0 },
	{ "flight", 0, "[=SIZE]",
	  "keep only the newest samples, SIZE bytes per CPU (1M), and write them at the end or "
	  "when a trigger fires, which ends the recording; on SIGUSR2 to FILE.1 and so on",
	  record_flight, 0 },
	{ "mmap-pages", 'm', "SIZE",
	  "each CPU's buffer, from 64K to 64M, or in pages (1M, or 4M where samples may carry the "
	  "stack); enlarge it if samples are lost to a full ring",
	  record_ring, 0 },
	{ "compression-level", 'z', "[=LEVEL]",
	  "compress the file by zstd, from 1 to 22 (2), as perf does",
	  sink_compression, 0 },
	{ "duration", 'd', "TIME",
	  "end after this time (500ms, 10s, 10m), unless it ends before",
	  options_duration, part_of(struct record_options, duration, uint64_t) },
	{ "delay", 'D', "TIME",
	  "keep no samples of this time after the start (500 or 500ms, 2s); -1: none until "
	  "--control enables it",
	  record_delay, 0 },
	{ "control", 0, "fd:N|fifo:FILE",
	  "take commands from a pipe while recording: enable, disable, snapshot, stop, ping. "
	  "With ,N or ,FILE after it, write ack there after each",
	  record_control, 0 },
	{ "max-size", 0, "SIZE",
	  "end when the file, or all files together, reach this size (100M, 2G)",
	  sink_max_size, 0 },
	{ "switch-output", 0, "[=signal|SIZE|TIME]",
	  "switch to a new file, FILE.YYYYMMDDhhmmsscc, on SIGUSR2, or also when the file "
	  "reaches this size (100M) or age (60s, 10m, 1h)",
	  sink_switch, 0 },
	{ "switch-max-files", 0, "N",
	  "keep only the newest N of these files",
	  sink_keep, 0 },
	{ "quiet", 'q', NULL,
	  "print only warnings and errors",
	  options_set, part_of(struct record_options, quiet, bool) },
	{ "verbose", 'v', NULL,
	  "print first what is going to be recorded: events, periods, stacks, rings, tasks",
	  options_set, part_of(struct record_options, verbose, bool) },
	{ "output", 'o', "FILE",
	  "the file to write (perf.data; an existing one becomes FILE.old)",
	  options_capture, part_of(struct record_options, output, const char *) },
	{ .name = NULL }
};

int cmd_record(int argc, char **argv)
{
	static const struct options_verb verb = {
		.name = "record", .usage = usage,
		.command = true,
		.options = options, .arguments = OPTIONS_ANY,
	};
	static struct record_options options;	/* large for a stack */
	int err;

	options_sampling_begin(&options, argc, argv);
	options.output = "perf.data";
	options.stacks_where_needed = true;
	options.audit = RECORD_AUDIT_SAMPLES;
	options.show = stacks_line_print;
	if (options_take(&verb, argc, argv, &options, &err)) {
		if (optind < argc)
			options.subject.command = argv + optind;
		err = record_check(&options);
		if (!err)
			err = record_run(&options);
	}
	remote_close(&options.remote);
	triggers_close(&options.triggers);
	return err;
}
