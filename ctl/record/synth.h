/* SPDX-License-Identifier: GPL-2.0 */
/* Writes records of the processes that are running. */
#ifndef LBRCTL_RECORD_SYNTH_H
#define LBRCTL_RECORD_SYNTH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/pidset.h"
#include "object/buildid.h"
#include "perfdata/write.h"

struct callers;

/*
 * Records for what was there before the capture began, in the kernel's own
 * form but with time 0, so that readers take them first; or for what began unseen
 * since then, with the time of the look. All return 0 or -1 with a message. Call them
 * once the sideband is open: a mapping made in between is then in both, one made before
 * or after in one of the two.
 */
struct synth {
	struct perfdata_writer *writer;
	struct buildid_table *buildids;	/* of all files mapped is added here */
	struct callers *callers;	/* follows the mappings, too; or NULL */
	bool data;			/* mappings of what is not code, too */
	uint64_t time;			/* ns, CLOCK_MONOTONIC, of threads and mappings */
	const struct pidset *only;	/* of synth_all(): these; NULL: any */
};

/* The threads of a process and its mappings of code. A process that is gone
 * by now has none. */
int synth_process(struct synth *synth, uint32_t pid);

/* The same for every process of our pid namespace, or those of them that are meant. */
int synth_all(struct synth *synth);

/* The kernel's text and its modules (synth_kernel.c). */
int synth_kernel(struct synth *synth);

/* The cgroups of the v2 hierarchy (synth_cgroup.c). */
int synth_cgroups(struct synth *synth);

/* One of them; its id is the inode number of its directory, its path that below
 * the root, "/". */
int synth_cgroup(struct synth *synth, uint64_t id, const char *path);

/* Writes a mapping's record of the old form, as perf does for the kernel. */
int synth_mmap(struct synth *synth, uint64_t addr, uint64_t len, uint64_t pgoff,
	       const char *name);

#endif
