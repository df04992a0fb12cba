// SPDX-License-Identifier: GPL-2.0
/* The command line of lbrctl pgo record. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/err.h"
#include "pmu/taken.h"
#include "record/record.h"
#include "stat/stat.h"
#include "verbs/options.h"
#include "verbs/pgo.h"

/* 3 million branches of a 32-deep LBR. */
#define SAMPLES_DEFAULT		100000
#define SAMPLES_MAX		1000000000
/* A few thousand samples a second on one CPU at full speed, which take about 1 % of its time. */
#define PERIOD_DEFAULT		100003
#define PERIOD_MAX		0x7fffffff
/* Thousandths of a period, so that samples do not fall into step with a loop. */
#define JITTER			100
/* The duration that is assumed where none is given. */
#define DURATION_DEFAULT	60000000000ULL
#define COUNTED_NS		1e9

static const char usage[] =
	"Usage: lbrctl pgo record [OPTION]... (-a | -p PID | -t TID | -u USER | -G PATH |\n"
	"                         -- COMMAND [ARG]...)\n"
	"\n"
	"Records the taken branches of user-mode code for 'lbrctl pgo check' and\n"
	"'export', and says which event, branches and period it chooses. With -a, -p, -t\n"
	"or -G, COMMAND only sets the duration.\n";

struct pgo_record_options {
	struct record_options record;
	uint64_t samples;	/* 0: SAMPLES_DEFAULT */
	uint64_t period_min;	/* the module's */
};

static int take_samples(const char *verb, const char *text, void *part)
{
	uint64_t *samples = part;

	*samples = options_positive(text, SAMPLES_MAX);
	return *samples ? 0 : err_usage(verb, "--samples %s: expected a number of samples, up to %d",
					text, SAMPLES_MAX);
}

/* Exit status for failures of lbrctl, as record_run() has it. */
static int failed(const struct record_options *r)
{
	return r->subject.command ? ERR_EXIT_COMMAND : ERR_EXIT_FAILED;
}

/* Events in COUNTED_NS; stat_run() has no context for print(). */
static double counted;

static void take_count(const struct stat_counts *counts, FILE *out)
{
	struct stat_line line;

	(void)out;
	stat_line(counts, STAT_TOTAL, 0, &line);
	counted = line.counted && counts->seconds > 0 ?
		  line.estimate / counts->seconds * (COUNTED_NS / 1e9) : 0;
}

/* Counts the event of running tasks for a second. Returns 0, or an exit status with a message. */
static int count_event(const struct record_options *o)
{
	static char *const command[] = { "sleep", "1", NULL };
	struct stat_options stat = {
		.events = o->events, .subject = o->subject, .repeat = 1,
		.print = take_count,
	};

	stat.subject.command = (char **)command;
	return stat_run(&stat) ? failed(o) : 0;
}

static int choose_default(struct record_options *r, const char *why)
{
	r->period = PERIOD_DEFAULT;
	fprintf(stderr, "lbrctl: period %d: %s; if that makes too few samples, 'lbrctl pgo check' names a better one (-c)\n",
		PERIOD_DEFAULT, why);
	return 0;
}

/* Chooses the period of running tasks by what they do in a second. */
static int choose_by_count(struct pgo_record_options *o)
{
	struct record_options *r = &o->record;
	uint64_t duration = r->duration ? r->duration : DURATION_DEFAULT;
	double period;
	int err = count_event(r);

	if (err)
		return err;
	if (!counted)
		return choose_default(r, "nothing ran in the second in which it was counted");
	period = counted * (duration / COUNTED_NS) / (o->samples ? o->samples : SAMPLES_DEFAULT);
	r->period = fmin(fmax(period, o->period_min), PERIOD_MAX);
	fprintf(stderr, "lbrctl: period %" PRIu64 ": %.0f events in a second, so about %.0f samples in %.0f s\n",
		r->period, counted, counted * (duration / COUNTED_NS) / r->period, duration / 1e9);
	return 0;
}

static int choose_period(struct pgo_record_options *o)
{
	struct record_options *r = &o->record;
	struct subject_options running = r->subject;

	running.command = NULL;
	if (r->period) {
		fprintf(stderr, "lbrctl: period %" PRIu64 ": by -c\n", r->period);
		return 0;
	}
	if (!subject_is_nobody(&running))
		return choose_by_count(o);
	return choose_default(r, "how long the command runs is not known");
}

static int choose_event(struct pgo_record_options *o)
{
	struct record_options *r = &o->record;
	struct control_info info;
	struct taken_event taken;
	struct control control;
	int err;

	if (control_connect(&control))
		return failed(r);
	err = control_ask(&control, &info);
	control_close(&control);
	if (err)
		return failed(r);
	o->period_min = info.period_min;
	taken = taken_event(&info);
	fprintf(stderr, "lbrctl: event %s: %s\n"
			"lbrctl: branches: all kinds that end in user mode\n", taken.name, taken.why);
	return options_events("pgo record", taken.name, &r->events);
}

/* Refuses --samples where something else decides. */
static int check_samples(const struct pgo_record_options *o)
{
	struct subject_options running = o->record.subject;

	running.command = NULL;
	if (!o->samples)
		return 0;
	if (o->record.period)
		return err_usage("pgo record", "-c and --samples exclude each other: both choose the period");
	if (subject_is_nobody(&running))
		return err_usage("pgo record", "--samples needs running tasks (-a, -C, -p, -t, -G), whose branches it "
				 "counts for a second; choose a command's period by -c");
	return 0;
}

static int record(struct pgo_record_options *o)
{
	struct record_options *r = &o->record;
	int err = subject_check("pgo record", "record", &r->subject);

	if (!err)
		err = check_samples(o);
	if (!err)
		err = choose_event(o);
	if (!err)
		err = choose_period(o);
	if (err)
		return err;
	r->jitter = JITTER;
	r->branches = true;
	r->branch_filter = LBRSCOPE_FILTER_KINDS;
	return record_run(r);
}

static const struct options_option options[] = {
	SUBJECT_ROWS(struct pgo_record_options, record.subject),
	{ "samples", 0, "N",
	  "choose the period of running tasks for this number of samples (100000), by counting "
	  "for a second",
	  take_samples, part_of(struct pgo_record_options, samples, uint64_t) },
	{ "count", 'c', "COUNT",
	  "use this period: events from one sample to the next (100003 for a command)",
	  options_period, part_of(struct pgo_record_options, record, struct record_options) },
	{ "duration", 'd', "TIME",
	  "end after this time (500ms, 10s, 10m), unless it ends before; --samples assumes 60s "
	  "without it",
	  options_duration, part_of(struct pgo_record_options, record.duration, uint64_t) },
	{ "output", 'o', "FILE",
	  "the file to write (perf.data; an existing one becomes FILE.old)",
	  options_capture, part_of(struct pgo_record_options, record.output, const char *) },
	{ .name = NULL }
};

int pgo_record(int argc, char **argv)
{
	static const struct options_verb verb = {
		.name = "pgo record", .usage = usage, .command = true,
		.options = options, .arguments = OPTIONS_ANY,
	};
	/* large for a stack */
	static struct pgo_record_options o;
	int err;

	/* with "pgo" */
	options_sampling_begin(&o.record, argc + 1, argv - 1);
	o.record.output = "perf.data";
	if (!options_take(&verb, argc, argv, &o, &err))
		return err;
	if (optind < argc)
		o.record.subject.command = argv + optind;
	return record(&o);
}
