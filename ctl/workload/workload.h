/* SPDX-License-Identifier: GPL-2.0 */
/* The measured workload: a command, tasks, a cgroup or CPUs. */
#ifndef LBRCTL_WORKLOAD_WORKLOAD_H
#define LBRCTL_WORKLOAD_WORKLOAD_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/part.h"
#include "module/netlink.h"
#include "workload/command.h"
#include "workload/tasks.h"

struct pollfd;

/* The selection by the options. */
struct subject_options {
	bool all;		/* all tasks */
	const char *cpus;	/* a list of CPUs, NULL: all */
	struct tasks_list pids;	/* processes */
	struct tasks_list tids;	/* threads */
	const char *user;	/* name or number of the user whose processes, NULL: none */
	uid_t uid;		/* his number */
	const char *cgroup;	/* name of the cgroup, on all CPUs; NULL: none */
	char **command;		/* the command to run; it is measured if none of the above is
				 * set; NULL: none
				 */
	bool repeated;		/* the subject is closed and opened again */
};

/* Rows of the options of verbs that measure; at: a struct subject_options of the type. */
#define SUBJECT_ROWS(type, at) \
	{ "all-cpus", 'a', NULL, \
	  "all CPUs, all processes", \
	  subject_all, part_of(type, at, struct subject_options) }, \
	{ "cpu", 'C', "LIST", \
	  "the same, on these CPUs only: 0-3,8", \
	  subject_cpus, part_of(type, at, struct subject_options) }, \
	{ "pid", 'p', "PID,…", \
	  "these processes, and what they fork from now on", \
	  subject_pids, part_of(type, at, struct subject_options) }, \
	{ "tid", 't', "TID,…", \
	  "these threads, and what they fork from now on", \
	  subject_tids, part_of(type, at, struct subject_options) }, \
	{ "uid", 'u', "USER", \
	  "the processes that this user has now, and what they fork from now on", \
	  subject_user, part_of(type, at, struct subject_options) }, \
	{ "cgroup", 'G', "PATH", \
	  "the tasks in this cgroup (version 2), and below it", \
	  subject_cgroup, part_of(type, at, struct subject_options) }

/* The functions of these options; part: the struct subject_options. Return 0, or an exit status
 * with a message. */
int subject_all(const char *verb, const char *text, void *part);
int subject_cpus(const char *verb, const char *text, void *part);
int subject_pids(const char *verb, const char *text, void *part);
int subject_tids(const char *verb, const char *text, void *part);
int subject_user(const char *verb, const char *text, void *part);
int subject_cgroup(const char *verb, const char *text, void *part);

/* Checks the verb's command line as a whole; `does`: the verb in messages, such as "record".
 * Returns 0, or the exit status with a message. */
int subject_check(const char *verb, const char *does, const struct subject_options *options);

/* Whether the options select nothing. */
bool subject_is_nobody(const struct subject_options *o);

/* The selection at run time: tasks, or the command until its end. Zero before the first
 * subject_open(). */
struct subject {
	const struct subject_options *options;
	sigset_t mask;		/* the signal mask at the start of lbrctl */
	bool holds;		/* signals stay blocked from one opening to the next */
	int signals;		/* signalfd */
	struct tasks tasks;	/* selected by the options */
	struct tasks_list found;	/* or the command's process, or those of the user */
	int cgroup;		/* its directory, or -1 */
	struct workload workload;
	bool of_command;	/* found is the command's process */
	bool interrupted;	/* a signal requested the end */
	bool not_run;		/* the command could not be executed */
};

/* Opens the tasks or the cgroup, forks the command, which waits, and starts to handle signals
 * that would end lbrctl. No file of a session may be open yet. Returns 0, or -1 with a
 * message; call subject_close() in both cases. */
int subject_open(struct subject *subject, const struct subject_options *options);

/* Sets the targets of the module's session. */
void subject_ask(struct subject *subject, struct control_session *session);

/* Whether only some tasks are measured, as opposed to all tasks on some CPUs or in a cgroup. */
bool subject_of_tasks(const struct subject *subject);

/* Lists the measured processes, at most LBRSCOPE_TARGETS_MAX. Returns their number; 0: any
 * process. */
unsigned int subject_processes(const struct subject *subject, uint32_t *pids);

/* Lets the command run. Returns 0 or -1 with a message. */
int subject_go(struct subject *subject);

/* The descriptors to poll for the end, and whether it has come. */
#define SUBJECT_FDS	3
void subject_watch(const struct subject *subject, struct pollfd *fds);
bool subject_ended(struct subject *subject, const struct pollfd *fds);

/* Waits for the command. Returns the exit status of lbrctl: the command's, unless status
 * reports a failure of lbrctl. A signal since the last subject_ended() counts as an
 * interruption as well. */
int subject_close(struct subject *subject, int status);

#endif
