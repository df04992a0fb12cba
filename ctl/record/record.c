// SPDX-License-Identifier: GPL-2.0
/* Runs a recording: opens everything, reads the rings until the end, closes everything. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "module/load.h"
#include "module/stats.h"
#include "record/recording.h"
#include "record/losses_of.h"
#include "record/summary.h"
#include "record/synth.h"

#define RECORD_POLL_MS		200
#define RECORD_NEW_MS		2000	/* until then most processes have not been judged */
#define RECORD_PAUSE_NS		2000000
#define RECORD_NICE		-10
#define RECORD_COMMANDS		64	/* of --control between two rounds */
#define RECORD_KEEP_NS		1000000000ULL	/* a killed recorder loses at most this time */
/* Larger captures would take seconds to read before the verdicts appear. */
#define RECORD_SHOW_MAX		(1LL << 30)

static int record_select_list(struct record *r, struct tasks_list *pids, bool on)
{
	int err;

	if (!pids->nr)
		return 0;
	err = control_task_stack(&r->control, r->session.fd, pids, on);
	pids->nr = 0;
	/* An ended process, or an ended session, does not need it. */
	return !err || err == -ESRCH || err == -EINVAL ? 0 :
	       err_fail("selecting processes for their stacks: %s",
			control_reason(&r->control, err));
}

/* Asks the module for the stacks of processes that the LBR does not prove, and to end this for
 * those that it proves. */
static int record_select(struct record *r)
{
	struct trust *trust = &r->judging.trust;

	return record_select_list(r, &trust->needing, true) ||
	       record_select_list(r, &trust->cleared, false) ? -1 : 0;
}

static int record_stop(struct record *r)
{
	if (session_stop(&r->session, &r->stats))
		return -1;
	r->stopped = clock_ns(CLOCK_MONOTONIC);
	progress_end(&r->progress);
	sideband_stop(&r->sideband);
	if (capture_round(&r->capture, true) < 0 ||
	    capture_account(&r->capture, stats_missing(&r->stats),
			    stats_offcpu_missing(&r->stats)))
		return -1;
	if (r->capture.offcpu != r->stats.offcpu[LBRSCOPE_OFFCPU_DELIVERED])
		return err_fail("the module says it delivered %llu times off the "
				"CPU, but %llu were read: the capture cannot be "
				"trusted", (unsigned long long)
				r->stats.offcpu[LBRSCOPE_OFFCPU_DELIVERED],
				(unsigned long long)r->capture.offcpu);
	if (r->capture.samples != r->stats.delivered)
		return err_fail("the module says it delivered %llu samples, but "
				"%llu were read: the capture cannot be trusted",
				(unsigned long long)r->stats.delivered,
				(unsigned long long)r->capture.samples);
	return 0;
}

/* Warns about events without a sample, which nothing in the capture shows. A flight recorder
 * keeps only the newest samples: an event without samples is normal there. */
static void record_warn_silent(const struct record *r)
{
	const struct record_options *o = r->options;

	for (unsigned int i = 0; i < o->events.nr && !o->flight; i++) {
		char period[32] = "1000 at least";

		if (o->events.list[i].event.clock)
			snprintf(period, sizeof(period), "%llu ns", (unsigned long long)
				 eventlist_clock_period(o->period, o->frequency));
		else if (o->period)
			snprintf(period, sizeof(period), "%llu, -c",
				 (unsigned long long)o->period);
		if (eventlist_samples(&o->events, i) && !r->capture.sampled[i])
			err_warn("event %s: no sample%s: it did not happen often enough for one period (%s); 'lbrctl stat -e %s' counts it",
				 o->events.list[i].event.name,
				 stats_lost(&r->stats) ? ", or all are among the lost ones" : "",
				 period, o->events.list[i].event.name);
	}
}

static void record_sum_up(const struct record *r)
{
	summary_print(&(struct summary){
		.quiet = r->options->quiet,
		.offcpu = r->options->offcpu.wanted, .stats = &r->stats,
		.losses = losses_of(&r->stats, &r->options->events, r->capture.unwritten),
		.budget = &r->capture.budget,
		.nr_cpus = r->capture.nr_cpus,
		.seconds = (r->stopped - r->started) * 1e-9,
		.bytes = r->bytes, .file = r->options->output,
		.nr_files = r->options->rotation.wanted ? r->nr_files : 0,
		.unwritten = r->capture.unwritten,
		.omitted = r->capture.omitted, .omitted_offcpu = r->capture.omitted_offcpu,
		.missed = r->census.missed });
	record_warn_silent(r);
	/* Verdicts are printed only on a terminal; scripts use the report. */
	if (r->options->show && !r->options->quiet && r->file &&
	    r->bytes <= RECORD_SHOW_MAX && !r->options->compression &&
	    isatty(STDERR_FILENO) &&
	    (r->branches == LBRSCOPE_BRANCHES_CALL_STACK || r->options->stack_window))
		r->options->show(r->file);
}

static int record_finish(struct record *r)
{
	if (record_end(r))
		return -1;
	if (r->options->finished)
		stats_warn_hidden(&r->stats);
	else
		record_sum_up(r);
	/* The message was printed when it happened. */
	return r->capture.unwritten || r->capture.unwritten_offcpu ? -1 : 0;
}

/* Handles CPUs that came online, whose first task events were missed. Returns whether there was
 * one, or -1 with a message. */
static int record_return(struct record *r)
{
	struct synth synth = {
		.writer = r->writer, .buildids = &r->buildids,
		.callers = r->callers, .data = r->options->stack_window && r->options->keep_stacks,
		.only = r->capture.pids,
	};
	int returned = capture_return(&r->capture);

	synth.time = clock_ns(CLOCK_MONOTONIC);
	return returned > 0 && synth_all(&synth) ? -1 : returned;
}

/* Writes what there is to a file of its own. */
static int record_snapshot(struct record *r)
{
	if (r->options->flight)
		return record_dump(r);
	return r->options->rotation.wanted ? record_switch(r) : 0;
}

/* The work between two rounds: SIGUSR2, a new file, the line of progress. */
static int record_between(struct record *r, bool signalled)
{
	const struct rotation *rotation = &r->options->rotation;
	struct signalfd_siginfo signal;
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	if (signalled && read(r->dumps, &signal, sizeof(signal)) != sizeof(signal))
		return err_errno("reading a signal");
	if ((signalled || (rotation->wanted &&
			   rotation_due(rotation, perfdata_write_size(r->writer), now))) &&
	    record_snapshot(r))
		return -1;
	if (now - r->kept >= RECORD_KEEP_NS) {
		if (perfdata_write_out(r->writer))
			return -1;
		r->kept = now;
	}
	if (progress_due(&r->progress, now) &&
	    !control_session_get(&r->control, r->session.fd, &r->stats))
		progress_show(&r->progress, &r->stats, now);
	return 0;
}

/* Whether the limit of time or size is reached. */
static bool record_enough(const struct record *r)
{
	const struct record_options *o = r->options;

	return perfdata_write_is_full(r->writer) ||
	       (o->duration && clock_ns(CLOCK_MONOTONIC) - r->started >= o->duration) ||
	       (o->max_size &&
		r->bytes + perfdata_write_size(r->writer) >= o->max_size);
}

/* Time to wait for more data, in ms. */
static int record_timeout(const struct record *r)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC), spent = (now - r->started) / 1000000;
	uint64_t duration = r->options->duration / 1000000;
	bool soon = r->sideband.denied || (r->capture.judging && spent < RECORD_NEW_MS) ||
		    tables_changed(r->tables, now);
	uint64_t timeout = soon ? RECORD_CENSUS_MS : RECORD_POLL_MS;

	if (judging_waits(&r->judging))
		return 0;
	if (duration && spent + timeout > duration)
		timeout = spent > duration ? 0 : duration - spent + 1;
	return timeout;
}

/* Carries out the commands that have arrived. Returns 1 to end the recording, 0, or -1 with a
 * message. */
static int record_obey(struct record *r)
{
	struct remote *remote = &r->options->remote;
	enum remote_command command;

	for (int i = 0; i < RECORD_COMMANDS; i++) {
		command = remote_next(remote);
		if (command == REMOTE_NONE)
			return 0;
		if (command == REMOTE_ENABLE || command == REMOTE_DISABLE)
			gate_set(&r->gate, clock_ns(CLOCK_MONOTONIC), command == REMOTE_ENABLE);
		if (command == REMOTE_SNAPSHOT && record_snapshot(r))
			return -1;
		remote_ack(remote);
		if (command == REMOTE_STOP)
			return 1;
	}
	return 0;
}

enum { RECORD_FD_DEVICE, RECORD_FD_DUMPS, RECORD_FD_REMOTE, RECORD_FD_TABLES, RECORD_FD_SUBJECT,
       RECORD_FD_SIDEBAND = RECORD_FD_SUBJECT + SUBJECT_FDS };

static void record_watch_sideband(const struct record *r, struct pollfd *fds)
{
	unsigned int i;

	for (i = 0; i < r->sideband.nr; i++)
		fds[i].fd = r->sideband.cpus[i].fd;
}

/* Reads in rounds until a signal, the end of the recorded tasks, the limits, or the end of the
 * session. */
static int record_loop(struct record *r)
{
	const struct timespec pause = { .tv_nsec = RECORD_PAUSE_NS };
	unsigned int nr = RECORD_FD_SIDEBAND + r->sideband.nr, i;
	struct pollfd fds[nr];
	int64_t records;
	int returned, told;
	/* A flight recorder is read when a trigger has frozen the rings. */
	const short ends = POLLHUP | POLLERR | (r->options->flight ? POLLIN : 0);

	fds[RECORD_FD_DEVICE].fd = r->session.fd;
	fds[RECORD_FD_DUMPS].fd = r->dumps;
	fds[RECORD_FD_REMOTE].fd = r->options->remote.commands;
	fds[RECORD_FD_TABLES].fd = tables_fd(r->tables);
	record_watch_sideband(r, fds + RECORD_FD_SIDEBAND);
	for (i = 0; i < nr; i++)
		fds[i].events = POLLIN;
	subject_watch(&r->subject, fds + RECORD_FD_SUBJECT);

	for (;;) {
		if (poll(fds, nr, record_timeout(r)) < 0) {
			if (errno == EINTR)
				continue;
			return err_errno("waiting for samples");
		}
		records = capture_round(&r->capture, false);
		if (records < 0)
			return -1;
		if (capture_judge(&r->capture) || record_select(r) ||
		    (perfdata_write_is_full(r->writer) && record_make_room(r)))
			return -1;
		if (subject_ended(&r->subject, fds + RECORD_FD_SUBJECT) ||
		    fds[RECORD_FD_DEVICE].revents & ends || record_enough(r))
			return 0;
		if (record_between(r, fds[RECORD_FD_DUMPS].revents))
			return -1;
		told = fds[RECORD_FD_REMOTE].revents ? record_obey(r) : 0;
		if (told)
			return told < 0 ? -1 : 0;
		fds[RECORD_FD_REMOTE].fd = r->options->remote.commands;
		for (i = RECORD_FD_SIDEBAND; i < nr; i++)
			if (fds[i].revents & (POLLHUP | POLLERR))
				fds[i].fd = -1;	/* the CPU went offline */
		returned = record_return(r);
		if (returned < 0)
			return -1;
		if (returned)
			record_watch_sideband(r, fds + RECORD_FD_SIDEBAND);
		/* All records that made the device readable are still too young to be written. */
		if (!records && fds[RECORD_FD_DEVICE].revents)
			nanosleep(&pause, NULL);
	}
}

/* The command has executed its program by now. */
static int record_meet(struct record *r)
{
	uint32_t pids[LBRSCOPE_TARGETS_MAX];
	unsigned int nr = subject_processes(&r->subject, pids), i;

	for (i = 0; i < nr; i++)
		if (census_meet(&r->census, pids[i]))
			return -1;
	return 0;
}

/* Rings do not wait: among threads that keep all CPUs busy the recorder would come too late. A priority that the user
 * has chosen stays. Returns whether it is another one now. */
static bool record_hurry(void)
{
	return !getpriority(PRIO_PROCESS, 0) && !setpriority(PRIO_PROCESS, 0, RECORD_NICE);
}

/* The session, from the first check that can fail to the final name of the file. */
static int record_session(struct record *r)
{
	const bool hurries = record_hurry();
	int err = record_open(r);

	if (!err)
		err = subject_go(&r->subject);
	if (!err && r->sideband.denied)
		err = record_meet(r);
	if (!err)
		err = record_loop(r);
	if (!err)
		err = record_stop(r);
	if (hurries)
		setpriority(PRIO_PROCESS, 0, 0);
	if (!err)
		err = record_finish(r);
	if (!err)
		err = session_ended(&r->stats);
	if (r->writer)
		perfdata_write_abort(r->writer);
	if (r->capture.next)
		perfdata_write_abort(r->capture.next);
	return err;
}

static void record_close(struct record *r)
{
	capture_free(&r->capture);
	judging_free(&r->judging);
	tables_free(r->tables);
	callers_free(r->callers);
	sideband_close(&r->sideband);
	session_close(&r->session);
	record_events_free(&r->events);
	free(r->file);
	rotation_free(&r->options->rotation);
	remote_close(&r->options->remote);
	buildid_table_free(&r->buildids);
	pidset_free(&r->pids);
	census_free(&r->census);
}

/* Exit status for failures of lbrctl; no command returns it by itself. */
static int record_failed(const struct record_options *o)
{
	return o->subject.command ? ERR_EXIT_COMMAND : ERR_EXIT_FAILED;
}

/* Switches the NMI watchdog off, if the session uses the PMU. */
static int record_free_pmu(struct record *r)
{
	if (r->branches == LBRSCOPE_BRANCHES_NONE &&
	    !eventlist_needs_pmu(&r->options->events))
		return 0;
	return guardian_start(&r->guardian);
}

static int record_with_module(struct record *r)
{
	int status = record_ask(r);

	if (status)
		return status == ERR_EXIT_FAILED ? record_failed(r->options) : status;
	/* Fork the command and the guardian before the session is open, so that they inherit
	 * nothing of it. */
	if (subject_open(&r->subject, &r->options->subject))
		return record_failed(r->options);
	if (record_free_pmu(r) || record_session(r))
		status = ERR_EXIT_FAILED;
	record_close(r);
	if (guardian_finish(&r->guardian))
		status = ERR_EXIT_FAILED;
	return subject_close(&r->subject, status);
}

int record_run(struct record_options *options)
{
	struct record *r = calloc(1, sizeof(*r));
	int status = record_failed(options);

	if (!r) {
		err_fail("out of memory");
		return status;
	}
	r->options = options;
	r->session.fd = -1;
	if (!control_connect(&r->control)) {
		module_warn_outdated();
		status = record_with_module(r);
		control_close(&r->control);
	}
	free(r);
	return status;
}
