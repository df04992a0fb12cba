/* SPDX-License-Identifier: GPL-2.0 */
/* Starts the command that is measured, held until the session runs. */
#ifndef LBRCTL_WORKLOAD_COMMAND_H
#define LBRCTL_WORKLOAD_COMMAND_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

/* The command after `--`: a child that is there before it runs, so that it can
 * be made the target of a session first. */
struct workload {
	pid_t pid;		/* 0: none */
	int pidfd;		/* polls readable once it has ended */
	int go;			/* a byte here lets it run, EOF ends it */
	int failed;		/* it writes the errno of a failed exec here */
};

/* Forks the child, which waits. signals: the mask to run the command with.
 * Returns 0 or -1 with a message. */
int workload_fork(struct workload *workload, char **argv,
		  const sigset_t *signals);

/* Lets it run. Returns 0, or -1 with a message when it could not be executed;
 * workload_wait() has the status for that then, the one of env(1). */
int workload_run(struct workload *workload, const char *name);

/* Waits for its end; a child that was not let run ends at once, as one that could not be
 * executed. Returns its exit status, 128 + N when signal N killed it. */
int workload_wait(struct workload *workload);

#endif
