// SPDX-License-Identifier: GPL-2.0
/* Frames that may have been left. */
#include <string.h>

#include "stacks/doubt.h"

/* Frames of the largest LBR: each of its 64 entries may add a tail call. */
#define MOST_FRAMES	129

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

/* Calls that were left begin and end in one function: a cycle. The frames are steps from one function to
 * the next, and which of the cycles were left is not known. */
struct steps {
	size_t nr;
	unsigned char function[MOST_FRAMES];	/* the first frame of the same function, by frame */
	bool reached[MOST_FRAMES];
};

static void steps_take(struct steps *s, const struct stacks_frame *frames, size_t nr)
{
	s->nr = nr;
	for (size_t i = 0; i < nr; i++) {
		size_t k = 0;

		while (k < i && !is_same_function(&frames[k], &frames[i]))
			k++;
		s->function[i] = k;
	}
}

/* Whether steps lead from a function to the outermost one, and not through `without`. */
static bool steps_leave(struct steps *s, size_t from, size_t without)
{
	bool more = from != without;

	memset(s->reached, 0, s->nr);
	s->reached[from] = more;
	while (more) {
		more = false;
		for (size_t i = 0; i + 1 < s->nr; i++) {
			const size_t to = s->function[i + 1];

			if (!s->reached[s->function[i]] || s->reached[to] || to == without)
				continue;
			s->reached[to] = true;
			/* This step may have been passed already. */
			more |= to <= i;
		}
	}
	return s->reached[s->function[s->nr - 1]];
}

/* Returns the only function that may have called this one, cycles aside; 0: there are several, or none. */
static size_t steps_caller(struct steps *s, size_t function)
{
	size_t caller = 0;

	for (size_t i = 0; i + 1 < s->nr; i++) {
		const size_t to = s->function[i + 1];

		if (s->function[i] != function || to == caller || !steps_leave(s, to, function))
			continue;
		if (caller)
			return 0;
		caller = to;
	}
	return caller;
}

/* Drops the cycles, and what is beyond the first function that may have been called in two ways, from the
 * outermost frame that memory shows on. */
static void drop_levels(const struct stacks_code *code, struct stacks_stack *stack, size_t first)
{
	struct stacks_frame *frames = stack->frames + first;
	const size_t all = stack->nr_frames - first;
	size_t nr = 1, function = 0, caller;
	bool to_the_end = false;
	struct steps steps;

	/* Of the outermost frame no call is known. */
	for (size_t i = 0; i < all; i++)
		code->start(code->ctx, frames[i].place, &frames[i].entered);
	if (all <= MOST_FRAMES) {
		steps_take(&steps, frames, all);
		while ((caller = steps_caller(&steps, function))) {
			function = caller;
			frames[nr++] = frames[function];
		}
		to_the_end = function == steps.function[all - 1];
	}
	stack->nr_frames = first + nr;
	if (!to_the_end)
		stack->evidence |= EVIDENCE(LEFT);
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
