/* SPDX-License-Identifier: GPL-2.0 */
/* Writes side records for the processes that are already running. */
#ifndef LBRCTL_RECORD_SYNTH_H
#define LBRCTL_RECORD_SYNTH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/pidset.h"
#include "object/buildid.h"
#include "perfdata/write.h"

struct callers;

/*
 * Writes records for what existed before the capture began, in the kernel's own form but with
 * time 0, so that readers take them first; or, with the current time, for what began unseen
 * since then. All functions return 0, or -1 with a message. Call them after the sideband was
 * opened: a mapping made in between is then in both; one made before or after is in one of
 * them.
 */
struct synth {
	struct perfdata_writer *writer;
	struct buildid_table *buildids;	/* collects the build ids of all mapped files */
	struct callers *callers;	/* follows the mappings, too; or NULL */
	bool data;			/* mappings that are not code, too */
	uint64_t time;			/* ns, CLOCK_MONOTONIC, of threads and mappings */
	const struct pidset *only;	/* for synth_all(): only these; NULL: any */
};

/* Writes the threads of a process and its mappings of code; none if the process has ended. */
int synth_process(struct synth *synth, uint32_t pid);

/* The same for every process of our pid namespace, or those in `only`. */
int synth_all(struct synth *synth);

/* Writes the kernel's text and its modules (synth_kernel.c). */
int synth_kernel(struct synth *synth);

/* Writes the cgroups of the v2 hierarchy (synth_cgroup.c). */
int synth_cgroups(struct synth *synth);

/* Writes one cgroup. Its id is the inode number of its directory; its path begins at the root,
 * "/". */
int synth_cgroup(struct synth *synth, uint64_t id, const char *path);

/* Writes a mapping record of the old form, as perf does for the kernel. */
int synth_mmap(struct synth *synth, uint64_t addr, uint64_t len, uint64_t pgoff,
	       const char *name);

#endif
