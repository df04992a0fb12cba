// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "module/watchdog.h"
#include "perfdata/describe.h"
#include "pmu/branches.h"
#include "record/capture.h"
#include "record/events.h"
#include "record/progress.h"
#include "record/record.h"
#include "record/summary.h"
#include "record/synth.h"
#include "report/verdicts.h"

#define RECORD_POLL_MS		200
#define RECORD_CENSUS_MS	20
#define RECORD_PAUSE_NS		2000000
#define RECORD_RING_WINDOWS	256
struct record {
	struct record_options *options;
	struct control control;
	struct control_info info;
	uint32_t branches;		/* enum lbrscope_branches */
	struct subject subject;
	struct guardian guardian;
	struct session session;
	struct sideband sideband;
	struct record_events events;
	int dumps;			/* signalfd: SIGUSR2 wants one; or -1 */
	unsigned int nr_dumps;
	struct perfdata_writer *writer;
	struct buildid_table buildids;
	struct pidset pids;
	struct census census;		/* where the sideband is denied */
	struct capture capture;
	struct control_stats stats;
	struct progress progress;
	uint64_t started, stopped;	/* ns */
	char *file;			/* that is being written */
	uint64_t before;		/* samples, */
	int64_t bytes;			/* and bytes, of those that are finished, */
	unsigned int nr_files;		/* so many */
};

static uint64_t record_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

static int record_owned(const struct control_info *info)
{
	char pid[32] = "in another pid namespace";

	if (info->owner_pid)
		snprintf(pid, sizeof(pid), "pid %u", info->owner_pid);
	return err_fail("%s (%s) holds the PMU with a session of its own: end "
			"it and try again", info->owner_comm, pid);
}

/* As perf does: the branches are of the levels that the events count. Without
 * events, of user mode. */
static uint32_t record_levels(const struct eventlist *events)
{
	uint32_t levels = events->nr ? 0 : LBRSCOPE_FILTER_USER;
	unsigned int i;

	for (i = 0; i < events->nr; i++) {
		if (events->list[i].event.select & EVENTS_SELECT_USR)
			levels |= LBRSCOPE_FILTER_USER;
		if (events->list[i].event.select & EVENTS_SELECT_OS)
			levels |= LBRSCOPE_FILTER_KERNEL;
	}
	return levels;
}

/* What the branch registers are to do, as far as this CPU's can. */
static int record_ask_branches(struct record *r)
{
	struct record_options *o = r->options;

	if (o->lbr_callers && !r->info.call_stack)
		return err_fail("this CPU's LBR has no call-stack mode: record "
				"without --lbr-callers");
	if (!o->branches) {
		r->branches = r->info.call_stack && !o->no_lbr ?
			      LBRSCOPE_BRANCHES_CALL_STACK :
			      LBRSCOPE_BRANCHES_NONE;
		if (!r->info.call_stack && !o->no_lbr)
			err_warn("this CPU's LBR has no call-stack mode: samples "
				 "will hold the address only, no callers%s",
				 r->info.branch_filter ?
				 "; -b records branches" : "");
		return 0;
	}
	r->branches = LBRSCOPE_BRANCHES_HISTORY;
	if (!(o->branch_filter & LBRSCOPE_FILTER_LEVELS))
		o->branch_filter |= record_levels(&o->events);
	if (!r->info.branch_filter)
		return err_fail("this CPU, or this virtual machine, has no branch "
				"records: record without -b and -j");
	if (o->branch_filter & ~r->info.branch_filter)
		return err_fail("this CPU records branches of user mode only: "
				"add :u to the event, or u to -j");
	return 0;
}

/* Asks the module whether it can do what is wanted: 0 or the exit status. */
static int record_ask(struct record *r)
{
	const struct record_options *o = r->options;
	int err = 0;

	if (control_ask(&r->control, &r->info))
		return ERR_EXIT_FAILED;
	if (r->info.unsupported[0])
		err = err_fail("no session can be started on this CPU: %s",
			       r->info.unsupported);
	else if (r->info.lbr_depth && !branches_known(r->info.lbr_format))
		err = err_fail("the module knows LBR format %u, this lbrctl "
			       "does not: use one of the module's version",
			       r->info.lbr_format);
	else if (r->info.owned)
		/* The start would say so too: but before that a file is made,
		 * and the watchdog turned off. */
		err = record_owned(&r->info);
	if (err)
		return ERR_EXIT_FAILED;
	if (o->period && o->period < r->info.period_min)
		return err_usage("record", "a period of %llu is too short: from "
				 "%llu events a sample on this CPU",
				 (unsigned long long)o->period,
				 (unsigned long long)r->info.period_min);
	if (!r->info.privileged)
		eventlist_only_user(&r->options->events);
	eventlist_warn_cores(&o->events, &r->info, o->subject.cpus);
	eventlist_limit(&r->options->events, &r->info);
	if (record_ask_branches(r))
		return ERR_EXIT_FAILED;
	return session_check() ? ERR_EXIT_FAILED : 0;
}

static void record_ask_events(const struct record *r,
			      struct control_event *events)
{
	const struct record_options *o = r->options;
	unsigned int i;

	eventlist_ask(&o->events, events);
	for (i = 0; i < o->events.nr; i++) {
		if (!eventlist_samples(&o->events, i))
			continue;
		events[i].period = o->period;
		events[i].frequency = o->frequency;
		events[i].jitter = o->jitter;
		events[i].seed = o->seed;
	}
}

/* What the samples have beside addresses: LBRSCOPE_FORMAT_REQUESTS. */
static uint32_t record_requests(const struct record *r)
{
	uint32_t requests = 0;

	if (r->options->stack_window)
		requests |= LBRSCOPE_FORMAT_USER_REGS |
			    LBRSCOPE_FORMAT_USER_STACK;
	if (record_events_chain(r->options, r->branches))
		requests |= LBRSCOPE_FORMAT_KERNEL_CHAIN;
	if (r->options->cgroups)
		requests |= LBRSCOPE_FORMAT_CGROUP;
	return requests;
}

/* Where nothing was said it has room for so many windows of the stack, if we may have that. */
static uint32_t record_ring_size(const struct record *r, uint32_t stack_window)
{
	uint32_t size = LBRSCOPE_RING_SIZE_DEFAULT;

	if (r->options->flight)
		return r->options->flight;
	if (r->options->ring)
		return r->options->ring;
	while (r->info.privileged && size < LBRSCOPE_RING_SIZE_MAX &&
	       size / RECORD_RING_WINDOWS < stack_window)
		size *= 2;
	return size;
}

static int record_open_session(struct record *r)
{
	const struct record_options *o = r->options;
	struct control_event events[LBRSCOPE_EVENTS_MAX];
	struct control_session settings = {
		.events = events,
		.nr_events = o->events.nr,
		.branches = r->branches,
		.branch_filter = o->branch_filter,
		.branch_reset = o->lbr_reset &&
				r->branches == LBRSCOPE_BRANCHES_CALL_STACK,
		.branch_callers = o->lbr_callers,
		.ring_size = record_ring_size(r, o->stack_window),
		.sample = record_requests(r),
		.user_stack = o->stack_window,
		.budget = o->budget,
		.offcpu = o->offcpu,
		.overwrite = o->flight,
		.triggers = &o->triggers,
	};

	record_ask_events(r, events);
	subject_ask(&r->subject, &settings);
	return session_open(&r->session, &r->control, &settings);
}

static int record_open_sideband(struct record *r)
{
	/* Who unwinds a stack looks its rules up where the whole file is mapped. */
	const struct sideband_more more = {
		.cgroups = r->options->cgroups,
		.data = r->options->stack_window,
	};

	if (sideband_open(&r->sideband, &r->session.possible, more))
		return -1;
	if (r->sideband.denied && (r->options->flight ||
				   r->options->rotation.wanted))
		return err_fail("a flight recorder, and who switches files, knows "
				"what ran by perf's task events, which are denied "
				"to you (kernel.perf_event_paranoid): %s",
				r->options->finished ? "be root" : "record without "
				"--flight and --switch-output, or as root");
	if (r->sideband.denied)
		err_warn("perf's task events are denied to you "
			 "(kernel.perf_event_paranoid): names and mappings come "
			 "from /proc, and what is there for less than %d ms may be "
			 "missing", RECORD_CENSUS_MS);
	return 0;
}

/* The file, or the next one: *file becomes its name, malloc'd. NULL with a message. */
static struct perfdata_writer *record_begin(struct record *r, char **file)
{
	struct record_options *o = r->options;
	struct perfdata_writer *writer;

	*file = o->rotation.wanted ?
		rotation_begin(&o->rotation, o->output, record_now()) :
		strdup(o->output);
	if (!*file) {
		if (!o->rotation.wanted)
			err_fail("out of memory");
		return NULL;
	}
	writer = perfdata_write_open(*file, r->events.list, r->events.nr);
	if (!writer || !o->compression ||
	    !perfdata_write_compressed(writer, o->compression))
		return writer;
	perfdata_write_abort(writer);
	return NULL;
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

/* What was there before: the kernel, and the processes that are running. The
 * command is not: it comes with its exec, in the sideband. */
static int record_synthesize(struct record *r, struct perfdata_writer *writer)
{
	struct synth synth = {
		.writer = writer, .buildids = &r->buildids,
		.data = r->options->stack_window,
	};
	uint32_t running[LBRSCOPE_TARGETS_MAX];
	unsigned int nr = tasks_processes(&r->subject.tasks, running), i;

	/* Nobody else sees an address of the kernel. */
	if ((r->info.privileged && synth_kernel(&synth)) ||
	    (r->options->cgroups && synth_cgroups(&synth)))
		return -1;
	if (r->sideband.denied) {
		r->census.synth = synth;
		r->capture.census = &r->census;
		return 0;
	}
	/* In another file, with what has been forked, and with the command. */
	if (r->capture.nr_sources)
		synth.only = r->capture.pids;
	if (r->capture.nr_sources || r->options->subject.all ||
	    r->options->subject.cgroup)
		return synth_all(&synth);
	for (i = 0; i < nr; i++)
		if (synth_process(&synth, running[i]))
			return -1;
	return 0;
}

static int record_open_capture(struct record *r)
{
	uint32_t processes[LBRSCOPE_TARGETS_MAX];
	unsigned int nr = subject_processes(&r->subject, processes), i;
	struct capture *c = &r->capture;

	c->session = &r->session;
	c->sideband = &r->sideband;
	c->buildids = &r->buildids;
	c->flight = r->options->flight;
	for (i = 0; i < nr; i++)
		if (pidset_add(&r->pids, processes[i]))
			return -1;
	if (nr)
		c->pids = &r->pids;
	return capture_init(c);
}

/* SIGUSR2 asks for a dump, or another file, as with perf. The command has its own way
 * with it. */
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
	/* One that comes too late asks for nothing; it is no reason to die. While they are
	 * blocked they are queued all the same. */
	signal(SIGUSR2, SIG_IGN);
	return r->dumps < 0 ? err_errno("watching for signals") : 0;
}

/* Everything that can be refused, before the first sample. */
static int record_open(struct record *r)
{
	if (record_open_signal(r) || record_open_session(r) || record_open_sideband(r) ||
	    record_open_file(r) || record_synthesize(r, r->writer) ||
	    record_open_capture(r))
		return -1;
	r->started = record_now();
	progress_start(&r->progress, r->started);
	return session_start(&r->session);
}

static int record_stop(struct record *r)
{
	if (session_stop(&r->session, &r->stats))
		return -1;
	r->stopped = record_now();
	progress_end(&r->progress);
	sideband_stop(&r->sideband);
	if (capture_round(&r->capture, true) < 0 ||
	    capture_account(&r->capture, summary_missing(&r->stats),
			    summary_offcpu_missing(&r->stats)))
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

/* Returns the size of the file, or -1 with a message; there is no writer then. */
static int64_t record_write(struct record *r, struct perfdata_writer *writer)
{
	char cpuid[64];
	struct perfdata_description description = {
		.cpuid = cpuid,
		.lbr_depth = r->branches ? r->info.lbr_depth : 0,
		.history = r->branches == LBRSCOPE_BRANCHES_HISTORY,
		.argc = r->options->argc, .argv = r->options->argv,
		.events = r->events.list, .nr_events = r->events.nr,
		.first = r->capture.first, .last = r->capture.last,
		.buildids = &r->buildids,
	};

	snprintf(cpuid, sizeof(cpuid), "%s,%u,%u,%u", r->info.vendor,
		 r->info.family, r->info.model, r->info.stepping);
	if (!perfdata_describe(writer, &description))
		return perfdata_write_finish(writer);
	perfdata_write_abort(writer);
	return -1;
}

/* Writes what the frozen rings hold, and what is needed to read it. */
static int record_write_dump(struct record *r, const char *path)
{
	struct perfdata_writer *writer;
	uint64_t before = r->capture.samples;

	if (capture_round(&r->capture, false) < 0)
		return -1;
	writer = perfdata_write_fork(r->writer, path, r->events.list,
				     r->events.nr);
	if (!writer)
		return -1;
	if (capture_rings(&r->capture, writer) < 0) {
		perfdata_write_abort(writer);
		return -1;
	}
	if (record_write(r, writer) < 0)
		return -1;
	fprintf(stderr, "lbrctl: %llu samples in %s\n", (unsigned long long)
		(r->capture.samples - before), path);
	return 0;
}

/* To a file of its own, numbered; the recording goes on. */
static int record_dump(struct record *r)
{
	char *path;
	int err;

	if (asprintf(&path, "%s.%u", r->options->output, ++r->nr_dumps) < 0)
		return err_fail("out of memory");
	err = session_freeze(&r->session);
	if (!err)
		err = record_write_dump(r, path);
	if (!err)
		err = session_thaw(&r->session);
	free(path);
	return err;
}

/* Of a file of a rotation. */
static void record_tell(struct record *r, const char *file)
{
	const struct record_options *o = r->options;

	if (!o->finished) {
		fprintf(stderr, "lbrctl: %llu samples in %s\n", (unsigned long long)
			(r->capture.samples - r->before), file);
		return;
	}
	/* What cannot be had now is as it was the last time. */
	if (!r->stopped)
		control_session_get(&r->control, r->session.fd, &r->stats);
	o->finished(o->ctx, file, &r->stats,
		    (r->stopped ? r->stopped : record_now()) - r->started);
}

/* The file that is being written gets its name, and r->bytes its size. */
static int record_end(struct record *r)
{
	struct rotation *rotation = &r->options->rotation;
	char *file = r->file;
	int64_t bytes = record_write(r, r->writer);

	r->writer = NULL;
	if (bytes < 0)
		return -1;
	r->bytes += bytes;
	r->nr_files++;
	if (!rotation->wanted)
		return 0;
	r->file = NULL;
	record_tell(r, file);
	r->before = r->capture.samples;
	return rotation_finished(rotation, file);
}

/* The recording goes on in another file, which begins as the first one did: with what is
 * there by now. Looking at that takes time. What happens meanwhile is told to both
 * files, and samples of what ends meanwhile are in the old one, for the last round comes
 * late enough to have them. */
static int record_switch(struct record *r)
{
	const struct timespec slack = { .tv_nsec = CAPTURE_SLACK_NS };
	struct capture *c = &r->capture;
	char *file;
	int err;

	c->next = record_begin(r, &file);
	if (!c->next || record_synthesize(r, c->next)) {
		free(file);
		return -1;
	}
	nanosleep(&slack, NULL);
	err = capture_round(c, false) < 0 || record_end(r);
	c->first = 0;
	if (err) {
		free(file);
		return -1;
	}
	r->file = file;
	r->writer = c->writer = c->next;
	c->next = NULL;
	return 0;
}

static void record_sum_up(const struct record *r)
{
	summary_print(&(struct summary){
		.offcpu = r->options->offcpu.wanted, .stats = &r->stats,
		.budget = &r->capture.budget,
		.nr_cpus = r->capture.nr_cpus,
		.seconds = (r->stopped - r->started) * 1e-9,
		.bytes = r->bytes, .file = r->options->output,
		.nr_files = r->options->rotation.wanted ? r->nr_files : 0,
		.unwritten = r->capture.unwritten,
		.missed = r->census.missed });
	/* Who is watching is told at once; scripts have the report. */
	if (r->file && r->bytes <= VERDICTS_BYTES_MAX && !r->options->compression &&
	    isatty(STDERR_FILENO) && r->branches == LBRSCOPE_BRANCHES_CALL_STACK)
		verdicts_print(r->file);
}

static int record_finish(struct record *r)
{
	if (record_end(r))
		return -1;
	if (r->options->finished)
		summary_warn_hidden(&r->stats);
	else
		record_sum_up(r);
	/* It said so when it happened. */
	return r->capture.unwritten || r->capture.unwritten_offcpu ? -1 : 0;
}

/* A CPU has come online, and what began there since then was not told of. Returns
 * whether there was one, or -1 with a message. */
static int record_return(struct record *r)
{
	struct synth synth = {
		.writer = r->writer, .buildids = &r->buildids,
		.data = r->options->stack_window, .only = r->capture.pids,
	};
	int returned = capture_return(&r->capture);

	synth.time = record_now();
	return returned > 0 && synth_all(&synth) ? -1 : returned;
}

/* What comes between two rounds: SIGUSR2, another file, a line for who is watching. */
static int record_between(struct record *r, bool signalled)
{
	const struct rotation *rotation = &r->options->rotation;
	struct signalfd_siginfo signal;
	uint64_t now = record_now();

	if (signalled && read(r->dumps, &signal, sizeof(signal)) != sizeof(signal))
		return err_errno("reading a signal");
	if (signalled && r->options->flight && record_dump(r))
		return -1;
	if (rotation->wanted &&
	    (signalled || rotation_due(rotation, perfdata_write_size(r->writer),
				       now)) && record_switch(r))
		return -1;
	if (progress_due(&r->progress, now) &&
	    !control_session_get(&r->control, r->session.fd, &r->stats))
		progress_show(&r->progress, &r->stats, now);
	return 0;
}

/* Whether it has had the time, or the space, that there is for it. */
static bool record_enough(const struct record *r)
{
	const struct record_options *o = r->options;

	return perfdata_write_is_full(r->writer) ||
	       (o->duration && record_now() - r->started >= o->duration) ||
	       (o->max_size &&
		r->bytes + perfdata_write_size(r->writer) >= o->max_size);
}

/* How long to wait for more, in ms. */
static int record_timeout(const struct record *r)
{
	uint64_t timeout = r->sideband.denied ? RECORD_CENSUS_MS : RECORD_POLL_MS;
	uint64_t spent = (record_now() - r->started) / 1000000;
	uint64_t duration = r->options->duration / 1000000;

	if (duration && spent + timeout > duration)
		timeout = spent > duration ? 0 : duration - spent + 1;
	return timeout;
}

enum { RECORD_FD_DEVICE, RECORD_FD_DUMPS, RECORD_FD_SUBJECT,
       RECORD_FD_SIDEBAND = RECORD_FD_SUBJECT + SUBJECT_FDS };

static void record_watch_sideband(const struct record *r, struct pollfd *fds)
{
	unsigned int i;

	for (i = 0; i < r->sideband.nr; i++)
		fds[i].fd = r->sideband.cpus[i].fd;
}

/* Rounds until a signal, the end of what is recorded, of what it may take, or of the
 * session. */
static int record_loop(struct record *r)
{
	const struct timespec pause = { .tv_nsec = RECORD_PAUSE_NS };
	unsigned int nr = RECORD_FD_SIDEBAND + r->sideband.nr, i;
	struct pollfd fds[nr];
	int64_t records;
	int returned;
	/* A flight recorder has something to read when a trigger has frozen it. */
	const short ends = POLLHUP | POLLERR | (r->options->flight ? POLLIN : 0);

	fds[RECORD_FD_DEVICE].fd = r->session.fd;
	fds[RECORD_FD_DUMPS].fd = r->dumps;
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
		if (subject_ended(&r->subject, fds + RECORD_FD_SUBJECT) ||
		    fds[RECORD_FD_DEVICE].revents & ends || record_enough(r))
			return 0;
		if (record_between(r, fds[RECORD_FD_DUMPS].revents))
			return -1;
		for (i = RECORD_FD_SIDEBAND; i < nr; i++)
			if (fds[i].revents & (POLLHUP | POLLERR))
				fds[i].fd = -1;	/* its CPU went offline */
		returned = record_return(r);
		if (returned < 0)
			return -1;
		if (returned)
			record_watch_sideband(r, fds + RECORD_FD_SIDEBAND);
		/* All that made the device readable is too young to take. */
		if (!records && fds[RECORD_FD_DEVICE].revents)
			nanosleep(&pause, NULL);
	}
}

/* The command's program is there by now, and runs. */
static int record_meet(struct record *r)
{
	uint32_t pids[LBRSCOPE_TARGETS_MAX];
	unsigned int nr = subject_processes(&r->subject, pids), i;

	for (i = 0; i < nr; i++)
		if (census_meet(&r->census, pids[i]))
			return -1;
	return 0;
}

/* The session: from the first refusal that is possible to the file's name. */
static int record_session(struct record *r)
{
	int err = record_open(r);

	if (!err)
		err = subject_go(&r->subject);
	if (!err && r->sideband.denied)
		err = record_meet(r);
	if (!err)
		err = record_loop(r);
	if (!err)
		err = record_stop(r);
	if (!err)
		err = record_finish(r);
	if (r->writer)
		perfdata_write_abort(r->writer);
	if (r->capture.next)
		perfdata_write_abort(r->capture.next);
	return err;
}

static void record_close(struct record *r)
{
	capture_free(&r->capture);
	sideband_close(&r->sideband);
	session_close(&r->session);
	record_events_free(&r->events);
	free(r->file);
	rotation_free(&r->options->rotation);
	buildid_table_free(&r->buildids);
	pidset_free(&r->pids);
	census_free(&r->census);
}

/* The status of a failure of ours: no command has it by itself. */
static int record_failed(const struct record_options *o)
{
	return o->subject.command ? ERR_EXIT_COMMAND : ERR_EXIT_FAILED;
}

static int record_with_module(struct record *r)
{
	int status = record_ask(r);

	if (status)
		return status == ERR_EXIT_FAILED ? record_failed(r->options) : status;
	/* The command and the guardian are forked while there is nothing of the
	 * session that they could keep open. */
	if (subject_open(&r->subject, &r->options->subject))
		return record_failed(r->options);
	if (guardian_start(&r->guardian) || record_session(r))
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
		status = record_with_module(r);
		control_close(&r->control);
	}
	free(r);
	return status;
}
