// SPDX-License-Identifier: GPL-2.0
/* Opens and follows what the options select to be measured. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/cpulist.h"
#include "base/err.h"
#include "workload/cgroup.h"
#include "workload/users.h"
#include "workload/workload.h"

int subject_all(const char *verb, const char *none, void *part)
{
	(void)verb;
	(void)none;
	((struct subject_options *)part)->all = true;
	return 0;
}

int subject_cpus(const char *verb, const char *text, void *part)
{
	struct subject_options *o = part;
	struct cpulist list = { 0 };
	int err = cpulist_option(verb, &list, text);

	cpulist_free(&list);
	if (err)
		return err;
	if (strlen(text) > LBRSCOPE_CPUS_MAX)
		return err_usage(verb, "-C %s: the list is longer than %d characters: write "
				 "ranges, such as 0-63",
				 text, LBRSCOPE_CPUS_MAX);
	o->cpus = text;
	o->all = true;
	return 0;
}

static int subject_tasks(const char *verb, int c, const char *text,
			 struct tasks_list *list)
{
	if (!tasks_parse(list, text))
		return 0;
	return err_usage(verb, "-%c %s: expected a list of %s ids, up to %d, such as 12,345",
			 c, text, c == 'p' ? "process" : "thread",
			 LBRSCOPE_TARGETS_MAX);
}

int subject_pids(const char *verb, const char *text, void *part)
{
	return subject_tasks(verb, 'p', text, &((struct subject_options *)part)->pids);
}

int subject_tids(const char *verb, const char *text, void *part)
{
	return subject_tasks(verb, 't', text, &((struct subject_options *)part)->tids);
}

int subject_user(const char *verb, const char *text, void *part)
{
	struct subject_options *o = part;

	if (!users_find(text, &o->uid))
		return err_usage(verb, "-u %s: there is no user of this name", text);
	o->user = text;
	return 0;
}

int subject_cgroup(const char *verb, const char *text, void *part)
{
	(void)verb;
	((struct subject_options *)part)->cgroup = text;
	return 0;
}

static bool subject_has_tasks(const struct subject_options *o)
{
	return o->pids.nr || o->tids.nr || o->user;
}

/* Whether the command itself is measured. */
static bool subject_is_command(const struct subject_options *o)
{
	return !o->all && !o->cgroup && !subject_has_tasks(o);
}

bool subject_is_nobody(const struct subject_options *o)
{
	return subject_is_command(o) && !o->command;
}

int subject_check(const char *verb, const char *does, const struct subject_options *o)
{
	if ((o->all || o->cgroup) && subject_has_tasks(o))
		return err_usage(verb, "-p, -t and -u exclude -a, -C and -G: select tasks, or all "
				 "tasks, or a cgroup");
	if (o->user && (o->pids.nr || o->tids.nr))
		return err_usage(verb, "-u excludes -p and -t: select a user's processes, or tasks");
	if (o->pids.nr + o->tids.nr > LBRSCOPE_TARGETS_MAX)
		return err_usage(verb, "-p and -t take at most %d tasks together",
				 LBRSCOPE_TARGETS_MAX);
	if (subject_is_nobody(o))
		return err_usage(verb, "nothing to %s: give -a, -C, -p PID, -t TID, -u USER, -G PATH "
				 "or -- COMMAND", does);
	return 0;
}

/* From here on, a signalfd receives signals that would end this process. */
static int subject_take_signals(struct subject *s)
{
	struct sigaction hangup;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	/* Under nohup, SIGHUP stays ignored. */
	if (!sigaction(SIGHUP, NULL, &hangup) && hangup.sa_handler != SIG_IGN)
		sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, s->holds ? NULL : &s->mask);
	s->signals = signalfd(-1, &set, SFD_CLOEXEC);
	return s->signals < 0 ? err_errno("watching for signals") : 0;
}

int subject_open(struct subject *subject, const struct subject_options *options)
{
	*subject = (struct subject){ .options = options, .signals = -1, .cgroup = -1,
				     .mask = subject->mask, .holds = subject->holds };
	if (options->user && users_processes(options->uid, options->user, &subject->found))
		return -1;
	if (tasks_open(&subject->tasks, options->user ? &subject->found : &options->pids, &options->tids,
		       options->user))
		return -1;
	if (options->cgroup) {
		subject->cgroup = cgroup_open(options->cgroup);
		if (subject->cgroup < 0)
			return -1;
	}
	if (subject_take_signals(subject))
		return -1;
	if (!options->command)
		return 0;
	if (workload_fork(&subject->workload, options->command, &subject->mask))
		return -1;
	if (subject_is_command(options)) {
		subject->found.ids[0] = subject->workload.pid;
		subject->found.nr = 1;
		subject->of_command = true;
	}
	return 0;
}

bool subject_of_tasks(const struct subject *subject)
{
	return subject->of_command || subject_has_tasks(subject->options);
}

unsigned int subject_processes(const struct subject *subject, uint32_t *pids)
{
	if (!subject->of_command)
		return tasks_processes(&subject->tasks, pids);
	pids[0] = subject->found.ids[0];
	return 1;
}

void subject_ask(struct subject *subject, struct control_session *session)
{
	const struct subject_options *o = subject->options;

	session->cpus = o->cpus;
	session->pids = subject->found.nr ? &subject->found : &o->pids;
	session->may_end = o->user ? &subject->found : NULL;
	session->tids = &o->tids;
	session->in_cgroup = o->cgroup;
	session->cgroup = subject->cgroup;
	session->enable_on_exec = subject->of_command;
}

int subject_go(struct subject *subject)
{
	if (!subject->workload.pid)
		return 0;
	subject->not_run = workload_run(&subject->workload,
					subject->options->command[0]);
	return subject->not_run ? -1 : 0;
}

enum { SUBJECT_SIGNALS, SUBJECT_COMMAND, SUBJECT_TASKS };

void subject_watch(const struct subject *subject, struct pollfd *fds)
{
	fds[SUBJECT_SIGNALS] = (struct pollfd){
		.fd = subject->signals, .events = POLLIN };
	fds[SUBJECT_COMMAND] = (struct pollfd){
		.fd = subject->workload.pid ? subject->workload.pidfd : -1,
		.events = POLLIN };
	fds[SUBJECT_TASKS] = (struct pollfd){
		.fd = subject->tasks.fd, .events = POLLIN };
}

bool subject_ended(struct subject *subject, const struct pollfd *fds)
{
	subject->interrupted = fds[SUBJECT_SIGNALS].revents;
	return subject->interrupted || fds[SUBJECT_COMMAND].revents ||
	       (fds[SUBJECT_TASKS].revents && tasks_ended(&subject->tasks));
}

/* Reads signals that are still pending: they have had their effect, and must not end this
 * process now. */
static void subject_drain_signals(struct subject *subject)
{
	struct pollfd fd = { .fd = subject->signals, .events = POLLIN };
	struct signalfd_siginfo info;

	while (subject->signals >= 0 && poll(&fd, 1, 0) == 1 &&
	       read(subject->signals, &info, sizeof(info)) > 0)
		subject->interrupted = true;
	if (subject->signals >= 0)
		close(subject->signals);
}

int subject_close(struct subject *subject, int status)
{
	int command;

	subject_drain_signals(subject);
	tasks_close(&subject->tasks);
	if (subject->cgroup >= 0)
		close(subject->cgroup);
	if (!subject->workload.pid)
		return status;
	if (subject->interrupted)
		kill(subject->workload.pid, SIGTERM);
	subject->holds = subject->options->repeated && !subject->interrupted;
	/* A second signal ends this process while it waits for the command. */
	if (!subject->holds)
		sigprocmask(SIG_SETMASK, &subject->mask, NULL);
	command = workload_wait(&subject->workload);
	return !status || subject->not_run ? command : ERR_EXIT_COMMAND;
}
