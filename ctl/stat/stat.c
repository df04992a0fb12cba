// SPDX-License-Identifier: GPL-2.0
/* Counts events, for a while or in intervals. */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/err.h"
#include "base/text.h"
#include "module/netlink.h"
#include "module/session.h"
#include "module/stats.h"
#include "module/watchdog.h"
#include "stat/counts.h"
#include "stat/software.h"
#include "stat/stat.h"
#include "stat/tasks.h"

struct stat_run {
	struct stat_options *options;
	struct control control;
	struct control_info info;
	struct subject subject;
	struct guardian guardian;
	struct session session;
	struct stat_software software;
	unsigned int nr_asked;	/* events of the session */
	/* by possible CPU, then by event: the last reading, and that of the last output */
	struct lbrscope_count *now, *told;
	struct stat_tasks tasks;	/* used if each thread is a unit */
	struct timespec started, since;	/* beginning of the run, and of the interval */
	struct stat_counts counts;
	struct control_stats stats;	/* at the end of the session */
	unsigned int nr_told, nr_whole;
	double *runs;		/* by event, then by run; the seconds come last */
	struct atomic_file file;
	FILE *out;
};

/* Appends the events of --topdown. */
static int stat_ask_topdown(struct stat_run *s)
{
	const struct topdown *topdown = topdown_of(&s->info);
	char why[512], threads[8];

	if (!topdown)
		return err_fail("--topdown: the events for slots are not known for this CPU, %s "
				"family %u model %u", s->info.vendor, s->info.family,
				s->info.model);
	text_first_line("/sys/devices/system/cpu/smt/active", threads, sizeof(threads));
	if (topdown->smt_shares && threads[0] == '1')
		err_warn("two threads of a core share its slots, and this CPU's events do not "
			 "separate them: the shares are right only if one of them is idle");
	if (eventlist_parse(&s->options->events, topdown->events, why, sizeof(why)))
		return err_fail("--topdown: %s", why);
	s->counts.topdown = topdown;
	return 0;
}

/* Without a PMU the default is the time. */
static int stat_ask_without_pmu(struct stat_run *s)
{
	struct eventlist *events = &s->options->events;
	char why[256];

	if (!s->info.no_pmu[0] || !s->options->default_events)
		return 0;
	events->nr = 0;
	if (eventlist_parse(events, "cpu-clock", why, sizeof(why)))
		return err_fail("%s", why);
	err_warn("no PMU (%s): cpu-clock is counted, the time on CPUs; hardware events cannot be",
		 s->info.no_pmu);
	return 0;
}

static int stat_ask(struct stat_run *s)
{
	if (control_ask(&s->control, &s->info))
		return -1;
	if (s->info.unsupported[0])
		return err_fail("no session can be started on this CPU: %s",
				s->info.unsupported);
	if (s->options->topdown && stat_ask_topdown(s))
		return -1;
	if (stat_ask_without_pmu(s) ||
	    eventlist_check(&s->options->events, &s->info, s->options->subject.all))
		return -1;
	if (!s->info.privileged)
		eventlist_only_user(&s->options->events);
	eventlist_warn_cores(&s->options->events, &s->info,
			     s->options->subject.cpus);
	return session_check();
}

static int stat_open(struct stat_run *s)
{
	struct control_event events[LBRSCOPE_EVENTS_MAX];
	struct control_session settings = {
		.events = events,
		.task_counts = s->options->per == STAT_TASK,
	};

	s->nr_asked = eventlist_ask(&s->options->events, events);
	/* Linux counts all of them, and a session has an event: a clock takes nothing from anybody. */
	if (!s->nr_asked)
		events[s->nr_asked++] = (struct control_event){ .clock = true, .config = EVENTS_SELECT_USR };
	settings.nr_events = s->nr_asked;
	subject_ask(&s->subject, &settings);
	if (session_open(&s->session, &s->control, &settings))
		return -1;
	return stat_software_open(&s->software, &s->options->events, &s->subject, &s->session.possible);
}

static double stat_seconds(const struct timespec *from, const struct timespec *to)
{
	return to->tv_sec - from->tv_sec + (to->tv_nsec - from->tv_nsec) * 1e-9;
}

/* CPUs that never counted are left out, if others did. */
static bool stat_counted(const struct lbrscope_count *counts, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (counts[i].enabled)
			return true;
	return false;
}

/* Reads the counts of all CPUs. */
static int stat_read_cpus(struct stat_run *s)
{
	const struct cpulist *possible = &s->session.possible;
	const struct eventlist *events = &s->options->events;
	struct lbrscope_count asked[LBRSCOPE_EVENTS_MAX];
	unsigned int i, e, at;
	int err;

	for (i = 0; i < possible->nr; i++) {
		err = control_counts_get(&s->control, s->session.fd, possible->cpus[i], asked, s->nr_asked);
		if (err)
			return err_fail("reading the counts of CPU %u: %s", possible->cpus[i],
					control_reason(&s->control, err));
		for (e = 0, at = 0; e < events->nr; e++)
			if (!events->list[e].event.software)
				s->now[i * events->nr + e] = asked[at++];
	}
	stat_software_read(&s->software, s->now, events->nr);
	return 0;
}

static int stat_take_cpus(struct stat_run *s)
{
	const struct cpulist *possible = &s->session.possible;
	unsigned int nr = s->options->events.nr, i, e;
	struct stat_counts *c = &s->counts;

	if (stat_read_cpus(s))
		return -1;
	c->nr_units = 0;
	for (i = 0; i < possible->nr; i++) {
		struct lbrscope_count *unit = c->counts + c->nr_units * nr;

		memcpy(unit, s->now + i * nr, nr * sizeof(*unit));
		for (e = 0; e < nr; e++)
			counts_subtract(&unit[e], &s->told[i * nr + e]);
		c->units[c->nr_units].cpu = possible->cpus[i];
		c->units[c->nr_units].nr_cpus = 1;
		if (c->per == STAT_CORE)
			stat_place(&c->units[c->nr_units]);
		if (stat_counted(unit, nr))
			c->nr_units++;
	}
	memcpy(s->told, s->now, possible->nr * nr * sizeof(*s->told));
	if (c->per == STAT_CORE)
		stat_cores(c);
	return 0;
}

/* While they run, CPUs and threads are not read at the same moment, and cannot be compared. */
static int stat_take_tasks(struct stat_run *s, bool last)
{
	if (stat_tasks_read(&s->tasks, &s->session))
		return -1;
	if (last) {
		if (stat_read_cpus(s))
			return -1;
		stat_tasks_rest(&s->tasks, s->now, s->session.possible.nr);
	}
	return stat_tasks_units(&s->tasks, &s->counts);
}

/* Prints the counts since the last output; call it once more when the session has ended. */
static int stat_take(struct stat_run *s, bool last)
{
	struct stat_counts *c = &s->counts;
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	c->seconds = stat_seconds(&s->since, &now);
	c->until = stat_seconds(&s->started, &now);
	s->since = now;
	return c->per == STAT_TASK ? stat_take_tasks(s, last) : stat_take_cpus(s);
}

static int stat_tell(struct stat_run *s)
{
	s->counts.first = !s->nr_told++;
	s->options->print(&s->counts, s->out);
	if (!s->counts.interval)
		return 0;
	stat_tasks_told(&s->tasks);
	if (!fflush(s->out))
		return 0;
	if (errno != EPIPE)
		return err_errno("writing the counts");
	/* The reader has closed the pipe, as `head` does after its lines: end as after a signal. */
	kill(getpid(), SIGTERM);
	return 0;
}

static int stat_output(struct stat_run *s)
{
	static char line[BUFSIZ];
	const char *path = s->options->output;

	s->out = stderr;
	if (!path) {
		/* The measured command writes to the same stream, and may write very many
		 * lines. */
		setvbuf(stderr, line, _IOLBF, sizeof(line));
		return 0;
	}
	if (atomic_file_open(&s->file, path))
		return -1;
	s->file.shared = s->options->shared;
	s->out = s->file.stream;
	return 0;
}

static int stat_output_end(struct stat_run *s)
{
	s->out = NULL;
	return s->options->output ? atomic_file_commit(&s->file) : 0;
}

/* Puts the file of an interval in its place, and begins that of the next one. */
static int stat_replace(struct stat_run *s)
{
	const struct stat_options *o = s->options;

	if (!o->replace || !o->output || !strcmp(o->output, "-"))
		return 0;
	return stat_output_end(s) || stat_output(s) ? -1 : 0;
}

/* Time until the next interval ends, in ms; -1: no intervals. */
static int stat_timeout(const struct stat_run *s)
{
	double interval = s->options->interval * 1e-9, passed;
	struct timespec now;

	if (!s->counts.interval)
		return -1;
	clock_gettime(CLOCK_MONOTONIC, &now);
	passed = stat_seconds(&s->started, &now);
	return ceil((interval - fmod(passed, interval)) * 1000);
}

/* A session without privilege must give a sign of life now and then: see
 * <linux/lbrscope.h>, Rights. poll() is one. */
#define STAT_ALIVE_MS	1000

/* Waits until the measured tasks end, a signal arrives, or the module ends the session. */
static int stat_wait(struct stat_run *s)
{
	struct pollfd fds[SUBJECT_FDS + 1], *rings = &fds[SUBJECT_FDS];
	int ready, left, timeout;

	subject_watch(&s->subject, fds);
	*rings = (struct pollfd){ .fd = s->session.fd,
		.events = s->options->per == STAT_TASK ? POLLIN : 0 };
	do {
		left = stat_timeout(s);
		timeout = left < 0 || left > STAT_ALIVE_MS ? STAT_ALIVE_MS : left;
		ready = poll(fds, SUBJECT_FDS + 1, timeout);
		if (ready < 0 && errno != EINTR)
			return err_errno("waiting for the end");
		if (ready > 0 && s->options->per == STAT_TASK && rings->revents &&
		    stat_tasks_drain(&s->tasks, &s->session))
			return -1;
		if (!ready && timeout == left && (stat_take(s, false) || stat_tell(s) ||
						       stat_replace(s)))
			return -1;
	} while (ready <= 0 || !(rings->revents & (POLLHUP | POLLERR) ||
				 subject_ended(&s->subject, fds)));
	return 0;
}

static int stat_room(struct stat_run *s)
{
	size_t nr = s->options->events.nr, cpus = s->session.possible.nr;
	struct stat_counts *c = &s->counts;

	s->now = calloc(cpus * nr, sizeof(*s->now));
	s->told = calloc(cpus * nr, sizeof(*s->told));
	c->counts = calloc(cpus * nr, sizeof(*c->counts));
	c->units = calloc(cpus, sizeof(*c->units));
	if (!s->now || !s->told || !c->counts || !c->units)
		return err_fail("out of memory");
	return stat_tasks_init(&s->tasks, nr);
}

/* Frees the previous run; the output for all runs has the counts of the last one. */
static void stat_leave_room(struct stat_run *s)
{
	free(s->now);
	free(s->told);
	free(s->counts.units);
	free(s->counts.counts);
	stat_tasks_free(&s->tasks);
	s->now = s->told = s->counts.counts = NULL;
	s->counts.units = NULL;
}

/* The losses of the counters from here on are not known. */
static void stat_warn_taken(const struct control_stats *stats)
{
	uint64_t cpus = stats->lost[LBRSCOPE_LOST_PMU_TAKEN];

	if (cpus && stats->ended == LBRSCOPE_ENDED_NOT)
		err_warn("another program used the counters without reserving them, on %llu "
			 "CPU%s: the counts are too low from then on",
			 (unsigned long long)cpus, cpus == 1 ? "" : "s");
}

static void stat_warn_tasks(const struct control_stats *stats)
{
	if (stats->tasks_lost)
		err_warn("%llu threads ended before their counts could be read: they are "
			 "counted as others", (unsigned long long)stats->tasks_lost);
	if (stats->untracked)
		err_warn("the module had no memory for %llu tasks: they were not counted",
			 (unsigned long long)stats->untracked);
}

static int stat_session(struct stat_run *s)
{
	struct control_stats *stats = &s->stats;
	int err = stat_open(s);

	if (!err)
		err = stat_room(s);
	clock_gettime(CLOCK_MONOTONIC, &s->started);
	s->since = s->started;
	if (!err)
		err = session_start(&s->session);
	if (!err) {
		stat_software_start(&s->software, &s->subject);
		err = subject_go(&s->subject);
	}
	if (!err)
		err = stat_wait(s);
	if (!err)
		err = session_stop(&s->session, stats);
	if (!err) {
		stats_warn_hidden(stats);
		stat_warn_taken(stats);
		if (subject_of_tasks(&s->subject))
			stat_warn_tasks(stats);
		err = stat_take(s, true);
		stat_software_warn(&s->software);
	}
	stat_software_close(&s->software);
	session_close(&s->session);
	return err;
}

/* Computes mean and error of all runs. */
static int stat_tell_runs(struct stat_run *s, unsigned int nr)
{
	unsigned int repeat = s->options->repeat, events = s->options->events.nr, e;
	double means[LBRSCOPE_EVENTS_MAX], errors[LBRSCOPE_EVENTS_MAX];
	struct stat_counts *c = &s->counts;

	c->nr_runs = nr;
	c->means = means;
	c->errors = errors;
	for (e = 0; e < events; e++)
		means[e] = counts_mean(s->runs + e * repeat, nr, &errors[e]);
	c->seconds = counts_mean(s->runs + events * repeat, nr, &c->seconds_error);
	return stat_tell(s);
}

/* Prints the counts of one run, or stores those of run nr (from 0) of several. */
static int stat_end(struct stat_run *s, unsigned int nr)
{
	unsigned int repeat = s->options->repeat, events = s->options->events.nr, e;
	struct stat_line line;

	if (repeat == 1)
		return stat_tell(s) || stat_output_end(s);
	for (e = 0; e < events; e++) {
		stat_line(&s->counts, STAT_TOTAL, e, &line);
		s->runs[e * repeat + nr] = line.counted ? line.estimate : NAN;
	}
	s->runs[events * repeat + nr] = s->counts.seconds;
	/* An interrupted run does not count, unless it is the only one. */
	s->nr_whole = nr + (!s->subject.interrupted || !nr);
	return 0;
}

/* The exit status of a failure of lbrctl. */
static int stat_failed(const struct stat_run *s)
{
	return s->options->subject.command ? ERR_EXIT_COMMAND : ERR_EXIT_FAILED;
}

/* Returns the command's exit status, or that of a failure. */
static int stat_one(struct stat_run *s, unsigned int nr, bool *failed)
{
	int status = ERR_EXIT_DONE;

	*failed = true;
	stat_leave_room(s);
	if (subject_open(&s->subject, &s->options->subject))
		return stat_failed(s);
	/* The NMI watchdog is switched off only for events on counters. */
	if ((eventlist_needs_pmu(&s->options->events) && guardian_start(&s->guardian)) ||
	    stat_session(s) || stat_end(s, nr) || session_ended(&s->stats))
		status = ERR_EXIT_FAILED;
	if (guardian_finish(&s->guardian))
		status = ERR_EXIT_FAILED;
	*failed = status;
	return subject_close(&s->subject, status);
}

static int stat_all(struct stat_run *s)
{
	struct stat_options *o = s->options;
	int status = ERR_EXIT_DONE, one;
	bool failed = true;
	unsigned int nr;

	s->runs = calloc((size_t)o->repeat * (o->events.nr + 1), sizeof(*s->runs));
	if (!s->runs)
		err_fail("out of memory");
	if (!s->runs || stat_output(s)) {
		free(s->runs);
		return stat_failed(s);
	}
	o->subject.repeated = o->repeat > 1;
	for (nr = 0; nr < o->repeat; nr++) {
		one = stat_one(s, nr, &failed);
		status = status ? status : one;
		if (failed || s->subject.interrupted)
			break;
	}
	if (s->nr_whole && !failed && (stat_tell_runs(s, s->nr_whole) || stat_output_end(s)))
		status = stat_failed(s);
	if (s->out && o->output)
		atomic_file_abort(&s->file);
	stat_leave_room(s);
	free(s->runs);
	return status;
}

int stat_run(struct stat_options *options)
{
	struct stat_run s = {
		.options = options, .session = { .fd = -1 },
		.counts = { .events = &options->events, .per = options->per,
			    .interval = options->interval,
			    .separator = options->separator },
	};
	int status;

	if (control_connect(&s.control))
		return stat_failed(&s);
	status = stat_ask(&s) ? stat_failed(&s) : stat_all(&s);
	control_close(&s.control);
	return status;
}
