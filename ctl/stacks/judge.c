// SPDX-License-Identifier: GPL-2.0
/* Judges a stack by how far it reaches, and by what led there. */
#include "stacks/judge.h"

void judge_broken(struct builder *b, const char *reason)
{
	if (b->sure && b->sure < b->stack->nr_frames)
		b->stack->nr_frames = b->sure;
	b->stack->verdict = STACKS_BROKEN;
	b->stack->reason = reason;
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
	return b->stack->nr_frames > b->sample->nr_kernel &&
	       b->stack->verdict != STACKS_BROKEN &&
	       (reached_begin(b) || b->code->outermost(b->code->ctx, b->inner));
}

static const char *partial_reason(const struct stacks_sample *s)
{
	switch (s->unwound_end) {
	case STACKS_END_RULES:
		return "code without call frame information, and without a frame pointer";
	case STACKS_END_NOWHERE:
		return "a return address in the recorded stack is in no mapped file";
	case STACKS_END_WINDOW:
	case STACKS_END_ENTRY:
	case STACKS_END_NONE:
		break;
	}
	return "outer frames were not in the LBR";
}

/* Functions that a branch history does not show were entered before it begins, unless it has a
 * gap. */
static void judge_history(const struct stacks_sample *s,
			  struct stacks_stack *stack)
{
	stack->verdict = STACKS_PARTIAL;
	switch (s->history) {
	case STACKS_HISTORY_WHOLE:
		stack->verdict = STACKS_TRUNCATED;
		stack->reason = "outer frames were entered before the branch history begins";
		break;
	case STACKS_HISTORY_GAP:
		stack->reason = "outer frames were entered before a gap in the branch history";
		break;
	case STACKS_HISTORY_ELSEWHERE:
		stack->reason = "the branch history does not end where the sample is";
		break;
	case STACKS_HISTORY_NONE:
		stack->reason = partial_reason(s);
		break;
	}
}

/* Number of calls in the C library before main(): its own call, and that of its caller. */
#define MOST_BEFORE_MAIN	2

void judge_at_main(struct stacks_stack *stack, const struct stacks_code *code)
{
	struct place called = { MAPS_NOTHING, 0 };

	for (size_t i = 0; stack->open && i < stack->nr_frames && i <= MOST_BEFORE_MAIN; i++) {
		const struct stacks_frame *frame = &stack->frames[stack->nr_frames - 1 - i];

		if (!code->in_main(code->ctx, frame->place))
			continue;
		if (i && code->call(code->ctx, frame[1].place, &called) != STACKS_CALL_INDIRECT)
			return;
		stack->verdict = STACKS_COMPLETE;
		stack->reason = "reaches main()";
		return;
	}
}

static void judge_reach(struct builder *b)
{
	const struct stacks_sample *s = b->sample;
	struct stacks_stack *stack = b->stack;
	bool whole = is_whole(b);

	/* A stack that returns to no mapped file has no caller to be found elsewhere. */
	stack->open = !whole && !b->agreed && stack->nr_frames > s->nr_kernel &&
		      (s->unwound_end != STACKS_END_NOWHERE || !s->nr_unwound);
	if (b->agreed && !whole) {
		stack->nr_frames = b->agreed;
		judge_broken(b, "the LBR and the recorded stack disagree");
	} else if (stack->verdict == STACKS_BROKEN) {
		return;
	} else if (whole) {
		stack->verdict = b->agreed ? STACKS_DISPUTED : STACKS_COMPLETE;
		stack->reason = b->agreed ?
			"the LBR disagrees with the recorded stack, which reaches the thread's entry" :
			"reaches the thread's entry";
	} else if (b->switched) {
		stack->verdict = STACKS_PARTIAL;
		stack->reason = "outer frames are on another stack: the thread switched stacks";
	} else if (s->unwound_end == STACKS_END_WINDOW && b->by_stack && !b->misled) {
		stack->verdict = STACKS_TRUNCATED;
		stack->reason = "the stack continues beyond the recorded window";
	} else if (!s->history && s->depth && s->nr_lbr >= s->depth) {
		stack->verdict = STACKS_TRUNCATED;
		stack->reason = "deeper than the LBR";
	} else if (b->misled) {
		stack->verdict = STACKS_PARTIAL;
		stack->reason = "a frame pointer of code without call frame information led to "
				"no caller";
	} else {
		judge_history(s, stack);
	}
}

/* No stack that rests on a frame pointer is proved: the code may use the register for anything. */
static void judge_pointer(struct builder *b)
{
	struct stacks_stack *stack = b->stack;

	if ((!b->by_pointer && !b->misled) ||
	    (stack->verdict != STACKS_COMPLETE && stack->verdict != STACKS_DISPUTED))
		return;
	stack->reason = b->agreed || b->misled ? "the LBR disagrees with a frame pointer" :
			"a frame pointer led to callers: nothing proves them";
	stack->verdict = STACKS_UNPROVED;
}

void judge_stack(struct builder *b)
{
	judge_reach(b);
	judge_at_main(b->stack, b->code);
	judge_pointer(b);
}
