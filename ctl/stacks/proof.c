// SPDX-License-Identifier: GPL-2.0
/* Compares a stack with the depth of the user stack: the frame sizes must add up to it. */
#include "stacks/proof.h"

/* Larger depths are taken for those of another stack (the default of RLIMIT_STACK). */
#define LARGEST_STACK		(8LL << 20)
/* Start code takes the number of arguments, which lies where the stack begins. */
#define SMALLEST_STACK		(-8)

/* The sum of the frames' bytes. */
struct sum {
	int64_t bytes;
	bool exact;			/* the size of each frame is known */
	bool has_main;
	struct place main;		/* the outermost frame in main(), and the bytes up to */
	int64_t up_to_main;		/* its call; -1: not known */
};

static bool is_kernel(enum stacks_kind kind)
{
	return kind == STACKS_KERNEL || kind == STACKS_KERNEL_RETURN;
}

static void sum_add(struct sum *sum, const struct stacks_code *code,
		    const struct stacks_frame *frame)
{
	int64_t bytes;

	switch (frame->kind) {
	case STACKS_LEAF:
	case STACKS_CALL:
	case STACKS_UNWOUND:
		if (!frame->pointed && code->frame(code->ctx, frame->place, frame->entered, &bytes))
			sum->bytes += bytes;
		else
			sum->exact = false;
		break;
	case STACKS_TAIL_CALL:
		break;
	default:
		sum->exact = false;
		break;
	}
}

static struct sum sum_of(const struct stacks_code *code, const struct stacks_stack *stack)
{
	struct sum sum = { .exact = true };

	for (size_t i = 0; i < stack->nr_frames; i++) {
		const struct stacks_frame *frame = &stack->frames[i];

		if (is_kernel(frame->kind))
			continue;
		sum_add(&sum, code, frame);
		if (frame->kind == STACKS_TAIL_CALL || !code->in_main(code->ctx, frame->place))
			continue;
		sum.has_main = true;
		sum.main = frame->place;
		sum.up_to_main = sum.exact ? sum.bytes : -1;
	}
	return sum;
}

/* Whether a signal handler runs: it may have its own stack, and has the kernel's data on it. */
static bool has_handler(const struct stacks_stack *stack)
{
	for (size_t i = 0; i < stack->nr_frames; i++)
		if (stack->frames[i].kind == STACKS_INTERRUPTED)
			return true;
	return false;
}

static bool is_other_stack(int64_t depth)
{
	return depth < SMALLEST_STACK || depth > LARGEST_STACK;
}

bool proof_is_other_stack(const struct stacks_sample *s)
{
	return s->stack_known && s->stack > STACKS_NO_DEPTH && is_other_stack(s->stack);
}

/* Whether the stack ends in code that was not called, and not only in main(). */
static bool is_at_entry(const struct stacks_code *code, const struct stacks_stack *stack)
{
	return code->outermost(code->ctx, stack->frames[stack->nr_frames - 1].place);
}

/* Whether a stack that reaches the entry, or main(), has the recorded depth. */
static enum stacks_answer is_so_deep(const struct stacks_code *code,
				     const struct stacks_stack *stack, const struct sum *sum,
				     int64_t depth)
{
	int64_t beneath;

	if (sum->bytes > depth || is_other_stack(depth))
		return STACKS_NO;
	if (is_at_entry(code, stack)) {
		if (!sum->exact)
			return STACKS_UNKNOWN;
		if (sum->bytes == depth && sum->has_main)
			code->tell_beneath_main(code->ctx, sum->main, depth - sum->up_to_main);
		return sum->bytes == depth ? STACKS_YES : STACKS_NO;
	}
	if (!sum->has_main || sum->up_to_main < 0 ||
	    !code->beneath_main(code->ctx, sum->main, &beneath))
		return STACKS_UNKNOWN;
	return sum->up_to_main + beneath == depth ? STACKS_YES : STACKS_NO;
}

/* The same for any stack. The frames of a broken one may be on another stack. */
static enum stacks_answer is_possible(const struct stacks_code *code,
				      const struct stacks_stack *stack, const struct sum *sum,
				      int64_t depth)
{
	if (stack->evidence & (EVIDENCE(ENTRY) | EVIDENCE(MAIN)))
		return is_so_deep(code, stack, sum, depth);
	return sum->bytes > depth || (is_other_stack(depth) &&
		verdict_of(stack->evidence)->verdict == STACKS_BROKEN) ? STACKS_NO : STACKS_UNKNOWN;
}

/* Whether a depth was recorded that applies to all frames. */
static bool has_depth(const struct stacks_sample *s)
{
	return s->stack_known && s->stack > STACKS_NO_DEPTH && s->leaf_known && !s->leaf_inferred &&
	       !s->history;
}

/* Compares the depth of the frames with that of the stack. Of frames with another depth those remain
 * that memory shows. */
static void collect_depth(const struct stacks_sample *s, const struct stacks_code *code,
			  struct stacks_stack *stack)
{
	const size_t leaf = s->nr_kernel + 1;
	struct sum sum = sum_of(code, stack);

	switch (is_possible(code, stack, &sum, s->stack)) {
	case STACKS_NO:
		stack->evidence |= EVIDENCE(OTHER_DEPTH);
		stack->nr_frames = stack->proven > leaf ? stack->proven : leaf;
		stack->open = false;
		return;
	case STACKS_YES:
		stack->evidence |= EVIDENCE(DEPTH);
		break;
	case STACKS_UNKNOWN:
		if (!sum.exact)
			stack->evidence |= EVIDENCE(NO_SIZE);
		break;
	}
	if (!is_at_entry(code, stack))
		stack->evidence |= EVIDENCE(BENEATH);
}

void proof_collect(const struct stacks_sample *s, const struct stacks_code *code,
		   struct stacks_stack *stack)
{
	if (stack->nr_frames <= s->nr_kernel)
		return;
	if (s->nr_unwound && stack->proven == stack->nr_frames)
		stack->evidence |= EVIDENCE(MEMORY);
	if (!s->has_lbr || stack->evidence & EVIDENCE(MEMORY))
		return;
	if (has_handler(stack))
		stack->evidence |= EVIDENCE(HANDLER);
	else if (has_depth(s))
		collect_depth(s, code, stack);
	if (stack->guessed)
		stack->evidence |= EVIDENCE(GUESS);
	if (s->doubted)
		stack->evidence |= EVIDENCE(AUDITED);
}
