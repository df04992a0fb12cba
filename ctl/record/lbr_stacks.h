/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Judges the LBR's stacks of samples: equal stacks are judged once. Judging
 * takes a bounded part of the recorder's time; samples beyond it are not judged.
 */
#ifndef LBRCTL_RECORD_LBR_STACKS_H
#define LBRCTL_RECORD_LBR_STACKS_H

#include <stdbool.h>

#include "perfdata/event.h"
#include "record/callers.h"

struct lbr_stacks;

/* `callers` has the mappings and must outlive the result. Returns NULL with the reason
 * printed. */
struct lbr_stacks *lbr_stacks_new(struct callers *callers);
void lbr_stacks_free(struct lbr_stacks *stacks);

/* Looks at the code that a process has mapped, which the first sample in a file would have to wait for. After
 * two seconds of CPU time, those of earlier calls included, the other files are left to their first samples. */
void lbr_stacks_prepare(struct lbr_stacks *stacks, uint32_t pid);

enum lbr_stacks_answer {
	LBR_STACKS_NONE,	/* no user stack, or no time to judge it */
	LBR_STACKS_PROVED,	/* complete by the LBR alone */
	LBR_STACKS_UNPROVED,
};

/* Returns whether the answer is known, at the cost of a look. event, record: those of the sample,
 * as in the file. */
bool lbr_stacks_known(struct lbr_stacks *stacks, const struct perfdata_event *event,
		      const struct perf_event_header *record, enum lbr_stacks_answer *answer);

/* Judges a sample by the LBR alone. */
enum lbr_stacks_answer lbr_stacks_of(struct lbr_stacks *stacks,
				     const struct perfdata_event *event,
				     const struct perf_event_header *record);

/* The same for a sample that has its user stack, too. A stack with which that disagrees is not
 * proved. */
enum lbr_stacks_answer lbr_stacks_alone(struct lbr_stacks *stacks,
					const struct perfdata_event *event,
					const struct perf_event_header *record);

enum lbr_stacks_audit {
	LBR_STACKS_UNCHECKED,	/* the LBR's stack is not called complete, or the user stack
				 * was not unwound to its begin */
	LBR_STACKS_AGREED,
	LBR_STACKS_DISAGREED,
};

/* Judges a sample that has its user stack, too: compares both. */
enum lbr_stacks_audit lbr_stacks_audit(struct lbr_stacks *stacks,
				   const struct perfdata_event *event,
				   const struct perf_event_header *record);

#endif
