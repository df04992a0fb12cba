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
	bool whole;			/* stacks_is_whole() */
	bool inferred, unwound, pointed, stitched;	/* has such frames */
	uint64_t samples, period;
	double squares;			/* sum of the periods' squares */
	const uint64_t *counts;		/* sums of the additional counts; valid as who */
	struct trace_place {
		uint32_t node;		/* of the call tree, where the stack ends */
		uint32_t own;		/* as paths.own, */
		uint32_t concluded;	/* and paths.concluded */
	} at;
	size_t first, nr;		/* of traces.frames, innermost first; none without query.frames */
};

struct traces {
	struct trace *list;
	size_t nr, max;
	struct stacks_frame *frames;
	size_t nr_frames, max_frames;
};

/* One sample, or the samples of a time slice with the same trace. */
struct moment {
	uint64_t time;			/* in ns; 0 if samples have none */
	uint64_t period;		/* sum of the samples' periods, */
	double squares;			/* and of their squares */
	uint32_t trace;			/* index of traces.list */
	uint32_t samples;
};

struct moments {
	struct moment *list;		/* in order of time */
	size_t nr, max;
	size_t limit;			/* more become slices; 0: no limit */
	uint64_t slice;			/* ns, a multiple of 1 µs: times are multiples of it; 0:
					 * each moment is one sample */
};

/* Adds a sample, in order of time, of any number instead of a trace. At the limit, equal numbers in
 * one slice become one moment; slices grow until that halves the list, or nothing is left to join.
 * Returns 0, or -1 when memory is short. */
int moments_add(struct moments *moments, uint64_t time, uint64_t period, uint32_t number);
/* Turns these numbers into traces: of[number], TRACE_NONE for samples that are left out and now
 * removed. Call it once, after the last moments_add(). */
#define TRACE_NONE	UINT32_MAX
void moments_of_traces(struct moments *moments, const uint32_t *of);

/* Adds a stack, with its frames or without. Returns 0, or -1 when memory is short. */
int traces_add(struct traces *traces, const struct tally_stack *t,
	       const struct stacks_stack *stack, struct trace_place at, bool frames);
void traces_free(struct traces *traces);

#endif
