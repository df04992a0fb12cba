/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Decides which processes need the user stack, because the LBR alone does not prove theirs: by
 * the number of their samples that it proves, and by the audits. The samples of a new program
 * carry the user stack while it is on trial; if the LBR proves nearly all of TRUST_TRIAL, it
 * is cleared. The samples of a process that needs the stack carry it, and so do those of its
 * children, until they execute another program.
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

/* A process needs the stack when at least TRUST_LEAST of its samples, and more than one in
 * TRUST_SHARE, are unproved. It is cleared when it has TRUST_TRIAL samples, and at most one in
 * TRUST_SHARE is unproved. */
#define TRUST_SHARE	100
#define TRUST_LEAST	3
#define TRUST_TRIAL	20

struct trust_process {
	uint32_t pid;
	bool needs;			/* the stack, until its exec */
	bool asked;			/* the module was asked to select it, or to clear it */
	uint64_t samples, unproved;	/* since its exec, or fork */
	uint64_t checked, disagreed;	/* results of audits */
};

/* Initialize with 0. */
struct trust {
	struct trust_process *processes;
	size_t max;
	struct hash index;
	struct tasks_list needing, cleared;	/* decided here, not yet in the module */
};

void trust_free(struct trust *trust);

/* The verdict on the LBR's stack of a sample. */
enum trust_stack { TRUST_PROVED, TRUST_UNPROVED, TRUST_UNJUDGED };

/* Whether a sample of this process that carries the user stack has to be judged. */
bool trust_is_on_trial(const struct trust *trust, uint32_t pid);

/* Counts a sample that is no audit. carries: it has the user stack. Returns 0, or -1 with the
 * reason printed. */
int trust_sample(struct trust *trust, uint32_t pid, enum trust_stack stack, bool carries);

/* Counts an audit: the LBR's stack of a sample was called complete and was compared with the
 * user stack. A disagreement selects the process. Returns as above. */
int trust_audit(struct trust *trust, uint32_t pid, bool agreed);

/* Returns the results of the audits, by process; *nr of them, malloc'd. NULL if there are
 * none, or memory is short. */
struct perfdata_audit *trust_audits(const struct trust *trust, size_t *nr);

/* Processes a side record: fork() passes the need for the stack on to the child, and exec()
 * begins a trial. The module does the same. Returns as above. */
int trust_record(struct trust *trust, const struct perf_event_header *record);

#endif
