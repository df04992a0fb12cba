/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Judges the samples of a recording, and collects which processes need the user stack.
 *
 * Reading the rings comes first: the first look at a function takes as long as thousands of
 * samples. So only samples whose answer is known are judged as they arrive. The others wait in
 * a queue, and what finds no place there is not judged.
 */
#ifndef LBRCTL_RECORD_JUDGING_H
#define LBRCTL_RECORD_JUDGING_H

#include "module/ring.h"
#include "record/lbr_stacks.h"
#include "record/trust.h"

/* Initialize with 0. */
struct judging {
	/* Set by the caller, before the first sample. */
	const struct perfdata_event *events;	/* by index, as in the file */
	/* Result. */
	struct trust trust;
	/* Private. */
	struct lbr_stacks *stacks;
	unsigned char *queue;
	size_t first, end;		/* bytes: the samples that wait */
};

/* callers: has the mappings, and must outlive the result. Returns 0, or -1 with a message;
 * judging_free() in both cases. */
int judging_init(struct judging *judging, struct callers *callers);
void judging_free(struct judging *judging);

/* Looks at the code of a process before its samples come. */
void judging_prepare(struct judging *judging, uint32_t pid);

/* Takes a sample and its record, as in the file. Returns 0, or -1 with a message. */
int judging_sample(struct judging *judging, const struct ring_sample *sample,
		   const struct perf_event_header *record);

/* Takes a record of the sideband. Returns as above. */
int judging_record(struct judging *judging, const struct perf_event_header *record);

/* Whether samples wait; judges the next of them, or all. Return as above. */
bool judging_waits(const struct judging *judging);
int judging_next(struct judging *judging);
int judging_all(struct judging *judging);

#endif
