// SPDX-License-Identifier: GPL-2.0
/* Opens the files of the machine that a capture comes from. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/err.h"
#include "base/text.h"
#include "machine/archive.h"
#include "machine/machine.h"

/* Opening a device or a pipe could block or have side effects. */
#define MACHINE_FLAGS	(O_RDONLY | O_CLOEXEC | O_NONBLOCK)

/* Constant but for the holders, which threads count. */
struct machine {
	atomic_uint holders;
	struct archive *archive;	/* NULL: none */
	int folder;			/* that stands for /; -1: none */
};

/* What the command line says of all captures; -1: nothing. */
static int symfs = -1;
static int sources = -1;

static int open_root(const char *folder)
{
	return open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

int machine_symfs(const char *folder)
{
	symfs = open_root(folder);
	return symfs < 0 ? err_errno("opening %s", folder) : 0;
}

int machine_sources(const char *folder)
{
	sources = open_root(folder);
	return sources < 0 ? err_errno("opening %s", folder) : 0;
}

/* Takes the archive, if the descriptor refers to one. */
static int take_archive(const char *path, int *fd, struct archive **archive)
{
	if (archive_open(path, *fd, archive))
		return -1;
	if (!*archive)
		return 0;
	close(*fd);
	*fd = archive_member(*archive, ARCHIVE_CAPTURE);
	return *fd < 0 ? -1 : 0;
}

int machine_open(const char *path, int *fd, struct machine **machine)
{
	struct archive *archive = NULL;
	struct machine *m = NULL;
	int err = take_archive(path, fd, &archive);

	if (!err && (archive || symfs >= 0)) {
		m = malloc(sizeof(*m));
		err = m ? 0 : err_errno("opening %s", path);
	}
	if (m)
		*m = (struct machine){ 1, archive, symfs };
	else
		archive_close(archive);
	*machine = m;
	return err;
}

struct machine *machine_hold(struct machine *m)
{
	if (m)
		atomic_fetch_add(&m->holders, 1);
	return m;
}

void machine_drop(struct machine *m)
{
	if (!m || atomic_fetch_sub(&m->holders, 1) != 1)
		return;
	archive_close(m->archive);
	free(m);
}

bool machine_is_other(const struct machine *m)
{
	return m;
}

static int folder_of(const struct machine *m)
{
	return m ? m->folder : -1;
}

/* Opens the folder that is / for a process of this machine. */
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
	return open_resolved(root, path, MACHINE_FLAGS, RESOLVE_IN_ROOT);
}

typedef int open_fn(int root, const char *path);

/* Opens a path of a process below its root, or below the folder that stands for /. */
static int open_in(int folder, uint32_t pid, const char *path, open_fn *open_path)
{
	int root, fd;

	if (folder >= 0)
		return open_path(folder, path);
	root = open_root_of(pid);
	if (root < 0)
		return -1;
	fd = open_path(root, path);
	close(root);
	return fd;
}

/* The reader's own path may be relative, or /dev/fd/3: openat2() in a root has another begin for
 * the one and refuses the other. */
static int open_followed(int folder, uint32_t pid, const char *path)
{
	if (!pid && folder < 0)
		return open(path, MACHINE_FLAGS);
	return open_in(folder, pid, path, open_below);
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

/* Whether paths are names of the archive's members. */
static bool is_archived(const struct machine *m)
{
	return m && m->folder < 0;
}

int machine_file(const struct machine *m, uint32_t pid, const char *path)
{
	char name[ARCHIVE_NAME_MAX];

	if (!is_archived(m))
		return regular(open_followed(folder_of(m), pid, path));
	archive_name_path(name, path);
	return archive_member(m->archive, name);
}

int machine_file_by_id(const struct machine *m, const uint8_t *id, size_t size, const char *kind)
{
	char name[ARCHIVE_NAME_MAX];

	if (!m || !m->archive || !size)
		return -1;
	archive_name_id(name, id, size, kind);
	return archive_member(m->archive, name);
}

static FILE *stream(int fd)
{
	FILE *in = fd < 0 ? NULL : fdopen(fd, "r");

	if (!in && fd >= 0)
		close(fd);
	return in;
}

FILE *machine_stream(const struct machine *m, uint32_t pid, const char *path)
{
	return stream(machine_file(m, pid, path));
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

FILE *machine_source(const struct machine *m, const char *path)
{
	int fd = open_end(path);

	if (fd < 0)
		fd = regular(open_followed(folder_of(m), 0, path));
	if (fd < 0 && folder_of(m) >= 0)
		fd = regular(open(path, MACHINE_FLAGS));
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
	fd = open_resolved(dir, name, MACHINE_FLAGS,
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
static bool is_own(const struct machine *m, int fd, const char *prefix, const char *path,
		   uint32_t writer)
{
	struct stat st;
	bool runs;

	if (fstat(fd, &st))
		return false;
	if (!S_ISREG(st.st_mode)) {
		err_warn("%s%s is not a regular file: it is ignored", prefix, path);
		return false;
	}
	if (machine_is_other(m))
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

FILE *machine_own_stream(const struct machine *m, uint32_t pid, const char *path, uint32_t writer)
{
	char prefix[32] = "";
	int fd;

	if (is_archived(m))
		return machine_stream(m, pid, path);
	if (pid && !m)
		snprintf(prefix, sizeof(prefix), "/proc/%u/root", pid);
	fd = open_in(folder_of(m), pid, path, open_unlinked);
	if (fd < 0 && errno == ELOOP)
		err_warn("%s%s is a symbolic link, or in a folder that is one: it is ignored", prefix,
			 path);
	if (fd < 0 && errno == EXDEV)
		err_warn("%s%s is a mount point, where any file can be: it is ignored", prefix, path);
	if (fd >= 0 && !is_own(m, fd, prefix, path, writer)) {
		close(fd);
		return NULL;
	}
	return stream(fd);
}

/* The line "NStgid: 1234 7" has the number in the reader's namespace first and in the
 * innermost last (proc(5)). */
uint32_t machine_inner_pid(uint32_t pid)
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
