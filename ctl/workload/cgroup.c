// SPDX-License-Identifier: GPL-2.0
/* Finds a cgroup by its path. */
#include <errno.h>
#include <fcntl.h>
#include <mntent.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "workload/cgroup.h"

int cgroup_mount(char mount[PATH_MAX])
{
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	struct mntent *entry;
	int found = -1;

	while (mounts && (entry = getmntent(mounts))) {
		if (strcmp(entry->mnt_type, "cgroup2"))
			continue;
		found = snprintf(mount, PATH_MAX, "%s", entry->mnt_dir);
		break;
	}
	if (mounts)
		endmntent(mounts);
	if (found >= 0 && found < PATH_MAX)
		return 0;
	return err_fail("no cgroup v2 hierarchy is mounted: mount -t cgroup2 "
			"none /sys/fs/cgroup");
}

int cgroup_open(const char *path)
{
	char mount[PATH_MAX], full[2 * PATH_MAX];
	int fd;

	if (cgroup_mount(mount))
		return -1;
	snprintf(full, sizeof(full), "%s/%s", mount, path);
	fd = open(full, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
		return err_fail("no cgroup %s in %s", path, mount);
	return fd < 0 ? err_errno("opening cgroup %s", full) : fd;
}
