/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The callers that are not in the LBR, by what the same thread showed at other times.
 *
 * They fell out of it, or lie behind calls that were left without a return (longjmp(), an
 * exception), or a signal handler's return took them away. A thread that was seen in the
 * function with a caller outside of it has that caller still, if it has not come to the
 * function by another way. That nobody can know from the LBR. So it is taken to be so
 * only where that function was never seen called from any other function, in the whole
 * capture; and what is concluded is marked.
 */
#ifndef LBRCTL_STACKS_STITCH_H
#define LBRCTL_STACKS_STITCH_H

#include "stacks/build.h"
#include "stacks/maps.h"

/* A branch history shows few of the calls: what it shows of a function is thought to be
 * all only after so many. */
#define STITCH_SIGHTINGS	8

struct stitch;

/* maps must outlive it, and what code asks. NULL when memory is short. */
struct stitch *stitch_new(struct maps *maps, const struct stacks_code *code);
void stitch_free(struct stitch *stitch);

/* Remembers what a sample of the thread shows. *open: not all of its callers, or such as
 * other samples may make doubtful. 0, or -1 when memory is short. */
int stitch_note(struct stitch *stitch, uint32_t tid,
		const struct stacks_sample *sample, bool *open);

/* When all samples were noted: how many frames of the thread's stack are sure, *nr. Further out
 * they may be calls that were left without a return. 0, or -1 when memory is short. */
int stitch_doubt(struct stitch *stitch, uint32_t tid, const struct stacks_stack *stack,
		 size_t *nr);

/* When all samples were noted: the callers that are outside of the thread's stack,
 * innermost first, each seen so often at least; good until the next call. 0, or -1 when
 * memory is short. */
int stitch_recall(struct stitch *stitch, uint32_t tid, size_t sightings,
		  const struct stacks_stack *stack,
		  const struct stacks_caller **callers, size_t *nr);

#endif
