// SPDX-License-Identifier: GPL-2.0
/* Opens files as another process sees them, or below another root folder. */
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/archive.h"
#include "base/err.h"
#include "base/sysroot.h"

/* Opening a device or a pipe could block or have side effects. */
#define ROOT_FLAGS	(O_RDONLY | O_CLOEXEC | O_NONBLOCK)

static int elsewhere = -1;	/* the folder that stands for /, or -1 */

static int open_root(const char *folder)
{
	return open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

bool root_is_elsewhere(void)
{
	return elsewhere >= 0 || archive_any();
}

int root_set(const char *folder)
{
	elsewhere = open_root(folder);
	return elsewhere < 0 ? err_errno("opening %s", folder) : 0;
}

/* A link below the root may say "/lib": that means the /lib of that root. */
static int open_below(int root, const char *path)
{
	struct open_how how = { .flags = ROOT_FLAGS, .resolve = RESOLVE_IN_ROOT };

	return syscall(SYS_openat2, root, path, &how, sizeof(how));
}

static int open_in(uint32_t pid, const char *path)
{
	char root[32];
	int dir, fd;

	if (elsewhere >= 0)
		return open_below(elsewhere, path);
	if (!pid)
		return open(path, ROOT_FLAGS);
	snprintf(root, sizeof(root), "/proc/%u/root", pid);
	dir = open_root(root);
	if (dir < 0)
		return -1;
	fd = open_below(dir, path);
	close(dir);
	return fd;
}

/* Closes a descriptor of anything but a regular file. */
static int regular(int fd)
{
	struct stat st;

	if (fd >= 0 && (fstat(fd, &st) || !S_ISREG(st.st_mode))) {
		close(fd);
		return -1;
	}
	return fd;
}

int root_open(uint32_t pid, const char *path)
{
	if (elsewhere < 0 && archive_any())
		return archive_open_path(path);
	return regular(open_in(pid, path));
}

static FILE *stream(int fd)
{
	FILE *in = fd < 0 ? NULL : fdopen(fd, "r");

	if (!in && fd >= 0)
		close(fd);
	return in;
}

FILE *root_fopen(uint32_t pid, const char *path)
{
	return stream(root_open(pid, path));
}

FILE *root_fopen_source(const char *path)
{
	return stream(regular(open_in(0, path)));
}

static bool is_of(uint32_t pid, uid_t uid)
{
	char path[32];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%u", pid);
	return !stat(path, &st) && st.st_uid == uid;
}

FILE *root_fopen_own(uint32_t pid, const char *path, uint32_t writer)
{
	FILE *in = root_fopen(pid, path);
	struct stat st;

	if (!in || root_is_elsewhere())
		return in;
	if (!fstat(fileno(in), &st) &&
	    (!st.st_uid || st.st_uid == geteuid() || is_of(writer, st.st_uid)))
		return in;
	err_warn("%s belongs to user %u, not to root, to you or to the user of process %u: it "
		 "is ignored",
		 path, st.st_uid, writer);
	fclose(in);
	return NULL;
}

/* The line "NStgid: 1234 7" has the number in the reader's namespace first and in the
 * innermost last (proc(5)). */
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
