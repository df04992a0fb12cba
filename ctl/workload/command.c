// SPDX-License-Identifier: GPL-2.0
/* Starts the measured command, which waits until the session runs. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "workload/command.h"

/* Exit statuses for a command that could not be executed, as in env(1). */
enum { WORKLOAD_CANNOT_RUN = 126, WORKLOAD_NOT_FOUND = 127 };

static void workload_child(int go, int failed, char **argv,
			   const sigset_t *signals)
{
	char byte;
	int err;

	/* The recorder has ended: do not run the command. */
	if (read(go, &byte, 1) != 1)
		_exit(WORKLOAD_CANNOT_RUN);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	sigprocmask(SIG_SETMASK, signals, NULL);
	execvp(argv[0], argv);
	err = errno;
	if (write(failed, &err, sizeof(err)) != sizeof(err))
		_exit(WORKLOAD_CANNOT_RUN);
	_exit(err == ENOENT ? WORKLOAD_NOT_FOUND : WORKLOAD_CANNOT_RUN);
}

int workload_fork(struct workload *w, char **argv, const sigset_t *signals)
{
	int go[2], failed[2];

	memset(w, 0, sizeof(*w));
	if (pipe2(go, O_CLOEXEC))
		return err_errno("starting %s", argv[0]);
	if (pipe2(failed, O_CLOEXEC)) {
		err_errno("starting %s", argv[0]);
		close(go[0]);
		close(go[1]);
		return -1;
	}
	w->pid = fork();
	if (!w->pid) {
		close(go[1]);
		close(failed[0]);
		workload_child(go[0], failed[1], argv, signals);
	}
	close(go[0]);
	close(failed[1]);
	w->go = go[1];
	w->failed = failed[0];
	w->pidfd = w->pid > 0 ? (int)syscall(SYS_pidfd_open, w->pid, 0) : -1;
	if (w->pidfd >= 0)
		return 0;

	err_errno("starting %s", argv[0]);
	if (w->pid > 0)
		workload_wait(w);
	else
		w->pid = 0;
	return -1;
}

int workload_run(struct workload *w, const char *name)
{
	int err;

	if (write(w->go, "", 1) != 1)
		return err_errno("starting %s", name);
	/* A successful exec closes the other end. */
	if (read(w->failed, &err, sizeof(err)) != sizeof(err))
		return 0;
	errno = err;
	return err_errno("cannot run %s", name);
}

int workload_wait(struct workload *w)
{
	int status = 0;

	close(w->go);
	close(w->failed);
	while (waitpid(w->pid, &status, 0) < 0 && errno == EINTR)
		;
	if (w->pidfd >= 0)
		close(w->pidfd);
	w->pid = 0;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) :
				     WEXITSTATUS(status);
}
