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

int moments_add(struct moments *moments, const struct moment *moment)
{
	if (room_for(&moments->list, moments->nr + 1, &moments->max, sizeof(*moment)))
		return -1;
	moments->list[moments->nr++] = *moment;
	return 0;
}

void moments_of_traces(struct moments *moments, const size_t *of)
{
	size_t nr = 0;

	for (size_t i = 0; i < moments->nr; i++) {
		struct moment moment = moments->list[i];

		moment.trace = of[moment.trace];
		if (moment.trace != TRACE_NONE)
			moments->list[nr++] = moment;
	}
	moments->nr = nr;
}

void traces_free(struct traces *traces)
{
	free(traces->list);
	free(traces->frames);
}
