// SPDX-License-Identifier: GPL-2.0
/* Finds the processes of a user. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <pwd.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/numbered.h"
#include "workload/users.h"

bool users_find(const char *text, uid_t *uid)
{
	const struct passwd *user = getpwnam(text);
	unsigned long number;
	char *end;

	errno = 0;
	number = strtoul(text, &end, 10);
	if (user)
		*uid = user->pw_uid;
	else if (!errno && isdigit((unsigned char)*text) && !*end && number < UINT32_MAX)
		*uid = number;
	else
		return false;
	return true;
}

/* Whether the process has this effective user id and runs a program. Kernel threads, and processes that
 * only wait for their parents, have no memory (proc_pid_status(5), VmSize). */
static bool belongs(uint32_t pid, uid_t uid)
{
	char path[300], line[256];
	unsigned int effective;
	bool own = false, runs = false;
	FILE *status;

	snprintf(path, sizeof(path), "/proc/%u/status", pid);
	status = fopen(path, "re");
	while (status && fgets(line, sizeof(line), status)) {
		own |= sscanf(line, "Uid: %*u %u", &effective) == 1 && effective == uid;
		runs |= !strncmp(line, "VmSize:", 7);
	}
	if (status)
		fclose(status);
	return own && runs && pid != (uint32_t)getpid();
}

int users_processes(uid_t uid, const char *name, struct tasks_list *list)
{
	DIR *proc = opendir("/proc");
	uint32_t pid;
	size_t nr = 0;

	if (!proc)
		return err_errno("listing the processes in /proc");
	while (numbered_next(proc, &pid)) {
		if (!belongs(pid, uid))
			continue;
		if (nr < LBRSCOPE_TARGETS_MAX)
			list->ids[nr] = pid;
		nr++;
	}
	closedir(proc);
	if (!nr)
		return err_fail("-u %s: the user has no process", name);
	if (nr > LBRSCOPE_TARGETS_MAX)
		return err_fail("-u %s: the user has %zu processes, and a session takes %d: select the user's cgroup by -G user.slice/user-%u.slice",
				name, nr, LBRSCOPE_TARGETS_MAX, uid);
	list->nr = nr;
	return 0;
}
