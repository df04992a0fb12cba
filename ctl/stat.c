// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "control.h"
#include "err.h"
#include "guardian.h"
#include "session.h"
#include "stat.h"
#include "summary.h"

struct stat_run {
	struct stat_options *options;
	struct control control;
	struct control_info info;
	struct subject subject;
	struct guardian guardian;
	struct session session;
	struct stat_counts counts;
};

static int stat_ask(struct stat_run *s)
{
	int err = control_info(&s->control, &s->info);

	if (err)
		return err_fail("asking the module what it can do: %s",
				control_reason(&s->control, err));
	if (s->info.unsupported[0])
		return err_fail("no session can be started on this CPU: %s",
				s->info.unsupported);
	if (!s->info.privileged)
		eventlist_only_user(&s->options->events);
	eventlist_warn_cores(&s->options->events, &s->info,
			     s->options->subject.cpus);
	eventlist_limit(&s->options->events, &s->info);
	return session_check();
}

static int stat_open(struct stat_run *s)
{
	struct control_event events[LBRSCOPE_EVENTS_MAX];
	struct control_session settings = {
		.events = events,
		.nr_events = s->options->events.nr,
	};

	eventlist_ask(&s->options->events, events);
	subject_ask(&s->subject, &settings);
	return session_open(&s->session, &s->control, &settings);
}

static int stat_wait(struct stat_run *s)
{
	struct pollfd fds[SUBJECT_FDS];

	subject_watch(&s->subject, fds);
	do {
		if (poll(fds, SUBJECT_FDS, -1) < 0 && errno != EINTR)
			return err_errno("waiting for the end");
	} while (!subject_ended(&s->subject, fds));
	return 0;
}

static double stat_seconds(const struct timespec *from)
{
	struct timespec to;

	clock_gettime(CLOCK_MONOTONIC, &to);
	return to.tv_sec - from->tv_sec + (to.tv_nsec - from->tv_nsec) * 1e-9;
}

/* CPUs that never counted say nothing, where others do. */
static bool stat_counted(const struct lbrscope_count *counts, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (counts[i].enabled)
			return true;
	return false;
}

static int stat_read(struct stat_run *s)
{
	const struct cpulist *possible = &s->session.possible;
	unsigned int nr = s->options->events.nr, i;
	struct stat_counts *c = &s->counts;
	int err;

	c->events = &s->options->events;
	c->cpus = calloc(possible->nr, sizeof(*c->cpus));
	c->counts = calloc((size_t)possible->nr * nr, sizeof(*c->counts));
	if (!c->cpus || !c->counts)
		return err_fail("out of memory");
	for (i = 0; i < possible->nr; i++) {
		struct lbrscope_count *counts = c->counts + c->nr_cpus * nr;

		err = control_counts_get(&s->control, s->session.fd,
					 possible->cpus[i], counts, nr);
		if (err)
			return err_fail("reading the counts of CPU %u: %s",
					possible->cpus[i],
					control_reason(&s->control, err));
		c->cpus[c->nr_cpus] = possible->cpus[i];
		if (stat_counted(counts, nr))
			c->nr_cpus++;
	}
	return 0;
}

static int stat_session(struct stat_run *s)
{
	struct control_stats stats;
	struct timespec started;
	int err = stat_open(s);

	if (err)
		return err;
	clock_gettime(CLOCK_MONOTONIC, &started);
	err = session_start(&s->session);
	if (!err)
		err = subject_go(&s->subject);
	if (!err)
		err = stat_wait(s);
	if (!err)
		err = session_stop(&s->session, &stats);
	if (!err)
		summary_warn_hidden(&stats);
	s->counts.seconds = stat_seconds(&started);
	if (!err)
		err = stat_read(s);
	session_close(&s->session);
	return err;
}

static int stat_print(const struct stat_run *s)
{
	const struct stat_options *o = s->options;
	FILE *out = o->output ? fopen(o->output, "w") : stderr;
	int bad;

	if (!out)
		return err_errno("opening %s", o->output);
	(o->json ? stat_print_json : stat_print_text)(&s->counts, o->per_cpu,
						      out);
	bad = ferror(out);
	if (o->output)
		bad |= fclose(out);
	return bad ? err_errno("writing the counts") : 0;
}

static int stat_with_module(struct stat_run *s)
{
	int status = ERR_EXIT_DONE;

	if (stat_ask(s) || subject_open(&s->subject, &s->options->subject))
		return ERR_EXIT_FAILED;
	if (guardian_start(&s->guardian) || stat_session(s) || stat_print(s))
		status = ERR_EXIT_FAILED;
	if (guardian_finish(&s->guardian))
		status = ERR_EXIT_FAILED;
	free(s->counts.cpus);
	free(s->counts.counts);
	return subject_close(&s->subject, status);
}

int stat_run(struct stat_options *options)
{
	struct stat_run s = { .options = options, .session = { .fd = -1 } };
	int status;

	if (control_open(&s.control)) {
		err_fail("module lbrscope is not loaded: run 'lbrctl load' "
			 "first");
		status = ERR_EXIT_FAILED;
	} else {
		status = stat_with_module(&s);
		control_close(&s.control);
	}
	if (status == ERR_EXIT_FAILED && options->subject.command)
		return ERR_EXIT_COMMAND;
	return status;
}
