// SPDX-License-Identifier: GPL-2.0
/* Keeps judged stacks. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "profile/traces.h"

int traces_add(struct traces *traces, const struct tally_stack *t,
	       const struct stacks_stack *stack)
{
	if (room_for(&traces->list, traces->nr + 1, &traces->max, sizeof(*traces->list)) ||
	    room_for(&traces->frames, traces->nr_frames + stack->nr_frames,
		     &traces->max_frames, sizeof(*traces->frames)))
		return -1;
	traces->list[traces->nr++] = (struct trace){
		.who = t->who, .verdict = stack->verdict, .inferred = stack->inferred,
		.unwound = stack->unwound, .stitched = stack->stitched,
		.samples = t->samples, .period = t->period,
		.first = traces->nr_frames, .nr = stack->nr_frames };
	if (stack->nr_frames)
		memcpy(traces->frames + traces->nr_frames, stack->frames,
		       stack->nr_frames * sizeof(*stack->frames));
	traces->nr_frames += stack->nr_frames;
	return 0;
}

void traces_free(struct traces *traces)
{
	free(traces->list);
	free(traces->frames);
}
