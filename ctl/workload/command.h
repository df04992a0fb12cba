/* SPDX-License-Identifier: GPL-2.0 */
/* Starts the measured command, which waits until the session runs. */
#ifndef LBRCTL_WORKLOAD_COMMAND_H
#define LBRCTL_WORKLOAD_COMMAND_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

/* The command after `--`: a child process that waits before its exec, so that a session can be
 * set up for it first. */
struct workload {
	pid_t pid;		/* 0: none */
	int pidfd;		/* polls readable once it has ended */
	int go;			/* a byte written here lets it run, EOF ends it */
	int failed;		/* the child writes the errno of a failed exec here */
};

/* Forks the child, which waits. signals: the signal mask for the command. Returns 0, or -1 with
 * a message. */
int workload_fork(struct workload *workload, char **argv,
		  const sigset_t *signals);

/* Lets the command run. Returns 0, or -1 with a message if it could not be executed;
 * workload_wait() then returns the status for that, as in env(1). */
int workload_run(struct workload *workload, const char *name);

/* Waits for the end of the command; a child that was not released ends at once, with the status
 * for a command that could not be executed. Returns its exit status, or 128 + N if signal N
 * killed it. */
int workload_wait(struct workload *workload);

#endif
