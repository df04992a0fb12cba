// SPDX-License-Identifier: GPL-2.0
/* Opens a mapped file through a process that still has it mapped. */
#include <stdio.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "stacks/maps_live.h"

/* Whether the file at path is the file of the record; without a build id, by its inode number. */
static bool is_same_file(const struct maps_mapped *mapped, const char *path)
{
	struct stat status;

	return mapped->id_size ||
	       (!stat(path, &status) && status.st_ino == mapped->inode &&
		status.st_dev == makedev(mapped->major, mapped->minor));
}

struct object *maps_live_open(const struct maps_mapped *mapped, enum object_state *state)
{
	char path[PATH_MAX];
	struct object *object;

	*state = OBJECT_MISSING;
	/* The link leads to the file itself. Only root may follow it (proc(5)). */
	snprintf(path, sizeof(path), "/proc/%u/map_files/%llx-%llx", mapped->pid,
		 (unsigned long long)mapped->start, (unsigned long long)mapped->end);
	if (is_same_file(mapped, path) &&
	    (object = object_open(NULL, 0, path, mapped->id, mapped->id_size, state)))
		return object;
	snprintf(path, sizeof(path), "/proc/%u/root%s", mapped->pid, mapped->path);
	if (is_same_file(mapped, path) &&
	    (object = object_open(NULL, mapped->pid, mapped->path, mapped->id, mapped->id_size,
				  state)))
		return object;
	/* The process is gone. */
	return is_same_file(mapped, mapped->path) ?
	       object_open(NULL, 0, mapped->path, mapped->id, mapped->id_size, state) : NULL;
}
