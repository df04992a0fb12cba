// SPDX-License-Identifier: GPL-2.0
/* Temporary files that have no name. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/err.h"
#include "base/tempfile.h"

FILE *temporary_open(const char *why)
{
	const char *directory = getenv("TMPDIR");
	FILE *file = NULL;
	int fd;

	/* Not /tmp, which may be memory. */
	if (!directory || !*directory)
		directory = "/var/tmp";
	fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd >= 0)
		file = fdopen(fd, "w+");
	if (file)
		return file;
	err_fail("%s, and a temporary file in %s cannot be made: %s; name a directory in "
		 "TMPDIR", why, directory, strerror(errno));
	if (fd >= 0)
		close(fd);
	return NULL;
}

int temporary_failed(const char *why)
{
	return err_fail("%s, and writing to a temporary file failed: %s; name a directory "
			"with more room in TMPDIR", why, strerror(errno));
}

const unsigned char *temporary_map(FILE *file, const char *why, uint64_t size)
{
	void *map;

	if (fflush(file)) {
		temporary_failed(why);
		return NULL;
	}
	map = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fileno(file), 0);
	if (map != MAP_FAILED)
		return map;
	err_errno("%s: mapping a temporary file", why);
	return NULL;
}
