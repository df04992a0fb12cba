/* SPDX-License-Identifier: GPL-2.0 */
/* The judged stacks of an event with their addresses and tasks, for outputs that need more than
 * the call tree. */
#ifndef LBRCTL_PROFILE_TRACES_H
#define LBRCTL_PROFILE_TRACES_H

#include "profile/tally.h"
#include "stacks/build.h"

struct trace {
	const struct tally_who *who;	/* valid as long as the analysis */
	enum stacks_verdict verdict;
	bool inferred, unwound, stitched;	/* has such frames */
	uint64_t samples, period;
	size_t first, nr;		/* of traces.frames, innermost first */
};

struct traces {
	struct trace *list;
	size_t nr, max;
	struct stacks_frame *frames;
	size_t nr_frames, max_frames;
};

/* One sample. */
struct moment {
	uint64_t time, period;		/* time in ns; 0 if samples have none */
	size_t trace;			/* of traces.list */
};

struct moments {
	struct moment *list;		/* in order of time */
	size_t nr, max;
};

/* Adds a sample, of any number instead of a trace. Returns 0, or -1 when memory is short. */
int moments_add(struct moments *moments, const struct moment *moment);
/* Turns these numbers into traces: of[number], TRACE_NONE for samples that are left out and now
 * removed. */
#define TRACE_NONE	SIZE_MAX
void moments_of_traces(struct moments *moments, const size_t *of);

/* Adds a stack. Returns 0, or -1 when memory is short. */
int traces_add(struct traces *traces, const struct tally_stack *t,
	       const struct stacks_stack *stack);
void traces_free(struct traces *traces);

#endif
