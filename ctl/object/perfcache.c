// SPDX-License-Identifier: GPL-2.0
/* Finds recorded files where perf keeps them. */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "object/buildid.h"
#include "object/perfcache.h"

/* Returns -1 if the path is not that of a regular file. */
static int open_regular(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat status;

	if (fd < 0 || (!fstat(fd, &status) && S_ISREG(status.st_mode)))
		return fd;
	close(fd);
	return -1;
}

/* .build-id/XX/YYYY is a link to a folder with the file "elf"; before Linux 4.4 to the file itself
 * (tools/perf/util/build-id.c). */
int perfcache_open(const uint8_t *id, size_t size)
{
	const char *home = getenv("HOME");
	char hex[2 * BUILDID_MAX + 1], path[PATH_MAX];
	int len, fd;

	if (!home || *home != '/' || size < 2 || size > BUILDID_MAX)
		return -1;
	text_hex(hex, sizeof(hex), id + 1, size - 1);
	len = snprintf(path, sizeof(path), "%s/.debug/.build-id/%02x/%s/elf", home, id[0], hex);
	if (len < 0 || (size_t)len >= sizeof(path))
		return -1;
	fd = open_regular(path);
	if (fd >= 0)
		return fd;
	path[len - sizeof("/elf") + 1] = '\0';
	return open_regular(path);
}
