// SPDX-License-Identifier: GPL-2.0
/* Writes a file that appears under its name only when it is complete. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/err.h"

#define ATOMIC_FILE_SUFFIX	16	/* hexadecimal digits behind FILE.partial. */

/* Who may read all the files that outputs come from. */
static struct {
	bool any;		/* there is such a file */
	bool groups;		/* they have different groups */
	gid_t group;
	mode_t mode;
} limit = { .mode = 0666 };

void atomic_file_limit(mode_t mode, gid_t group)
{
	limit.groups |= limit.any && group != limit.group;
	limit.group = group;
	limit.mode &= mode;
	limit.any = true;
}

static mode_t atomic_file_umask(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return mask;
}

/* Root reads captures and files that others may not read, and writes them into outputs. The output
 * may have another group than the capture: then only bits count that everybody has. */
static mode_t atomic_file_mode(const struct atomic_file *f, gid_t group)
{
	mode_t mode = limit.any ? limit.mode : 0600;

	if (f->shared)
		return 0644;
	if (limit.groups || group != limit.group)
		mode &= ~(mode_t)0070 | (mode & 0007) << 3;
	return mode | 0600;
}

/* A complete output has met all of its captures. Fails where a file system has no modes. */
static void atomic_file_set_mode(const struct atomic_file *f)
{
	int fd = fileno(f->stream);
	struct stat st;

	if (!geteuid() && !fstat(fd, &st))
		fchmod(fd, atomic_file_mode(f, st.st_gid) & ~atomic_file_umask());
}

/* Whether name is that of a temporary file for the target `base`. */
static bool atomic_file_is_ours(const char *name, const char *base)
{
	size_t len = strlen(base);

	return !strncmp(name, base, len) && !strncmp(name + len, ".partial.", 9) &&
	       strlen(name + len + 9) == ATOMIC_FILE_SUFFIX &&
	       strspn(name + len + 9, "0123456789abcdef") == ATOMIC_FILE_SUFFIX;
}

/* Deletes the temporary files of killed processes for the same target. A process that still
 * writes holds a lock. A file that cannot be examined stays. */
static void atomic_file_sweep(int directory, const char *base)
{
	DIR *stream = fdopendir(directory);
	struct dirent *entry;
	int fd;

	if (!stream) {
		close(directory);
		return;
	}
	while ((entry = readdir(stream))) {
		if (!atomic_file_is_ours(entry->d_name, base))
			continue;
		fd = openat(dirfd(stream), entry->d_name,
			    O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
		if (fd < 0)
			continue;
		if (!flock(fd, LOCK_EX | LOCK_NB))
			unlinkat(dirfd(stream), entry->d_name, 0);
		close(fd);
	}
	closedir(stream);
}

/* Opens the temporary file under its name, and locks it. Until it is locked, a sweep of another
 * process can delete it: then a new one is made. A file system without locks has no sweeps
 * that delete. */
static int atomic_file_create_named(const struct atomic_file *f, mode_t mode)
{
	struct stat st;
	int fd;

	for (;;) {
		fd = open(f->temporary, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, mode);
		if (fd < 0 || flock(fd, LOCK_EX) || fstat(fd, &st) || st.st_nlink)
			return fd;
		close(fd);
	}
}

/* Creates the temporary file in the target's folder, without a name where the file system can
 * do that. */
static int atomic_file_create(struct atomic_file *f)
{
	char *path = strdup(f->path);
	mode_t mode = (geteuid() ? 0666 : 0600) & ~atomic_file_umask();
	const char *base = strrchr(f->path, '/');
	const char *folder;
	int fd = -1, directory;

	if (!path)
		return -1;
	folder = dirname(path);
	directory = openat(AT_FDCWD, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (directory >= 0)
		atomic_file_sweep(directory, base ? base + 1 : f->path);
	/* The file gets its name through /proc. The mode is masked here, since not every kernel
	 * applies the umask to unnamed files. */
	if (!access("/proc/self/fd", X_OK))
		fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
	free(path);
	if (fd >= 0) {
		/* The file has the temporary name for an instant, in atomic_file_move(). */
		flock(fd, LOCK_EX);
		return fd;
	}
	/* Some file systems, such as NFS, have only named files. */
	f->named = true;
	return atomic_file_create_named(f, mode);
}

int atomic_file_open(struct atomic_file *f, const char *path)
{
	uint64_t number;
	struct stat st;
	int fd;

	memset(f, 0, sizeof(*f));
	if (!strcmp(path, "-")) {
		f->stream = stdout;
		return 0;
	}
	/* Moving a file over /dev/null would replace the device. */
	if (!stat(path, &st) && !S_ISREG(st.st_mode))
		return err_fail("writing %s: it exists and is not a regular file; name another one",
				path);
	f->path = strdup(path);
	if (!f->path || getrandom(&number, sizeof(number), 0) != sizeof(number) ||
	    asprintf(&f->temporary, "%s.partial.%016" PRIx64, path, number) < 0) {
		f->temporary = NULL;
		atomic_file_abort(f);
		return err_errno("writing %s", path);
	}
	fd = atomic_file_create(f);
	if (fd < 0 || !(f->stream = fdopen(fd, "w"))) {
		err_errno("writing %s", path);
		if (fd < 0)
			f->named = false;
		else
			close(fd);
		atomic_file_abort(f);
		return -1;
	}
	return 0;
}

/* Gives the file its name. rename() replaces an existing file and link() does not, so an
 * unnamed file gets a temporary name first. */
static int atomic_file_move(struct atomic_file *f)
{
	char self[32];

	snprintf(self, sizeof(self), "/proc/self/fd/%d", fileno(f->stream));
	if (!f->named && linkat(AT_FDCWD, self, AT_FDCWD, f->temporary, AT_SYMLINK_FOLLOW))
		return -1;
	f->named = true;
	if (rename(f->temporary, f->path))
		return -1;
	f->named = false;
	return 0;
}

int atomic_file_commit(struct atomic_file *f)
{
	bool failed = ferror(f->stream);

	if (f->stream == stdout)
		return err_flush_stdout();
	if (fflush(f->stream) || fsync(fileno(f->stream)))
		failed = true;
	if (failed) {
		err_errno("writing %s", f->path);
		atomic_file_abort(f);
		return -1;
	}
	if (err_whole()) {
		atomic_file_abort(f);
		return -1;
	}
	atomic_file_set_mode(f);
	if (atomic_file_move(f)) {
		err_errno("moving the finished file to %s", f->path);
		atomic_file_abort(f);
		return -1;
	}
	atomic_file_abort(f);
	return 0;
}

void atomic_file_abort(struct atomic_file *f)
{
	int saved = errno;

	if (f->stream && f->stream != stdout)
		fclose(f->stream);
	if (f->named)
		unlink(f->temporary);
	free(f->temporary);
	free(f->path);
	memset(f, 0, sizeof(*f));
	errno = saved;
}
