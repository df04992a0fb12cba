/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Judges the LBR's stacks of samples: equal stacks are judged once. Judging
 * takes a bounded part of the recorder's time; samples beyond it are not judged.
 */
#ifndef LBRCTL_RECORD_VERDICTS_H
#define LBRCTL_RECORD_VERDICTS_H

#include <stdbool.h>

#include "perfdata/event.h"
#include "record/callers.h"

struct verdicts;

/* `callers` has the mappings and must outlive the result. Returns NULL with the reason
 * printed. */
struct verdicts *verdicts_new(struct callers *callers);
void verdicts_free(struct verdicts *verdicts);

enum verdicts_answer {
	VERDICTS_NONE,		/* no user stack, or no time to judge it */
	VERDICTS_PROVED,	/* complete by the LBR alone */
	VERDICTS_UNPROVED,
};

/* Returns whether the answer is known, at the cost of a look. event, record: those of the sample,
 * as in the file. */
bool verdicts_known(struct verdicts *verdicts, const struct perfdata_event *event,
		    const struct perf_event_header *record, enum verdicts_answer *answer);

/* Judges a sample by the LBR alone. */
enum verdicts_answer verdicts_of(struct verdicts *verdicts,
				 const struct perfdata_event *event,
				 const struct perf_event_header *record);

/* The same for a sample that has its user stack, too. A stack with which that disagrees is not
 * proved. */
enum verdicts_answer verdicts_alone(struct verdicts *verdicts,
				    const struct perfdata_event *event,
				    const struct perf_event_header *record);

enum verdicts_audit {
	VERDICTS_UNCHECKED,	/* the LBR's stack is not called complete, or the user stack
				 * was not unwound to its begin */
	VERDICTS_AGREED,
	VERDICTS_DISAGREED,
};

/* Judges a sample that has its user stack, too: compares both. */
enum verdicts_audit verdicts_audit(struct verdicts *verdicts,
				   const struct perfdata_event *event,
				   const struct perf_event_header *record);

#endif
