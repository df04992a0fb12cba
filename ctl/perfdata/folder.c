// SPDX-License-Identifier: GPL-2.0
/* Joins the files of a capture that is a folder. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/tempfile.h"
#include "perfdata/folder.h"
#include "perfdata/pack.h"

struct join {
	const char *path;
	bool compressed;
	FILE *out;
	char *why;
	uint64_t size;
};

int folder_open(const char *path, int folder)
{
	int fd = openat(folder, "data", O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0 && errno == ENOENT)
		return err_fail("%s: a folder, but none of 'perf record --threads' or '--kcore': it has no file 'data'; "
				"name a capture", path);
	return fd < 0 ? err_errno("opening %s/data", path) : fd;
}

static int put(struct join *j, const unsigned char *data, uint64_t len)
{
	if (fwrite(data, 1, len, j->out) != len)
		return temporary_failed(j->why);
	j->size += len;
	return 0;
}

/* path: of the file with these records */
static int put_records(struct join *j, const char *path, const unsigned char *data, uint64_t len,
		       bool cut)
{
	const unsigned char *unpacked;
	uint64_t size;
	int err;

	if (!j->compressed || !len)
		return put(j, data, len);
	unpacked = perfdata_unpack(path, data, len, cut, &size);
	if (!unpacked)
		return -1;
	err = put(j, unpacked, size);
	munmap((void *)unpacked, size);
	return err;
}

/* Returns 1 if there is no such file. */
static int put_file(struct join *j, int folder, unsigned int number)
{
	char name[32], path[PATH_MAX];
	struct stat status;
	void *map;
	int fd, err;

	snprintf(name, sizeof(name), "data.%u", number);
	snprintf(path, sizeof(path), "%s/%s", j->path, name);
	fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return errno == ENOENT ? 1 : err_errno("opening %s", path);
	if (fstat(fd, &status) || !S_ISREG(status.st_mode)) {
		close(fd);
		return err_fail("%s: no regular file", path);
	}
	map = status.st_size ? mmap(NULL, status.st_size, PROT_READ, MAP_PRIVATE, fd, 0) : NULL;
	err = map == MAP_FAILED ? err_errno("mapping %s", path) :
				  put_records(j, path, map, status.st_size, true);
	if (map && map != MAP_FAILED)
		munmap(map, status.st_size);
	close(fd);
	return err;
}

static const unsigned char *join_all(struct join *j, int folder, const unsigned char *data, uint64_t len, bool cut)
{
	int err = put_records(j, j->path, data, len, cut);

	for (unsigned int number = 0; !err; number++)
		err = put_file(j, folder, number);
	if (err > 0 && fflush(j->out))
		err = temporary_failed(j->why);
	if (err > 0 && !j->size)
		err = err_fail("%s: has no records", j->path);
	return err > 0 ? temporary_map(j->out, j->why, j->size) : NULL;
}

const unsigned char *folder_join(const char *path, int folder, const unsigned char *data, uint64_t len,
				 bool compressed, bool cut, uint64_t *size)
{
	struct join j = { .path = path, .compressed = compressed };
	const unsigned char *map = NULL;

	if (asprintf(&j.why, "%s: joining its files", path) < 0) {
		err_fail("out of memory");
		return NULL;
	}
	j.out = temporary_open(j.why);
	if (j.out) {
		map = join_all(&j, folder, data, len, cut);
		fclose(j.out);
	}
	free(j.why);
	*size = j.size;
	return map;
}
