/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The callers that fell out of the LBR, by what the same thread showed before.
 *
 * A thread that was seen with the same run of calls, and with a caller outside of it,
 * has that caller still, if it has not come back to the function by another way
 * since. That nobody can know from the LBR. So it is taken to be so only where that
 * function was never seen called from any other place, in the whole capture; and
 * what is concluded is marked. Where the LBR holds less than a run, what is left of
 * it is the function that the thread is in.
 */
#ifndef LBRCTL_STITCH_H
#define LBRCTL_STITCH_H

#include "maps.h"
#include "stacks.h"

/* So many calls must be the same, if there are so many. */
#define STITCH_RUN	4

struct stitch;

/* maps must outlive it. NULL when memory is short. */
struct stitch *stitch_new(const struct maps *maps);
void stitch_free(struct stitch *stitch);

/* To be called with each sample of each thread, in order of time: sets what the
 * thread's past says of the callers that the sample lacks (stacks_sample.stitched;
 * good until the next call), and remembers what the sample shows. 0, or -1 when
 * memory is short. */
int stitch_sample(struct stitch *stitch, uint32_t tid,
		  struct stacks_sample *sample);

/* As long as it is the same, a sample of the thread that is the same gets the same. 0
 * when memory is short, else never. */
uint64_t stitch_version(struct stitch *stitch, uint32_t tid);

/* When all samples have been: how many of the sample's stitched calls still hold,
 * because the function that each comes out of was always called from there. */
size_t stitch_holds(struct stitch *stitch, const struct stacks_sample *sample);

#endif
