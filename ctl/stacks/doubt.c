// SPDX-License-Identifier: GPL-2.0
/* Frames that may have been left. */
#include "stacks/doubt.h"

static bool lacks_callers(const struct stacks_stack *stack)
{
	switch (stack->verdict) {
	case STACKS_PARTIAL:
	case STACKS_TRUNCATED:
	case STACKS_BROKEN:
		return true;
	default:
		return false;
	}
}

static bool is_same_function(const struct stacks_frame *a, const struct stacks_frame *b)
{
	return maps_is_known(a->entered) && maps_same_place(a->entered, b->entered);
}

/* Drops what is between frames of one function, from the outermost that memory shows on. */
static void drop_levels(const struct stacks_code *code, struct stacks_stack *stack, size_t first)
{
	struct stacks_frame *frames = stack->frames;
	size_t nr = first + 1, between = first;

	/* Of the outermost frame no call is known. */
	for (size_t i = first; i < stack->nr_frames; i++)
		code->start(code->ctx, frames[i].place, &frames[i].entered);
	/* between: the last frame that lies between two of one function */
	for (size_t i = first; i < stack->nr_frames; i++) {
		if (i > between)
			frames[nr++] = frames[i];
		for (size_t k = stack->nr_frames - 1; k > i && k > between; k--)
			if (is_same_function(&frames[i], &frames[k]))
				between = k;
	}
	stack->nr_frames = nr;
}

bool doubt_has_callers(const struct stacks_stack *stack)
{
	return stack->doubtful && stack->doubtful >= stack->proven &&
	       stack->doubtful < stack->nr_frames && lacks_callers(stack);
}

void doubt_drop_levels(const struct stacks_sample *s, const struct stacks_code *code,
		       struct stacks_stack *stack)
{
	const size_t shown = stack->proven > s->nr_kernel ? stack->proven - 1 : s->nr_kernel;

	/* The calls of a branch history were followed to their returns. An entry of the LBR gives two
	 * frames at most; where there are more, frame pointers have led along memory. */
	if (s->has_lbr && !s->history && stack->nr_frames > shown &&
	    stack->nr_frames - shown <= 2 * s->nr_lbr + 1 && lacks_callers(stack))
		drop_levels(code, stack, shown);
}
