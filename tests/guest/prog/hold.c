// SPDX-License-Identifier: GPL-2.0
/* hold TID: stops one thread of a process, and no other, until stdin ends. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	pid_t tid = argc == 2 ? atoi(argv[1]) : 0;
	char byte;
	int status;

	if (!tid || ptrace(PTRACE_SEIZE, tid, 0, 0) || ptrace(PTRACE_INTERRUPT, tid, 0, 0) ||
	    waitpid(tid, &status, __WALL) != tid) {
		perror("hold");
		return 1;
	}
	puts("held");
	fflush(stdout);
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
	return 0;
}
