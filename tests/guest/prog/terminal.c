// SPDX-License-Identifier: GPL-2.0
/* terminal COMMAND [ARG]...: runs a command at a terminal of 80 columns and 24 lines, copies
 * its output to stdout, and stdin to its input. */
#include <poll.h>
#include <pty.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	static const struct winsize size = { .ws_row = 24, .ws_col = 80 };
	struct pollfd fds[2] = { { .events = POLLIN },
				 { .fd = STDIN_FILENO, .events = POLLIN } };
	char bytes[4096];
	int terminal, status;
	ssize_t len;
	pid_t pid;

	if (argc < 2)
		return 2;
	pid = forkpty(&terminal, NULL, NULL, &size);
	if (!pid) {
		execvp(argv[1], argv + 1);
		_exit(127);
	}
	fds[0].fd = terminal;
	while (pid > 0 && poll(fds, 2, -1) > 0) {
		if (fds[0].revents) {
			/* When the last writer has gone, reading fails. */
			len = read(terminal, bytes, sizeof(bytes));
			if (len <= 0)
				break;
			if (write(STDOUT_FILENO, bytes, len) != len)
				return 1;
		}
		if (fds[1].revents) {
			len = read(STDIN_FILENO, bytes, sizeof(bytes));
			if (len <= 0)
				fds[1].fd = -1;
			else if (write(terminal, bytes, len) != len)
				return 1;
		}
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return 1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
