/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Adds callers that are missing from the LBR, from other samples of the same thread.
 *
 * They fell out of the LBR, or lie beyond calls that were left without a return (longjmp(), an
 * exception), or the return of a signal handler removed them. If the thread was seen in the
 * function with a caller, it still has that caller unless it has come to the function in
 * another way, which the LBR cannot show. So this is assumed only if no sample of the whole
 * capture shows the function called by another function; and the result is marked.
 */
#ifndef LBRCTL_STACKS_STITCH_H
#define LBRCTL_STACKS_STITCH_H

#include "stacks/build.h"
#include "stacks/maps.h"

/* A branch history shows only some of the calls: its callers of a function count as complete
 * only after this many sightings. */
#define STITCH_SIGHTINGS	8

struct stitch;

/* Returns the sample of a stack by the caller's number; valid until the next call. NULL when memory
 * is short. */
struct stitch_source {
	const struct stacks_sample *(*sample)(void *ctx, uint32_t stack);
	void *ctx;
};

/* maps, and the contexts of code and source, must outlive the result. NULL when memory is short. */
struct stitch *stitch_new(struct maps *maps, const struct stacks_code *code,
			  const struct stitch_source *source);
void stitch_free(struct stitch *stitch);

/* What a stack means for each thread that shows it. */
enum stitch_effect {
	STITCH_PLAIN,		/* its calls. They matter only for a thread's other stacks whose
				 * callers are incomplete, and can be noted once there are such */
	STITCH_SPECIAL,		/* more than that: recursion, calls that were left, another stack */
};

/* Notes the calls that a stack shows, for any thread. *open: its callers are incomplete. Returns 0,
 * or -1 when memory is short. */
int stitch_note(struct stitch *stitch, const struct stacks_sample *sample,
		enum stitch_effect *effect, bool *open);

/* Whether stitch_later() may take a plain stack of this thread. */
bool stitch_is_plain(struct stitch *stitch, uint32_t tid);
/* The thread has shown the stack of that number. Returns 0, or -1 when memory is short. */
int stitch_later(struct stitch *stitch, uint32_t tid, uint32_t stack);

/* Notes the calls for the thread. *open: its callers are incomplete, or other samples may cast
 * doubt on them. Returns 0, or -1 when memory is short. */
int stitch_note_thread(struct stitch *stitch, uint32_t tid,
		       const struct stacks_sample *sample, enum stitch_effect effect,
		       bool *open);

/* Call after all samples are noted. *nr: the number of certain frames of the thread's stack;
 * the outer ones may be calls that were left without a return. Returns 0, or -1 when memory is
 * short. */
int stitch_doubt(struct stitch *stitch, uint32_t tid, const struct stacks_stack *stack,
		 size_t *nr);

/* Call after all samples are noted. Finds the callers outside of the thread's stack, innermost
 * first, each seen at least `sightings` times; valid until the next call. Returns 0, or -1
 * when memory is short. */
int stitch_recall(struct stitch *stitch, uint32_t tid, size_t sightings,
		  const struct stacks_stack *stack,
		  const struct stacks_caller **callers, size_t *nr);

#endif
