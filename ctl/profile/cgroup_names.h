/* SPDX-License-Identifier: GPL-2.0 */
/* The names of the samples' cgroups, from records of the capture. */
#ifndef LBRCTL_PROFILE_CGROUP_NAMES_H
#define LBRCTL_PROFILE_CGROUP_NAMES_H

#include "perfdata/read.h"

struct cgroups {
	struct cgroups_cgroup {
		uint64_t id;
		char *path;
	} *list;		/* by id */
	size_t nr, max;
};

/* Notes a PERF_RECORD_CGROUP. Returns 0, or -1 when memory is short. */
int cgroups_record(struct cgroups *cgroups, const struct perfdata_record *record);
void cgroups_free(struct cgroups *cgroups);

/* Returns the path of the cgroup below the mount, or NULL if the capture does not have it. */
const char *cgroups_path(const struct cgroups *cgroups, uint64_t id);

#endif
