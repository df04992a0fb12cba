// SPDX-License-Identifier: GPL-2.0
/* terminal COMMAND [ARG]...: runs it at a terminal, and copies to stdout what it writes there. */
#include <pty.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	char bytes[4096];
	int terminal, status;
	ssize_t len;
	pid_t pid;

	if (argc < 2)
		return 2;
	pid = forkpty(&terminal, NULL, NULL, NULL);
	if (!pid) {
		execvp(argv[1], argv + 1);
		_exit(127);
	}
	/* When the last writer has gone, reading fails. */
	while (pid > 0 && (len = read(terminal, bytes, sizeof(bytes))) > 0)
		if (write(STDOUT_FILENO, bytes, len) != len)
			return 1;
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return 1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
