// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "stacks.h"

static const char *const verdict_names[STACKS_NR_VERDICTS] = {
	[STACKS_COMPLETE] = "complete",
	[STACKS_TRUNCATED] = "truncated",
	[STACKS_PARTIAL] = "partial",
	[STACKS_BROKEN] = "broken",
	[STACKS_NO_USER] = "kernel only",
};

const char *stacks_verdict_name(enum stacks_verdict verdict)
{
	return verdict_names[verdict];
}

void stacks_free(struct stacks_stack *stack)
{
	free(stack->frames);
	memset(stack, 0, sizeof(*stack));
}

/* Room for every frame that the sample can give: each LBR entry is a caller and
 * perhaps an inferred one. */
static int stack_reserve(const struct stacks_sample *s,
			 struct stacks_stack *stack)
{
	size_t need = s->nr_kernel + 2 + 2 * s->nr_lbr + s->nr_chain;
	struct stacks_frame *frames;

	if (need <= stack->max_frames)
		return 0;
	frames = realloc(stack->frames, need * sizeof(*frames));
	if (!frames)
		return -1;
	stack->frames = frames;
	stack->max_frames = need;
	return 0;
}

static void push(struct stacks_stack *stack, struct place place,
		 enum stacks_kind kind)
{
	stack->frames[stack->nr_frames++] = (struct stacks_frame){ place, kind };
}

static bool same_place(struct place a, struct place b)
{
	return a.file == b.file && a.addr == b.addr;
}

/* Is `from` a call that goes where the entry says? NULL, or what is wrong. */
static const char *check_call(const struct stacks_code *code,
			      const struct stacks_branch *entry,
			      struct stacks_stack *stack)
{
	struct place target = entry->to;

	switch (code->call(code->ctx, entry->from, &target)) {
	case STACKS_CALL_NONE:
		return "an LBR entry comes from an instruction that is no call";
	case STACKS_CALL_DIRECT:
		if (!same_place(target, entry->to))
			return "an LBR entry goes elsewhere than its call";
		return NULL;
	case STACKS_CALL_INDIRECT:
		break;
	case STACKS_CALL_UNKNOWN:
		stack->unverified++;
		break;
	}
	switch (code->entry(code->ctx, entry->to)) {
	case STACKS_NO:
		return "an LBR entry goes into the middle of a function";
	case STACKS_YES:
		break;
	case STACKS_UNKNOWN:
		stack->unverified++;
		break;
	}
	return NULL;
}

/* One entry: its callee must be where the frame inside it is. NULL, or what is
 * wrong; then nothing was added. */
static const char *add_caller(const struct stacks_code *code,
			      const struct stacks_branch *entry,
			      struct place inner, struct stacks_stack *stack)
{
	const char *wrong = check_call(code, entry, stack);

	if (wrong)
		return wrong;
	switch (code->lead(code->ctx, entry->to, inner)) {
	case STACKS_LEAD_NONE:
		return "neighbouring LBR entries disagree about the function between them";
	case STACKS_LEAD_JUMP:
		push(stack, entry->to, STACKS_TAIL_CALL);
		stack->inferred++;
		break;
	case STACKS_LEAD_UNKNOWN:
		stack->unverified++;
		break;
	case STACKS_LEAD_SAME:
	case STACKS_LEAD_STUB:
		break;
	}
	push(stack, entry->from, STACKS_CALL);
	return NULL;
}

static void build_from_lbr(const struct stacks_sample *s,
			   const struct stacks_code *code,
			   struct stacks_stack *stack)
{
	struct place inner = s->leaf;
	const char *wrong;

	if (s->leaf_known)
		push(stack, s->leaf, STACKS_LEAF);
	else if (s->nr_lbr)
		push(stack, inner = s->lbr[0].to, STACKS_LEAF_INFERRED);
	for (size_t i = 0; i < s->nr_lbr; i++) {
		wrong = add_caller(code, &s->lbr[i], inner, stack);
		if (wrong) {
			stack->verdict = STACKS_BROKEN;
			stack->reason = wrong;
			return;
		}
		inner = s->lbr[i].from;
	}
	if ((s->leaf_known || s->nr_lbr) && code->outermost(code->ctx, inner)) {
		stack->verdict = STACKS_COMPLETE;
		stack->reason = "reaches the thread's entry";
	} else if (s->depth && s->nr_lbr >= s->depth) {
		stack->verdict = STACKS_TRUNCATED;
		stack->reason = "deeper than the LBR";
	} else {
		stack->verdict = STACKS_PARTIAL;
		stack->reason = "outer frames were not in the LBR";
	}
}

/* Without an LBR there is only the kernel's walk along frame pointers, and nothing
 * to hold it against: it may be wrong wherever a function has none. */
static void build_from_chain(const struct stacks_sample *s,
			     struct stacks_stack *stack)
{
	if (s->leaf_known)
		push(stack, s->leaf, STACKS_LEAF);
	for (size_t i = 0; i < s->nr_chain; i++)
		push(stack, s->chain[i], STACKS_RETURN);
	stack->unverified += s->nr_chain;
	stack->verdict = STACKS_PARTIAL;
	stack->reason = "no LBR call stack to check it with";
}

int stacks_build(const struct stacks_sample *s, const struct stacks_code *code,
		 struct stacks_stack *stack)
{
	stack->nr_frames = 0;
	stack->inferred = 0;
	stack->unverified = 0;
	if (stack_reserve(s, stack))
		return -1;
	for (size_t i = 0; i < s->nr_kernel; i++)
		push(stack, s->kernel[i],
		     i ? STACKS_KERNEL_RETURN : STACKS_KERNEL);
	if (!s->has_user) {
		stack->verdict = STACKS_NO_USER;
		stack->reason = "no user stack";
	} else if (s->has_lbr) {
		build_from_lbr(s, code, stack);
	} else {
		build_from_chain(s, stack);
	}
	return 0;
}
