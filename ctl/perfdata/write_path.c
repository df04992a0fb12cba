// SPDX-License-Identifier: GPL-2.0
/* The names of a capture during writing: NAME.partial, its lock, and the final name; NAME.killed,
 * what a killed recorder left. */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "perfdata/writer.h"

/* Whether another writer gave the file its final name after it was opened here. */
static bool perfdata_write_renamed(const struct perfdata_writer *w)
{
	struct stat ours, named;

	return fstat(w->fd, &ours) || stat(w->partial, &named) ||
	       ours.st_ino != named.st_ino || ours.st_dev != named.st_dev;
}

/* Opens and locks the partial file; does not touch that of another writer. */
static int perfdata_write_lock(struct perfdata_writer *w)
{
	const int flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW;
	bool locked, made;

	w->fd = open(w->partial, flags | O_EXCL, 0600);
	made = w->fd >= 0;
	if (!made && errno == EEXIST)
		w->fd = open(w->partial, flags, 0600);
	if (w->fd < 0)
		return err_errno("creating %s", w->partial);
	locked = !flock(w->fd, LOCK_EX | LOCK_NB);
	if (!locked && errno != EWOULDBLOCK) {
		err_errno("locking %s", w->partial);
		if (made)
			unlink(w->partial);
		return -1;
	}
	if (!locked || perfdata_write_renamed(w))
		return err_fail("another lbrctl is writing %s: name another"
				" file with -o", w->path);
	return 0;
}

/* The file of a killed recorder gets another name: it can be read. */
static int perfdata_write_keep(struct perfdata_writer *w)
{
	struct stat st;
	char *killed;
	int err;

	if (fstat(w->fd, &st))
		return err_errno("examining %s", w->partial);
	if (!S_ISREG(st.st_mode))
		return err_fail("%s is not a regular file: name another with -o",
				w->partial);
	if (!st.st_size)
		return 0;
	if (asprintf(&killed, "%s.killed", w->path) < 0)
		return err_fail("out of memory");
	err = rename(w->partial, killed);
	if (err)
		err_errno("renaming %s of a killed recording to %s",
			  w->partial, killed);
	else
		err_warn("%s is the capture of a killed recording; read it with -i %s",
			 killed, killed);
	free(killed);
	close(w->fd);
	w->fd = -1;
	return err ? -1 : perfdata_write_lock(w);
}

/* Opens the folder now, so that a lack of descriptors is found before the first sample. A folder
 * that can be written but not read cannot be synced. */
static int perfdata_write_open_folder(struct perfdata_writer *w)
{
	char *partial = strdup(w->partial);
	int err = 0;

	if (!partial)
		return err_fail("out of memory");
	w->folder = open(dirname(partial), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (w->folder < 0 && errno != EACCES)
		err = err_errno("opening the folder of %s", w->path);
	free(partial);
	return err;
}

int perfdata_write_create(struct perfdata_writer *w)
{
	struct stat st;

	if (!stat(w->path, &st) && !S_ISREG(st.st_mode))
		return err_fail("%s is not a regular file: name another with -o",
				w->path);
	if (perfdata_write_lock(w) || perfdata_write_keep(w))
		return -1;
	if (!ftruncate(w->fd, 0)) {
		if (!perfdata_write_open_folder(w))
			return 0;
	} else {
		err_errno("creating %s", w->partial);
	}
	unlink(w->partial);
	return -1;
}

int perfdata_write_rename(struct perfdata_writer *w)
{
	char *old;
	int err = 0;

	if (asprintf(&old, "%s.old", w->path) < 0)
		return err_fail("out of memory");
	if (rename(w->path, old) && errno != ENOENT)
		err = err_errno("renaming %s to %s", w->path, old);
	else if (rename(w->partial, w->path))
		err = err_errno("renaming %s to %s", w->partial, w->path);
	free(old);
	return err;
}

/* A file system that does not sync folders returns EINVAL. */
int perfdata_write_sync_folder(struct perfdata_writer *w)
{
	if (w->folder < 0 || !fsync(w->folder) || errno == EINVAL)
		return 0;
	return err_errno("writing the folder of %s, whose capture is complete", w->path);
}
