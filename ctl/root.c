// SPDX-License-Identifier: GPL-2.0
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "root.h"

/* A device or a pipe could block us or have effects. */
#define ROOT_FLAGS	(O_RDONLY | O_CLOEXEC | O_NONBLOCK)

static int open_in(uint32_t pid, const char *path)
{
	/* A link in a container may say "/lib": that is its own, not ours. */
	struct open_how how = { .flags = ROOT_FLAGS, .resolve = RESOLVE_IN_ROOT };
	char root[32];
	int dir, fd;

	snprintf(root, sizeof(root), "/proc/%u/root", pid);
	dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return -1;
	fd = syscall(SYS_openat2, dir, path, &how, sizeof(how));
	close(dir);
	return fd;
}

int root_open(uint32_t pid, const char *path)
{
	int fd = pid ? open_in(pid, path) : open(path, ROOT_FLAGS);
	struct stat st;

	if (fd >= 0 && (fstat(fd, &st) || !S_ISREG(st.st_mode))) {
		close(fd);
		return -1;
	}
	return fd;
}

FILE *root_fopen(uint32_t pid, const char *path)
{
	int fd = root_open(pid, path);
	FILE *in = fd < 0 ? NULL : fdopen(fd, "r");

	if (!in && fd >= 0)
		close(fd);
	return in;
}

/* "NStgid:	1234	7": in our namespace, and on to the innermost (proc(5)). */
uint32_t root_inner_pid(uint32_t pid)
{
	static const char key[] = "NStgid:";
	char path[32], line[256];
	uint32_t inner = pid;
	FILE *in;

	snprintf(path, sizeof(path), "/proc/%u/status", pid);
	in = fopen(path, "re");
	while (in && fgets(line, sizeof(line), in))
		if (!strncmp(line, key, sizeof(key) - 1))
			inner = strtoul(strrchr(line, '\t') + 1, NULL, 10);
	if (in)
		fclose(in);
	return inner;
}
