// SPDX-License-Identifier: GPL-2.0
/* Shows long output through a pager on a terminal. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/pager.h"

static pid_t pager_pid;
static size_t pager_terminal;	/* columns, while a pager runs */

static void pager_run(const char *command, int in)
{
	/* As git does: quit at once if everything fits on the screen, and pass colours through. */
	setenv("LESS", "FRX", 0);
	signal(SIGPIPE, SIG_DFL);
	dup2(in, STDIN_FILENO);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

static size_t terminal_columns(void)
{
	struct winsize size = { 0 };

	return isatty(STDOUT_FILENO) && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) ? size.ws_col : 0;
}

size_t pager_columns(void)
{
	return pager_pid > 0 ? pager_terminal : terminal_columns();
}

void pager_start(void)
{
	const char *command = getenv("PAGER");
	int fds[2];

	if (!command || !*command)
		command = "if command -v less >/dev/null; then exec less; else exec cat; fi";
	if (!isatty(STDOUT_FILENO) || !strcmp(command, "cat") ||
	    pipe2(fds, O_CLOEXEC))
		return;
	pager_terminal = terminal_columns();
	pager_pid = fork();
	if (!pager_pid)
		pager_run(command, fds[0]);
	close(fds[0]);
	if (pager_pid > 0) {
		/* The pager handles interrupts. */
		signal(SIGINT, SIG_IGN);
		dup2(fds[1], STDOUT_FILENO);
	}
	close(fds[1]);
}

void pager_end(void)
{
	if (pager_pid <= 0)
		return;
	close(STDOUT_FILENO);
	while (waitpid(pager_pid, NULL, 0) < 0 && errno == EINTR)
		;
	pager_pid = 0;
}
