// SPDX-License-Identifier: GPL-2.0
/* Opens files as another process sees them, or below another root folder. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
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
#include "base/text.h"

/* Opening a device or a pipe could block or have side effects. */
#define ROOT_FLAGS	(O_RDONLY | O_CLOEXEC | O_NONBLOCK)

static int elsewhere = -1;	/* the folder that stands for /, or -1 */
static int sources = -1;	/* the folder of root_set_sources(), or -1 */

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

int root_set_sources(const char *folder)
{
	sources = open_root(folder);
	return sources < 0 ? err_errno("opening %s", folder) : 0;
}

/* Opens the folder that is / for a process. */
static int open_root_of(uint32_t pid)
{
	char root[32] = "/";

	if (pid)
		snprintf(root, sizeof(root), "/proc/%u/root", pid);
	return open_root(root);
}

static int open_resolved(int folder, const char *path, uint64_t flags, uint64_t resolve)
{
	struct open_how how = { .flags = flags, .resolve = resolve };

	return syscall(SYS_openat2, folder, path, &how, sizeof(how));
}

/* A link below the root may say "/lib": that means the /lib of that root. */
static int open_below(int root, const char *path)
{
	return open_resolved(root, path, ROOT_FLAGS, RESOLVE_IN_ROOT);
}

typedef int open_fn(int root, const char *path);

/* Opens a path of a process below its root, or below the folder that stands for /. */
static int open_in(uint32_t pid, const char *path, open_fn *open_path)
{
	int root, fd;

	if (elsewhere >= 0)
		return open_path(elsewhere, path);
	root = open_root_of(pid);
	if (root < 0)
		return -1;
	fd = open_path(root, path);
	close(root);
	return fd;
}

/* The reader's own path may be relative, or /dev/fd/3: openat2() in a root has another begin for
 * the one and refuses the other. */
static int open_followed(uint32_t pid, const char *path)
{
	if (!pid && elsewhere < 0)
		return open(path, ROOT_FLAGS);
	return open_in(pid, path, open_below);
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
	return regular(open_followed(pid, path));
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

/* Opens the longest end of the path that is a file below the folder of the sources. */
static int open_end(const char *path)
{
	int fd = -1;

	while (sources >= 0 && fd < 0 && path && *path) {
		fd = regular(open_below(sources, path));
		path = strchr(path + 1, '/');
	}
	return fd;
}

FILE *root_fopen_source(const char *path)
{
	int fd = open_end(path);

	if (fd < 0)
		fd = regular(open_followed(0, path));
	if (fd < 0 && elsewhere >= 0)
		fd = regular(open(path, ROOT_FLAGS));
	return stream(fd);
}

/* Opens the folder of a file without following links. *name is the file's name in it. */
static int open_folder(int root, const char *path, const char **name)
{
	const char *slash = strrchr(path, '/');
	char folder[PATH_MAX];

	if (!slash || slash - path >= PATH_MAX - 1) {
		errno = ENOENT;
		return -1;
	}
	memcpy(folder, path, slash - path + 1);
	folder[slash - path + 1] = '\0';
	*name = slash + 1;
	return open_resolved(root, folder, O_PATH | O_DIRECTORY | O_CLOEXEC,
			     RESOLVE_IN_ROOT | RESOLVE_NO_SYMLINKS);
}

/* Follows no link, since a process can make links everywhere in a mount namespace of its own.
 * Opens no mount point, since the process can mount any file there. */
static int open_unlinked(int root, const char *path)
{
	const char *name;
	int dir = open_folder(root, path, &name), fd;

	if (dir < 0)
		return -1;
	fd = open_resolved(dir, name, ROOT_FLAGS,
			   RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV);
	close(dir);
	return fd;
}

/* Whether a process runs, and all its user ids are this one. A program with the rights of several
 * users (set-uid) writes files of one of them by order of another. The owner of /proc/PID is only
 * the effective one. */
static bool is_of(uint32_t pid, uid_t uid, bool *runs)
{
	unsigned int real, effective, saved, fs;
	char path[32], ids[64];

	snprintf(path, sizeof(path), "/proc/%u/status", pid);
	text_proc_value(path, "Uid", ids, sizeof(ids));
	*runs = sscanf(ids, "%u %u %u %u", &real, &effective, &saved, &fs) == 4;
	return *runs && real == uid && effective == uid && saved == uid && fs == uid;
}

/* Warns unless the process or the reader wrote the file. prefix and path are its name. */
static bool is_own(int fd, const char *prefix, const char *path, uint32_t writer)
{
	struct stat st;
	bool runs;

	if (fstat(fd, &st))
		return false;
	if (!S_ISREG(st.st_mode)) {
		err_warn("%s%s is not a regular file: it is ignored", prefix, path);
		return false;
	}
	if (root_is_elsewhere())
		return true;
	if (!is_of(writer, st.st_uid, &runs) && st.st_uid != geteuid()) {
		err_warn("%s%s belongs to user %u, not to you or to the user of process %u%s: it "
			 "is ignored",
			 prefix, path, st.st_uid, writer, runs ? "" : ", which has ended");
		return false;
	}
	/* Without fs.protected_hardlinks everybody can give any file a second name. */
	if (st.st_nlink > 1)
		err_warn("%s%s has %lu names (hard links), and others may have made this one: it "
			 "is ignored",
			 prefix, path, (unsigned long)st.st_nlink);
	return st.st_nlink <= 1;
}

FILE *root_fopen_own(uint32_t pid, const char *path, uint32_t writer)
{
	char prefix[32] = "";
	int fd;

	if (elsewhere < 0 && archive_any())
		return root_fopen(pid, path);
	if (pid && elsewhere < 0)
		snprintf(prefix, sizeof(prefix), "/proc/%u/root", pid);
	fd = open_in(pid, path, open_unlinked);
	if (fd < 0 && errno == ELOOP)
		err_warn("%s%s is a symbolic link, or in a folder that is one: it is ignored", prefix,
			 path);
	if (fd < 0 && errno == EXDEV)
		err_warn("%s%s is a mount point, where any file can be: it is ignored", prefix, path);
	if (fd >= 0 && !is_own(fd, prefix, path, writer)) {
		close(fd);
		return NULL;
	}
	return stream(fd);
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
