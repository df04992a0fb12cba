/* SPDX-License-Identifier: GPL-2.0 */
/* What is measured, as the options say. */
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

/* Who is measured, as the options say. */
struct subject_options {
	bool all;		/* all tasks */
	const char *cpus;	/* a list of CPUs, NULL: all */
	struct tasks_list pids;	/* processes */
	struct tasks_list tids;	/* threads */
	const char *cgroup;	/* who is in it, on all CPUs; NULL: none */
	char **command;		/* what to run meanwhile, and to measure when
				 * none of these is set; NULL: nothing */
	bool repeated;		/* it is opened again when it was closed */
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
	{ "cgroup", 'G', "PATH", \
	  "the tasks in this cgroup (version 2), and below it", \
	  subject_cgroup, part_of(type, at, struct subject_options) }

/* What they do; part: the struct subject_options. Return 0, or an exit status with a
 * message. */
int subject_all(const char *verb, const char *text, void *part);
int subject_cpus(const char *verb, const char *text, void *part);
int subject_pids(const char *verb, const char *text, void *part);
int subject_tids(const char *verb, const char *text, void *part);
int subject_cgroup(const char *verb, const char *text, void *part);

/* Whether the verb's command line makes sense as a whole, `does` being what is done to the
 * subject. Returns 0, or the exit status with a message. */
int subject_check(const char *verb, const char *does, const struct subject_options *options);

/* Whether the options have named nobody. */
bool subject_is_nobody(const struct subject_options *o);

/* The same as it lives: the tasks, or the command until its end. All 0 before it is opened
 * for the first time. */
struct subject {
	const struct subject_options *options;
	sigset_t mask;		/* as we were started with */
	bool holds;		/* signals wait from the time before to the next */
	int signals;		/* signalfd */
	struct tasks tasks;	/* of the options */
	struct tasks_list command;	/* or the command's process */
	int cgroup;		/* its directory, or -1 */
	struct workload workload;
	bool interrupted;	/* by a signal */
	bool not_run;		/* the command could not be executed */
};

/* Opens the tasks or the cgroup, forks the command, which waits, and takes the signals that
 * end us. Nothing of a session may be open yet. Returns 0 or -1 with a message;
 * subject_close() is for both. */
int subject_open(struct subject *subject, const struct subject_options *options);

/* What the module is to look at. */
void subject_ask(const struct subject *subject, struct control_session *session);

/* Whether some tasks are measured, and not all there are on some CPUs or in a cgroup. */
bool subject_of_tasks(const struct subject *subject);

/* The processes whose tasks are measured, at most LBRSCOPE_TARGETS_MAX. Returns
 * how many; 0: any may be. */
unsigned int subject_processes(const struct subject *subject, uint32_t *pids);

/* Lets the command run. Returns 0 or -1 with a message. */
int subject_go(struct subject *subject);

/* What to poll for its end, and whether that has come. */
#define SUBJECT_FDS	3
void subject_watch(const struct subject *subject, struct pollfd *fds);
bool subject_ended(struct subject *subject, const struct pollfd *fds);

/* Waits for the command. Returns our exit status: the command's own, unless
 * status says that we failed. A signal that came since subject_ended() interrupts as well. */
int subject_close(struct subject *subject, int status);

#endif
