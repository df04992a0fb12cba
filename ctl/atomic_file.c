// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "atomic_file.h"
#include "err.h"

int atomic_file_open(struct atomic_file *f, const char *path)
{
	mode_t mask = umask(0);
	struct stat st;
	int fd;

	umask(mask);
	memset(f, 0, sizeof(*f));
	if (!strcmp(path, "-")) {
		f->stream = stdout;
		return 0;
	}
	/* Moving a file over /dev/null would replace the device. */
	if (!stat(path, &st) && !S_ISREG(st.st_mode))
		return err_fail("writing %s: it is there and is no regular file; name another one",
				path);
	f->path = strdup(path);
	if (!f->path || asprintf(&f->temporary, "%s.XXXXXX", path) < 0) {
		f->temporary = NULL;
		atomic_file_abort(f);
		return err_errno("writing %s", path);
	}
	fd = mkostemp(f->temporary, O_CLOEXEC);
	if (fd < 0) {
		err_errno("writing %s", path);
		free(f->temporary);
		f->temporary = NULL;
		atomic_file_abort(f);
		return -1;
	}
	/* mkstemp() makes it private, which a plain open() would not have. */
	if (fchmod(fd, 0666 & ~mask) || !(f->stream = fdopen(fd, "w"))) {
		err_errno("writing %s", path);
		close(fd);
		atomic_file_abort(f);
		return -1;
	}
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
	if (rename(f->temporary, f->path)) {
		err_errno("moving the finished file to %s", f->path);
		atomic_file_abort(f);
		return -1;
	}
	free(f->temporary);
	f->temporary = NULL;
	atomic_file_abort(f);
	return 0;
}

void atomic_file_abort(struct atomic_file *f)
{
	int saved = errno;

	if (f->stream && f->stream != stdout)
		fclose(f->stream);
	if (f->temporary)
		unlink(f->temporary);
	free(f->temporary);
	free(f->path);
	memset(f, 0, sizeof(*f));
	errno = saved;
}
