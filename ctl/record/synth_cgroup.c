// SPDX-License-Identifier: GPL-2.0
/* Writes side records for the existing cgroups. */
#include <fts.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include "base/err.h"
#include "record/synth.h"
#include "workload/cgroup.h"

int synth_cgroups(struct synth *synth)
{
	char mount[PATH_MAX], *roots[] = { mount, NULL };
	const char *path;
	FTSENT *entry;
	FTS *tree;
	int err;

	err = cgroup_mount(mount);
	if (err)
		return err;
	tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, NULL);
	if (!tree)
		return err_errno("reading %s", mount);
	/* Skip a cgroup that disappears meanwhile. */
	while (!err && (entry = fts_read(tree))) {
		path = entry->fts_path + strlen(mount);
		if (entry->fts_info == FTS_D)
			err = synth_cgroup(synth, entry->fts_statp->st_ino,
					   *path ? path : "/");
	}
	fts_close(tree);
	return err;
}
