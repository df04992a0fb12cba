/* SPDX-License-Identifier: GPL-2.0 */
/* What programs of this folder do with processes: their CPU, their user, their state. */
#ifndef PROCESS_H
#define PROCESS_H

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static inline void run_on(int cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus)) {
		perror("sched_setaffinity");
		exit(1);
	}
}

static inline void become(uid_t uid)
{
	if (setresgid(uid, uid, uid) || setresuid(uid, uid, uid)) {
		perror("setresuid");
		exit(1);
	}
	/* A process that changes its uid is not dumpable, and would not be measured. */
	prctl(PR_SET_DUMPABLE, 1);
}

/* Returns a thread's state, as in /proc/PID/stat; 0: there is no such thread. */
static inline char state_of(pid_t tid)
{
	char path[40], text[400], *end;
	FILE *file;
	size_t len;

	snprintf(path, sizeof(path), "/proc/%d/stat", tid);
	file = fopen(path, "r");
	if (!file)
		return 0;
	len = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[len] = 0;
	end = strrchr(text, ')');
	return end ? end[2] : 0;
}

#endif
