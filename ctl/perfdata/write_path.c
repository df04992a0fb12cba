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

/* Whether another writer gave the file its final name, or removed it, after it was opened here. */
static bool perfdata_write_renamed(const struct perfdata_writer *w)
{
	struct stat ours, named;

	return fstat(w->fd, &ours) || lstat(w->partial, &named) ||
	       ours.st_ino != named.st_ino || ours.st_dev != named.st_dev;
}

/* Locks the open partial file; does not touch that of another writer. */
static int perfdata_write_lock(struct perfdata_writer *w, bool made)
{
	bool locked = !flock(w->fd, LOCK_EX | LOCK_NB);

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
static int perfdata_write_keep(const struct perfdata_writer *w)
{
	char *killed;
	int err;

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
	return err ? -1 : 0;
}

/* Takes the name from a file that no other writer uses. */
static int perfdata_write_displace(struct perfdata_writer *w)
{
	struct stat st;

	if (perfdata_write_lock(w, false))
		return -1;
	if (fstat(w->fd, &st))
		return err_errno("examining %s", w->partial);
	if (st.st_size)
		return perfdata_write_keep(w);
	if (unlink(w->partial))
		return err_fail("%s exists and cannot be removed (%s): name another file with -o",
				w->partial, strerror(errno));
	return 0;
}

/* Clears the name of the partial file. A file there may be another user's, who could read what is
 * written to it. It is never written to. */
static int perfdata_write_clear(struct perfdata_writer *w)
{
	struct stat st;
	int err;

	/* If the folder cannot be used, making the file says so. */
	if (lstat(w->partial, &st))
		return 0;
	/* Opening a device or a pipe could block or have side effects. */
	if (!S_ISREG(st.st_mode))
		return err_fail("%s is %s: name another file with -o", w->partial,
				S_ISLNK(st.st_mode) ? "a symbolic link" : "not a regular file");
	w->fd = open(w->partial, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (w->fd < 0)
		return err_fail("%s exists and cannot be opened (%s): name another file with -o",
				w->partial, strerror(errno));
	err = perfdata_write_displace(w);
	close(w->fd);
	w->fd = -1;
	return err;
}

static int perfdata_write_make(struct perfdata_writer *w)
{
	w->fd = open(w->partial, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (w->fd < 0 && errno == EEXIST)
		return err_fail("%s was made by another program just now: name another file with -o",
				w->partial);
	if (w->fd < 0)
		return err_errno("creating %s", w->partial);
	return perfdata_write_lock(w, true);
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
	if (perfdata_write_clear(w) || perfdata_write_make(w))
		return -1;
	if (!perfdata_write_open_folder(w))
		return 0;
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
