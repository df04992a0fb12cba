// SPDX-License-Identifier: GPL-2.0
/* How far a stack reaches. */
#include "stacks/reach.h"

void reach_contradiction(struct builder *b, uint64_t evidence)
{
	if (b->sure && b->sure < b->stack->nr_frames)
		b->stack->nr_frames = b->sure;
	b->stack->evidence |= evidence;
	b->contradicted = true;
}

/* Whether the stack was followed through all of its recorded callers to its beginning. */
static bool reached_begin(const struct builder *b)
{
	const struct stacks_sample *s = b->sample;

	return s->unwound_end == STACKS_END_ENTRY && b->unwound == s->nr_unwound &&
	       b->by_stack && !b->misled;
}

static bool is_whole(const struct builder *b)
{
	return b->stack->nr_frames > b->sample->nr_kernel && !b->contradicted &&
	       (reached_begin(b) || b->code->outermost(b->code->ctx, b->inner));
}

/* Number of calls in the C library before main(): its own call, and that of its caller. */
#define MOST_BEFORE_MAIN	2

void reach_main(struct stacks_stack *stack, const struct stacks_code *code)
{
	struct place called = { MAPS_NOTHING, 0 };

	for (size_t i = 0; stack->open && i < stack->nr_frames && i <= MOST_BEFORE_MAIN; i++) {
		const struct stacks_frame *frame = &stack->frames[stack->nr_frames - 1 - i];

		if (!code->in_main(code->ctx, frame->place))
			continue;
		if (!i || code->call(code->ctx, frame[1].place, &called) == STACKS_CALL_INDIRECT)
			stack->evidence |= EVIDENCE(MAIN);
		return;
	}
}

/* Functions that a branch history does not show were entered before it begins, unless it has a
 * gap. */
static uint64_t end_of_history(enum stacks_history history)
{
	switch (history) {
	case STACKS_HISTORY_WHOLE:
		return EVIDENCE(HISTORY_BEGIN);
	case STACKS_HISTORY_GAP:
		return EVIDENCE(HISTORY_GAP);
	case STACKS_HISTORY_ELSEWHERE:
		return EVIDENCE(HISTORY_ELSEWHERE);
	case STACKS_HISTORY_NONE:
		break;
	}
	return 0;
}

static uint64_t end_of_memory(const struct builder *b)
{
	switch (b->sample->unwound_end) {
	case STACKS_END_WINDOW:
		return b->by_stack && !b->misled ? EVIDENCE(WINDOW) : 0;
	case STACKS_END_RULES:
		return EVIDENCE(NO_RULES);
	case STACKS_END_NOWHERE:
		return EVIDENCE(NO_FILE);
	case STACKS_END_LIMIT:
		return EVIDENCE(LIMIT);
	case STACKS_END_ABSENT:
		return b->sample->has_lbr ? 0 : EVIDENCE(ABSENT);
	case STACKS_END_ENTRY:
	case STACKS_END_NONE:
		break;
	}
	return 0;
}

static void collect_end(struct builder *b, bool whole)
{
	const struct stacks_sample *s = b->sample;
	uint64_t *evidence = &b->stack->evidence;

	if (whole)
		*evidence |= EVIDENCE(ENTRY);
	if (whole && reached_begin(b))
		*evidence |= EVIDENCE(MEMORY);
	if (whole && s->has_lbr && b->stack->frames[b->stack->nr_frames - 1].kind == STACKS_UNWOUND)
		*evidence |= EVIDENCE(SHORT);
	if (b->agreed)
		*evidence |= EVIDENCE(DISAGREE);
	if (b->switched)
		*evidence |= EVIDENCE(SWITCHED);
	if (!s->history && s->depth && s->nr_lbr >= s->depth)
		*evidence |= EVIDENCE(FULL);
	/* No stack that rests on a frame pointer is proved: the code may use the register for
	 * anything. */
	if (b->by_pointer)
		*evidence |= EVIDENCE(POINTER);
	if (b->misled)
		*evidence |= EVIDENCE(MISLED);
	if (s->crowded)
		*evidence |= EVIDENCE(CROWDED);
	if (!whole && b->code->absent(b->code->ctx, b->inner))
		*evidence |= EVIDENCE(NO_OBJECT);
	*evidence |= end_of_history(s->history) | end_of_memory(b);
}

void reach_collect(struct builder *b)
{
	const struct stacks_sample *s = b->sample;
	struct stacks_stack *stack = b->stack;
	bool whole = is_whole(b);

	/* A stack that returns to no mapped file has no caller to be found elsewhere. */
	stack->open = !whole && !b->agreed && stack->nr_frames > s->nr_kernel &&
		      (s->unwound_end != STACKS_END_NOWHERE || !s->nr_unwound);
	if (b->agreed && !whole) {
		stack->nr_frames = b->agreed;
		reach_contradiction(b, EVIDENCE(DISAGREE));
	}
	collect_end(b, whole);
	reach_main(stack, b->code);
}
