// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cpulist.h"
#include "err.h"
#include "subject.h"

static int subject_cpus(const char *verb, const char *text,
			struct subject_options *o)
{
	struct cpulist list;

	if (cpulist_parse(&list, text) || !list.nr ||
	    strlen(text) > LBRSCOPE_CPUS_MAX)
		return err_usage(verb, "-C %s: it is a list of CPUs as the "
				 "kernel writes them, 0-3,8", text);
	cpulist_free(&list);
	o->cpus = text;
	o->all = true;
	return 0;
}

static int subject_process(const char *verb, const char *text,
			   struct subject_options *o)
{
	unsigned long pid;
	char *end;

	errno = 0;
	pid = strtoul(text, &end, 10);
	if (errno || !isdigit((unsigned char)*text) || *end || !pid ||
	    pid > INT32_MAX)
		return err_usage(verb, "-p %s: a process id is a number from 1",
				 text);
	o->pid = pid;
	return 0;
}

int subject_option(const char *verb, int c, const char *argument,
		   struct subject_options *options)
{
	if (c == 'C')
		return subject_cpus(verb, argument, options);
	if (c == 'p')
		return subject_process(verb, argument, options);
	options->all = true;
	return 0;
}

int subject_check(const char *verb, const struct subject_options *o)
{
	if (o->all && o->pid)
		return err_usage(verb, "-a and -p exclude each other, and so do "
				 "-C and -p: all processes, or one");
	if (!o->all && !o->pid && !o->command)
		return err_usage(verb, "nothing to %s: -a, -C, -p PID or -- "
				 "COMMAND", verb);
	return 0;
}

static int subject_open_process(struct subject *s)
{
	uint32_t pid = s->options->pid;

	s->pidfd = -1;
	if (!pid)
		return 0;
	s->pidfd = syscall(SYS_pidfd_open, pid, 0);
	if (s->pidfd >= 0)
		return 0;
	if (errno == ESRCH)
		return err_fail("there is no process %u", pid);
	if (errno == EINVAL)
		return err_fail("%u is no process but a thread of one: give the "
				"process (Tgid in /proc/%u/status)", pid, pid);
	return err_errno("opening process %u", pid);
}

/* From here on signals that end us are read, not suffered. */
static int subject_take_signals(struct subject *s)
{
	struct sigaction hangup;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	/* Under nohup the recording goes on. */
	if (!sigaction(SIGHUP, NULL, &hangup) && hangup.sa_handler != SIG_IGN)
		sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, &s->mask);
	s->signals = signalfd(-1, &set, SFD_CLOEXEC);
	return s->signals < 0 ? err_errno("watching for signals") : 0;
}

int subject_open(struct subject *subject, const struct subject_options *options)
{
	memset(subject, 0, sizeof(*subject));
	subject->options = options;
	subject->signals = -1;
	if (subject_open_process(subject) || subject_take_signals(subject))
		return -1;
	return options->command ? workload_fork(&subject->workload,
						options->command,
						&subject->mask) : 0;
}

uint32_t subject_pid(const struct subject *subject)
{
	if (subject->options->all)
		return 0;
	return subject->options->pid ? subject->options->pid :
				       (uint32_t)subject->workload.pid;
}

void subject_ask(const struct subject *subject, struct control_session *session)
{
	const struct subject_options *o = subject->options;

	session->cpus = o->cpus;
	session->target_pid = subject_pid(subject);
	session->enable_on_exec = !o->all && !o->pid;
}

int subject_go(struct subject *subject)
{
	if (!subject->workload.pid)
		return 0;
	subject->not_run = workload_run(&subject->workload,
					subject->options->command[0]);
	return subject->not_run ? -1 : 0;
}

enum { SUBJECT_SIGNALS, SUBJECT_COMMAND, SUBJECT_PROCESS };

void subject_watch(const struct subject *subject, struct pollfd *fds)
{
	fds[SUBJECT_SIGNALS] = (struct pollfd){
		.fd = subject->signals, .events = POLLIN };
	fds[SUBJECT_COMMAND] = (struct pollfd){
		.fd = subject->workload.pid ? subject->workload.pidfd : -1,
		.events = POLLIN };
	fds[SUBJECT_PROCESS] = (struct pollfd){
		.fd = subject->pidfd, .events = POLLIN };
}

bool subject_ended(struct subject *subject, const struct pollfd *fds)
{
	subject->interrupted = fds[SUBJECT_SIGNALS].revents;
	return subject->interrupted || fds[SUBJECT_COMMAND].revents ||
	       fds[SUBJECT_PROCESS].revents;
}

int subject_close(struct subject *subject, int status)
{
	int command;

	if (!subject->workload.pid)
		return status;
	if (subject->interrupted)
		kill(subject->workload.pid, SIGTERM);
	/* A second signal ends us while the command takes its time. */
	sigprocmask(SIG_SETMASK, &subject->mask, NULL);
	command = workload_wait(&subject->workload);
	return !status || subject->not_run ? command : ERR_EXIT_COMMAND;
}
