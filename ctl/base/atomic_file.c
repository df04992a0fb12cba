// SPDX-License-Identifier: GPL-2.0
/* Writes a file that appears under its name only when it is complete. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/err.h"

/* Creates the temporary file in the target's folder, without a name where the file system can
 * do that. */
static int atomic_file_create(struct atomic_file *f)
{
	char *path = strdup(f->path);
	mode_t mask = umask(0);
	int fd = -1;

	umask(mask);
	/* The file gets its name through /proc. The mode is masked here, since not every kernel
	 * applies the umask to unnamed files. */
	if (path && !access("/proc/self/fd", X_OK))
		fd = open(dirname(path), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666 & ~mask);
	free(path);
	if (fd >= 0)
		return fd;
	/* Some file systems, such as NFS, have only named files. */
	f->named = true;
	return open(f->temporary, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666 & ~mask);
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
	    asprintf(&f->temporary, "%s.%016" PRIx64, path, number) < 0) {
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
