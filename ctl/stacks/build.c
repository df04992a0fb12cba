// SPDX-License-Identifier: GPL-2.0
/* Builds the stack that a sample proves. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "stacks/build.h"
#include "stacks/check.h"
#include "stacks/doubt.h"
#include "stacks/proof.h"
#include "stacks/reach.h"

void stacks_free(struct stacks_stack *stack)
{
	free(stack->frames);
	memset(stack, 0, sizeof(*stack));
}

/* Makes room for every frame that the sample can give: each LBR entry and return address is a
 * caller and perhaps an inferred one. */
static int stack_reserve(const struct stacks_sample *s, struct stacks_stack *stack)
{
	return room_for(&stack->frames, s->nr_kernel + 2 + 2 * s->nr_lbr +
			s->nr_chain + 2 * s->nr_unwound, &stack->max_frames,
			sizeof(*stack->frames));
}

static void push(struct stacks_stack *stack, struct place place, enum stacks_kind kind)
{
	stack->frames[stack->nr_frames++] = (struct stacks_frame){ .place = place, .kind = kind };
}

/* The outermost frame so far was called at `entered`. */
static void enter(struct stacks_stack *stack, struct place entered)
{
	if (stack->nr_frames)
		stack->frames[stack->nr_frames - 1].entered = entered;
}

/* Whether the function called at `entered` can be where the frame inside it is. Adds a function
 * that left by a jump in between. If one of them is not known, the answer is yes. */
static bool add_lead(const struct stacks_code *code, struct place entered,
		     struct place inner, struct stacks_stack *stack)
{
	if (!maps_is_known(entered) || !maps_is_known(inner))
		return true;
	switch (code->lead(code->ctx, entered, inner)) {
	case STACKS_LEAD_NONE:
		return false;
	case STACKS_LEAD_GUESS:
		stack->guessed++;
		/* fall through */
	case STACKS_LEAD_JUMP:
		push(stack, entered, STACKS_TAIL_CALL);
		break;
	case STACKS_LEAD_UNKNOWN:
		stack->unverified++;
		/* fall through */
	case STACKS_LEAD_SAME:
	case STACKS_LEAD_STUB:
		enter(stack, entered);
		break;
	}
	return true;
}

/* LBR and stack contradict. Continue with the stack, which came from memory and registers. */
static void dispute(struct builder *b)
{
	b->agreed = b->stack->nr_frames;
	b->lbr = b->sample->nr_lbr;
}

/* Whether the next address of the recorded stack rests on a frame pointer. */
static bool is_pointed(const struct builder *b)
{
	return b->sample->pointed && b->unwound >= b->sample->pointed;
}

/* Marks the frame that was added last: a frame pointer led there, and nothing else shows it. Functions
 * that left by a jump on the way there lie before it. */
static void mark_pointed(struct builder *b, bool followed, bool pointed)
{
	struct stacks_frame *frames = b->stack->frames;
	size_t i = b->stack->nr_frames - 1;

	frames[i].pointed = pointed;
	frames[i].followed = followed;
	while (i && frames[i - 1].kind == STACKS_TAIL_CALL)
		frames[--i].followed = followed;
	b->by_pointer |= pointed;
}

/* Adds the frame of the next address of the recorded stack, which only that shows. */
static void push_unwound(struct builder *b, struct place place, enum stacks_kind kind)
{
	const bool pointed = is_pointed(b);

	push(b->stack, b->inner = place, kind);
	mark_pointed(b, pointed, pointed);
	b->unwound++;
	if (!pointed)
		b->stack->proven = b->stack->nr_frames;
}

/* Whether the recorded stack ends further in: it begins there, or returns to an address in no
 * mapped file, which is not where this entry called from. */
static bool is_beyond_end(const struct stacks_sample *s, const struct stacks_branch *entry)
{
	return s->unwound_end == STACKS_END_ENTRY || (s->unwound_end == STACKS_END_NOWHERE &&
		s->nr_unwound && entry->from.file != MAPS_NOTHING);
}

/* Whether the recorded stack has the return address of this entry's call. */
static enum stacks_answer returns_here(const struct builder *b, const struct stacks_branch *entry)
{
	return check_returns_to(b->code, entry, b->sample->unwound[b->unwound]);
}

/* Whether a frame pointer skipped the caller of this entry: a function that has no frame of its own
 * hides it. Then an entry further out is the call of the return address that it led to. The innermost
 * function may be before or behind its frame. */
static bool is_hidden(const struct builder *b, const struct stacks_branch *entry)
{
	const struct stacks_sample *s = b->sample;

	if (!is_pointed(b))
		return false;
	for (const struct stacks_branch *e = entry + 1; e < s->lbr + s->nr_lbr; e++) {
		if (e - 1 > s->lbr && check_has_pointer(b->code, e - 1))
			return false;
		if (returns_here(b, e) != STACKS_NO)
			return true;
	}
	return false;
}

/* LBR and stack contradict each other behind a frame pointer, which may have led anywhere: only a
 * stack that reaches the thread's entry is preferred to the LBR. */
static void dispute_pointer(struct builder *b)
{
	if (b->sample->unwound_end == STACKS_END_ENTRY) {
		dispute(b);
		return;
	}
	b->misled = true;
	b->unwound = b->sample->nr_unwound;
}

/* Whether this call was the last one on another stack. Goroutines and longjmp() switch stacks
 * by such calls. The inner frames run where the LBR has no information. */
static bool is_switch(const struct builder *b, const struct stacks_branch *entry)
{
	const struct stacks_code *code = b->code;

	return maps_is_known(b->inner) && maps_is_known(entry->to) &&
	       code->switches(code->ctx, entry->to) &&
	       code->lead(code->ctx, entry->to, b->inner) == STACKS_LEAD_NONE &&
	       !check_is_no_call(code, entry);
}

static bool add_signal(struct builder *b, const struct stacks_branch *entry)
{
	if (!add_lead(b->code, entry->to, b->inner, b->stack)) {
		reach_contradiction(b, EVIDENCE(NO_HANDLER));
		return false;
	}
	push(b->stack, b->inner = entry->from, STACKS_INTERRUPTED);
	b->lbr++;
	return true;
}

/* Whether the code and the stack have nothing to say about this call but that it is one. */
static bool is_plain(const struct builder *b, const struct stacks_branch *entry)
{
	const struct stacks_code *code = b->code;

	return b->unwound >= b->sample->nr_unwound && !is_beyond_end(b->sample, entry) &&
	       code->link(code->ctx, entry, b->inner) != STACKS_NO_LINK;
}

/* Whether the code at a place can be read. */
static bool is_readable(const struct stacks_code *code, struct place place)
{
	struct place target;

	return code->call(code->ctx, place, &target) != STACKS_CALL_UNKNOWN;
}

/* Adds the function that this call entered, if it can be where the frame inside it is; else returns
 * false. If no code confirms that, although it can be read, the call may have been left without a
 * return, and the frame inside it may have another caller. */
static bool add_entered(struct builder *b, const struct stacks_branch *entry, bool in_memory)
{
	struct stacks_stack *stack = b->stack;
	const size_t unverified = stack->unverified, frames = stack->nr_frames;

	if (!add_lead(b->code, entry->to, b->inner, stack))
		return false;
	if (stack->unverified > unverified && !in_memory && !stack->doubtful &&
	    is_readable(b->code, entry->to) && is_readable(b->code, b->inner))
		stack->doubtful = frames;
	return true;
}

/* Adds the caller that the LBR shows. Returns false at the end. */
static bool add_recorded(struct builder *b)
{
	const struct stacks_sample *s = b->sample;
	const struct stacks_branch *entry = &s->lbr[b->lbr];
	const size_t unverified = b->stack->unverified;
	enum stacks_answer same = STACKS_UNKNOWN;
	bool hidden = false;
	uint64_t wrong;

	if (is_plain(b, entry)) {
		enter(b->stack, entry->to);
		push(b->stack, b->inner = entry->from, STACKS_CALL);
		b->lbr++;
		return true;
	}
	if (is_switch(b, entry)) {
		b->switched = true;
		b->lbr = s->nr_lbr;
		return true;
	}
	if (b->unwound < s->nr_unwound)
		same = returns_here(b, entry);
	else if (!b->misled && is_beyond_end(s, entry))
		same = STACKS_NO;
	else if (check_is_signal(b->code, s, entry))
		return add_signal(b, entry);
	if (same == STACKS_NO && b->unwound < s->nr_unwound)
		hidden = is_hidden(b, entry);
	if (same == STACKS_NO && !hidden) {
		if (is_pointed(b))
			dispute_pointer(b);
		else
			dispute(b);
		return true;
	}
	wrong = check_call(b->code, entry, &b->stack->unverified);
	if (!wrong && !add_entered(b, entry, same == STACKS_YES))
		wrong = EVIDENCE(NEIGHBOURS);
	/* It did not call what runs: it was left without a return, and nothing is hidden. */
	if (wrong && hidden) {
		dispute_pointer(b);
		return true;
	}
	/* Both LBR and stack show this call: accept it, although the way to it is unknown. */
	if (wrong && same == STACKS_YES && (b->lbr || b->leaf_unwound)) {
		b->stack->unverified++;
	} else if (wrong) {
		reach_contradiction(b, wrong);
		return false;
	}
	if (!b->sure && !maps_is_known(entry->to) && same != STACKS_YES)
		b->sure = b->stack->nr_frames;
	push(b->stack, b->inner = entry->from, STACKS_CALL);
	/* A frame pointer may lack the same caller as an LBR that lost an entry. */
	mark_pointed(b, hidden || (is_pointed(b) && b->unwound < s->nr_unwound),
		     hidden || (is_pointed(b) && b->stack->unverified > unverified));
	b->lbr++;
	if (!hidden && b->unwound < s->nr_unwound) {
		if (!is_pointed(b))
			b->stack->proven = b->stack->nr_frames;
		b->unwound++;
		b->by_stack = true;
	}
	return true;
}

/* The next address of the recorded stack is not that of a caller. Returns false. */
static bool no_caller(struct builder *b, uint64_t wrong)
{
	if (is_pointed(b))
		b->misled = true;
	else
		reach_contradiction(b, wrong);
	return false;
}

/* The next address of the recorded stack is behind a call of another function. If call frame information
 * alone led from there to the thread's entry, the code has a jump that cannot be seen. longjmp() is on
 * the stack that it goes to, and was not called from there. */
static bool no_way(struct builder *b)
{
	if (b->sample->pointed || b->sample->unwound_end != STACKS_END_ENTRY ||
	    b->code->switches(b->code->ctx, b->inner))
		return no_caller(b, EVIDENCE(BACK_BEHIND_OTHER));
	b->stack->evidence |= EVIDENCE(NO_WAY);
	b->stack->unverified++;
	return true;
}

/* Adds the caller that only the recorded stack shows. Returns false at the end. */
static bool add_unwound(struct builder *b)
{
	struct place back = b->sample->unwound[b->unwound], from, target;

	switch (b->code->call_before(b->code->ctx, back, &from, &target)) {
	case STACKS_CALL_NONE:
		return no_caller(b, EVIDENCE(BACK_BEHIND_NONE));
	case STACKS_CALL_DIRECT:
		if (!add_lead(b->code, target, b->inner, b->stack) && !no_way(b))
			return false;
		break;
	case STACKS_CALL_INDIRECT:
		break;
	case STACKS_CALL_UNKNOWN:
		b->stack->unverified++;
		break;
	}
	push_unwound(b, from, STACKS_UNWOUND);
	b->by_stack = true;
	return true;
}

static bool is_signal(const struct builder *b, struct place insn)
{
	return b->code->signal(b->code->ctx, insn);
}

/* Adds the code that a signal handler interrupted, which may be the end of another handler. */
static bool add_interrupted(struct builder *b)
{
	const struct stacks_sample *s = b->sample;

	do {
		if (b->unwound == s->nr_unwound)
			return false;
		push_unwound(b, s->unwound[b->unwound], STACKS_INTERRUPTED);
		if (b->lbr < s->nr_lbr &&
		    (check_is_signal(b->code, s, &s->lbr[b->lbr]) ||
		     check_is_delivery(b->code, s, &s->lbr[b->lbr], b->inner)))
			b->lbr++;
	} while (is_signal(b, b->inner));
	return true;
}

static bool add_caller(struct builder *b)
{
	const struct stacks_sample *s = b->sample;
	bool unwound = b->unwound < s->nr_unwound;
	struct place back;

	/* The kernel calls a signal handler, which the LBR does not record. It returns to the
	 * beginning of a function. */
	if (unwound) {
		back = s->unwound[b->unwound];
		if (is_signal(b, (struct place){ back.file, back.addr - 1 })) {
			push_unwound(b, back, STACKS_SIGNAL);
			return add_interrupted(b);
		}
	}
	if (b->lbr < s->nr_lbr)
		return add_recorded(b);
	return unwound && add_unwound(b);
}

static void build_calls(const struct stacks_sample *s,
			const struct stacks_code *code,
			struct stacks_stack *stack)
{
	struct builder b = { s, code, stack, .inner = s->leaf, .unwound = 1 };

	if (s->leaf_known)
		push(stack, s->leaf, s->leaf_inferred ? STACKS_LEAF_INFERRED : STACKS_LEAF);
	else if (s->nr_lbr && maps_is_known(s->lbr[0].to))
		push(stack, b.inner = s->lbr[0].to, STACKS_LEAF_INFERRED);
	b.leaf_unwound = s->leaf_known && s->nr_unwound &&
			 maps_same_place(s->leaf, s->unwound[0]);
	b.by_stack = b.leaf_unwound;
	/* If the registers are not those of the sampled address, only the LBR may show how one
	 * is called from the other. */
	if (!s->nr_unwound || (!s->nr_lbr && !b.leaf_unwound))
		b.unwound = s->nr_unwound;
	if (!b.leaf_unwound || !is_signal(&b, s->leaf) || add_interrupted(&b))
		while (add_caller(&b))
			;
	reach_collect(&b);
}

/* Without an LBR there is only the kernel's walk along frame pointers, and nothing to check it
 * against: it may be wrong at any function without a frame pointer. */
static void build_from_chain(const struct stacks_sample *s, struct stacks_stack *stack)
{
	if (s->leaf_known)
		push(stack, s->leaf, STACKS_LEAF);
	for (size_t i = 0; i < s->nr_chain; i++)
		push(stack, s->chain[i], STACKS_RETURN);
	stack->unverified += s->nr_chain;
	stack->evidence |= s->nr_chain ? EVIDENCE(WALK) : EVIDENCE(ADDRESS);
}

/* Gives the stack its verdict, from the evidence so far, and counts its frames. */
static void conclude(struct stacks_stack *stack)
{
	stack->why = verdict_of(stack->evidence);
	stack->verdict = stack->why->verdict;
	stack->inferred = 0;
	stack->unwound = 0;
	stack->pointed = 0;
	stack->stitched = 0;
	for (size_t i = 0; i < stack->nr_frames; i++) {
		stack->inferred += stack->frames[i].kind == STACKS_TAIL_CALL;
		stack->unwound += stacks_is_unwound(stack->frames[i].kind);
		stack->pointed += stack->frames[i].pointed;
		stack->stitched += stacks_is_stitched(stack->frames[i].kind);
	}
}

int stacks_build(const struct stacks_sample *s, const struct stacks_code *code,
		 struct stacks_stack *stack)
{
	*stack = (struct stacks_stack){ .frames = stack->frames, .max_frames = stack->max_frames };
	if (stack_reserve(s, stack))
		return -1;
	for (size_t i = 0; i < s->nr_kernel; i++)
		push(stack, s->kernel[i],
		     i ? STACKS_KERNEL_RETURN : STACKS_KERNEL);
	if (!s->has_user)
		stack->evidence |= EVIDENCE(NO_USER);
	else if (s->has_lbr || s->nr_unwound)
		build_calls(s, code, stack);
	else
		build_from_chain(s, stack);
	proof_collect(s, code, stack);
	conclude(stack);
	if (doubt_has_callers(stack))
		stacks_cut(stack, stack->doubtful);
	return 0;
}

void stacks_cut(struct stacks_stack *stack, size_t nr)
{
	stack->nr_frames = nr;
	stack->open = false;
	stack->evidence |= EVIDENCE(LEFT);
	conclude(stack);
}

void stacks_settle(const struct stacks_sample *s, const struct stacks_code *code,
		   struct stacks_stack *stack)
{
	doubt_drop_levels(s, code, stack);
	conclude(stack);
}

int stacks_stitch(struct stacks_stack *stack, const struct stacks_code *code,
		  const struct stacks_caller *callers, size_t nr)
{
	size_t before = stack->nr_frames, unverified = stack->unverified;
	bool whole = stack->verdict == STACKS_COMPLETE;
	struct place inner;

	if (!stack->open || !nr)
		return 0;
	if (room_for(&stack->frames, before + 2 * nr, &stack->max_frames,
		     sizeof(*stack->frames)))
		return -1;
	inner = stack->frames[before - 1].place;
	for (size_t i = 0; i < nr; i++) {
		const struct stacks_caller *c = &callers[i];

		if (check_call(code, &c->call, &stack->unverified) ||
		    !add_lead(code, c->call.to, inner, stack)) {
			stack->nr_frames = before;
			stack->unverified = unverified;
			return 0;
		}
		inner = c->call.from;
		push(stack, c->somewhere ? c->function : inner,
		     c->somewhere ? STACKS_STITCHED_SOMEWHERE : STACKS_STITCHED);
	}
	stack->open = !code->outermost(code->ctx, inner);
	if (!stack->open)
		stack->evidence |= EVIDENCE(ENTRY);
	reach_main(stack, code);
	/* A known caller of a function need not have called it this time. */
	if (!whole)
		stack->evidence |= EVIDENCE(STITCHED);
	conclude(stack);
	return 0;
}
