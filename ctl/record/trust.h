/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Decides which processes need the user stack, because the LBR alone does not prove theirs: by
 * the number of their samples that it proves, and by the audits. The samples of a selected
 * process carry the user stack, and so do those of its children, until they execute another
 * program.
 */
#ifndef LBRCTL_RECORD_TRUST_H
#define LBRCTL_RECORD_TRUST_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "perfdata/format.h"
#include "workload/tasks.h"

/* A process is selected when more than one sample in TRUST_SHARE is unproved, and at least
 * TRUST_LEAST are. */
#define TRUST_SHARE	100
#define TRUST_LEAST	3

struct trust_process {
	uint32_t pid;
	bool selected;
	uint64_t samples, unproved;	/* since its exec; of samples without the user stack */
	uint64_t checked, disagreed;	/* results of audits */
};

/* Initialize with 0. */
struct trust {
	struct trust_process *processes;
	size_t max;
	struct hash index;
	struct tasks_list pending;	/* selected here, not yet in the module */
};

void trust_free(struct trust *trust);

/* Counts a sample without its user stack. Returns 0, or -1 with the reason printed. */
int trust_sample(struct trust *trust, uint32_t pid, bool proved);

/* Counts an audit: the LBR's stack of a sample was called complete and was compared with the
 * user stack. A disagreement selects the process. Returns as above. */
int trust_audit(struct trust *trust, uint32_t pid, bool agreed);

/* Selects a process. Returns as above. */
int trust_select(struct trust *trust, uint32_t pid);

/* Returns the results of the audits, by process; *nr of them, malloc'd. NULL if there are
 * none, or memory is short. */
struct perfdata_audit *trust_audits(const struct trust *trust, size_t *nr);

/* Processes a side record: fork() passes the selection on to the child, and exec() ends it.
 * The module does the same. Returns as above. */
int trust_record(struct trust *trust, const struct perf_event_header *record);

#endif
