// SPDX-License-Identifier: GPL-2.0
/* Opens what a recording needs, and starts it. */
#include <errno.h>
#include <signal.h>
#include <sys/signalfd.h>

#include "base/clock.h"
#include "base/err.h"
#include "record/plan.h"
#include "record/recording.h"
#include "record/synth.h"

static int record_open_sideband(struct record *r)
{
	/* To unwind a stack, the rules are looked up through the whole mapped file. */
	const struct sideband_more more = {
		.cgroups = r->options->cgroups,
		.data = r->options->stack_window && r->options->keep_stacks,
	};

	if (sideband_open(&r->sideband, &r->session.possible, more))
		return -1;
	if (r->sideband.denied && (r->options->flight ||
				   r->options->rotation.wanted))
		return err_fail("--flight and --switch-output need perf's task events, which "
				"are denied to you (kernel.perf_event_paranoid): %s",
				r->options->finished ? "be root" : "record without "
				"--flight and --switch-output, or as root");
	if (r->sideband.denied)
		err_warn("perf's task events are denied to you (kernel.perf_event_paranoid): "
			 "names and mappings are read from /proc, and those that exist for less "
			 "than %d ms may be missing", RECORD_CENSUS_MS);
	return 0;
}

static int record_open_file(struct record *r)
{
	const struct record_options *o = r->options;
	struct capture *c = &r->capture;

	if (record_events_make(&r->events, o, &r->info, r->branches,
			       subject_of_tasks(&r->subject) ? NULL :
			       &r->session.possible))
		return -1;
	if (!r->sideband.denied)
		record_events_sideband(&r->events, &r->sideband.attr);
	c->formats = r->events.formats;
	c->nr_formats = o->events.nr;
	c->trigger_formats = r->events.trigger_formats;
	c->nr_triggers = o->triggers.nr;
	c->offcpu_format = r->events.offcpu_format;
	c->budget_format = r->events.budget_format;
	c->lost_format = o->events.nr ? r->events.formats : r->events.trigger_formats;
	r->writer = c->writer = record_begin(r, &r->file);
	return r->writer ? 0 : -1;
}

static int record_open_capture(struct record *r)
{
	uint32_t processes[LBRSCOPE_TARGETS_MAX];
	unsigned int nr = subject_processes(&r->subject, processes), i;
	struct capture *c = &r->capture;

	c->session = &r->session;
	c->sideband = &r->sideband;
	c->buildids = &r->buildids;
	c->callers = r->callers;
	c->tables = r->tables;
	r->judging.events = r->events.list;
	c->judging = r->options->stacks_where_needed && r->callers ? &r->judging : NULL;
	c->flight = r->options->flight;
	c->gate = &r->gate;
	for (i = 0; i < nr; i++)
		if (pidset_add(&r->pids, processes[i]))
			return -1;
	if (nr)
		c->pids = &r->pids;
	return capture_init(c);
}

/* SIGUSR2 requests a dump or a new file, as with perf. The command keeps its own handling of it. */
static int record_open_signal(struct record *r)
{
	sigset_t set;

	r->dumps = -1;
	if (!r->options->flight && !r->options->rotation.wanted)
		return 0;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, NULL);
	r->dumps = signalfd(-1, &set, SFD_CLOEXEC);
	/* A late SIGUSR2 must not kill the process. Blocked signals are queued although they
	 * are ignored. */
	signal(SIGUSR2, SIG_IGN);
	return r->dumps < 0 ? err_errno("watching for signals") : 0;
}

static int record_open_callers(struct record *r)
{
	if (!r->options->stack_window || r->options->keep_stacks)
		return 0;
	r->callers = callers_new(r->branches ? r->lbr_depth : 0);
	if (!r->callers)
		return -1;
	r->tables = tables_new(r->callers, &r->control, r->session.fd,
			       r->options->offcpu.wanted && subject_of_tasks(&r->subject));
	if (!r->tables)
		return -1;
	if (!r->options->stacks_where_needed)
		return 0;
	return judging_init(&r->judging, r->callers);
}

/* Reads the code of the processes that are measured from the beginning, before their samples wait for that. */
static int record_open_code(struct record *r)
{
	uint32_t processes[LBRSCOPE_TARGETS_MAX];
	unsigned int nr = subject_processes(&r->subject, processes), i;

	for (i = 0; i < nr; i++)
		if (tables_want(r->tables, processes[i]))
			return -1;
	if (tables_prepare(r->tables))
		return -1;
	for (i = 0; r->capture.judging && i < nr; i++)
		judging_prepare(r->capture.judging, processes[i]);
	return 0;
}

static int record_map_tables(struct record *r)
{
	int more;

	do {
		more = tables_next(r->tables);
	} while (more > 0);
	return more;
}

int record_open(struct record *r)
{
	if (remote_open(&r->options->remote) || record_open_signal(r) ||
	    record_open_session(r) || record_open_sideband(r) || record_open_callers(r) ||
	    record_open_file(r) || record_synthesize(r, r->writer) ||
	    record_open_capture(r) || record_open_code(r))
		return -1;
	r->started = clock_ns(CLOCK_MONOTONIC);
	if (r->options->disabled || r->options->delay)
		gate_set(&r->gate, r->started, false);
	if (r->options->delay)
		gate_set(&r->gate, r->started + r->options->delay, true);
	if (r->options->verbose && !r->options->quiet)
		plan_print(r);
	if (!r->options->quiet)
		progress_start(&r->progress, r->started);
	return session_start(&r->session) ? -1 : record_map_tables(r);
}
