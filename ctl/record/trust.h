/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which processes the LBR is to be trusted with: how many of their samples it proves, and
 * what the audits of the others said. A process of which it does not prove enough is
 * selected: its samples are to carry the user stack. So are its children, until they
 * execute another program.
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

/* A process is selected when more than one sample in TRUST_SHARE is not proved, and at
 * least TRUST_LEAST are. */
#define TRUST_SHARE	100
#define TRUST_LEAST	3

struct trust_process {
	uint32_t pid;
	bool selected;
	uint64_t samples, unproved;	/* since its exec, without their stacks */
	uint64_t checked, disagreed;	/* audits */
};

/* All 0 at first. */
struct trust {
	struct trust_process *processes;
	size_t max;
	struct hash index;
	struct tasks_list pending;	/* selected, and the module does not know */
};

void trust_free(struct trust *trust);

/* A sample without its user stack. Returns 0, or -1 with the reason printed. */
int trust_sample(struct trust *trust, uint32_t pid, bool proved);

/* The LBR's stack of a sample was called complete and was compared with the user stack.
 * One that disagrees selects the process. Returns as above. */
int trust_audit(struct trust *trust, uint32_t pid, bool agreed);

/* Selects a process. Returns as above. */
int trust_select(struct trust *trust, uint32_t pid);

/* What the audits found, by process; *nr of them, malloc'd. NULL if there are none, or memory
 * is short. */
struct perfdata_audit *trust_audits(const struct trust *trust, size_t *nr);

/* Takes note of a side record: children are selected as their parents are, and exec() ends
 * it. The module does as much by itself. Returns as above. */
int trust_record(struct trust *trust, const struct perf_event_header *record);

#endif
