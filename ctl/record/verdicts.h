/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the LBR's stack of each sample is worth, as it arrives: equal stacks are judged once.
 * Judging takes a bounded part of the recorder's time; samples beyond it are not judged.
 */
#ifndef LBRCTL_RECORD_VERDICTS_H
#define LBRCTL_RECORD_VERDICTS_H

#include "perfdata/event.h"
#include "record/callers.h"

struct verdicts;

/* `callers` has the mappings and outlives the result. NULL with the reason printed. */
struct verdicts *verdicts_new(struct callers *callers);
void verdicts_free(struct verdicts *verdicts);

enum verdicts_answer {
	VERDICTS_NONE,		/* no user stack, or no time to judge it */
	VERDICTS_PROVED,	/* complete by the LBR alone */
	VERDICTS_UNPROVED,
};

/* By the LBR alone. event, record: the sample's, as the file has them. */
enum verdicts_answer verdicts_of(struct verdicts *verdicts,
				 const struct perfdata_event *event,
				 const struct perf_event_header *record);

enum verdicts_audit {
	VERDICTS_UNCHECKED,	/* the LBR claims nothing, or the user stack was not
				 * unwound to its begin */
	VERDICTS_AGREED,
	VERDICTS_DISAGREED,
};

/* The same of a sample that has its user stack, too: compares both. */
enum verdicts_audit verdicts_audit(struct verdicts *verdicts,
				   const struct perfdata_event *event,
				   const struct perf_event_header *record);

#endif
