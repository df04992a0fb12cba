// SPDX-License-Identifier: GPL-2.0
/* Builds the stack that a sample proves, and gives it its verdict. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "stacks/build.h"
#include "stacks/proof.h"
#include "stacks/check.h"

static const char *const verdict_names[STACKS_NR_VERDICTS] = {
	[STACKS_COMPLETE] = "complete",
	[STACKS_TRUNCATED] = "truncated",
	[STACKS_PARTIAL] = "partial",
	[STACKS_BROKEN] = "broken",
	[STACKS_DISPUTED] = "disputed",
	[STACKS_UNPROVED] = "unproved",
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
	stack->frames[stack->nr_frames++] = (struct stacks_frame){ place, kind };
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
		break;
	case STACKS_LEAD_SAME:
	case STACKS_LEAD_STUB:
		break;
	}
	return true;
}

/* The state while a stack is built, from its innermost user frame out. */
struct builder {
	const struct stacks_sample *sample;
	const struct stacks_code *code;
	struct stacks_stack *stack;
	struct place inner;		/* the frame whose caller is added next */
	size_t lbr, unwound;		/* index of the next of these */
	bool leaf_unwound;		/* the unwound callers begin at the leaf, */
	bool by_stack;			/* or join the stack at a later frame */
	bool switched;			/* the remaining LBR entries belong to another stack */
	size_t agreed;			/* frames before the LBR was disputed; 0: it is not */
	size_t sure;			/* frames inside of the innermost call with an unknown
					 * target; 0: all targets are known */
};

/* The contradiction may come from a call that could not be checked: drop the frames from
 * there. */
static void break_off(struct builder *b, const char *reason)
{
	if (b->sure && b->sure < b->stack->nr_frames)
		b->stack->nr_frames = b->sure;
	b->stack->verdict = STACKS_BROKEN;
	b->stack->reason = reason;
}

/* LBR and stack contradict. Continue with the stack, which came from memory and registers. */
static void dispute(struct builder *b)
{
	b->agreed = b->stack->nr_frames;
	b->lbr = b->sample->nr_lbr;
}

/* Whether the recorded stack has the return address of this entry's call. */
static enum stacks_answer returns_here(const struct builder *b,
				       const struct stacks_branch *entry)
{
	struct place back = b->sample->unwound[b->unwound], target;
	struct place from = { MAPS_NOTHING, 0 };

	if (b->code->call_before(b->code->ctx, back, &from, &target) !=
	    STACKS_CALL_UNKNOWN)
		return maps_same_place(from, entry->from) ? STACKS_YES : STACKS_NO;
	/* No instruction is longer than 15 bytes. */
	return back.file == entry->from.file && back.addr > entry->from.addr &&
	       back.addr - entry->from.addr <= 15 ? STACKS_UNKNOWN : STACKS_NO;
}

/* Whether the recorded stack ends further in: it begins there, or returns to an address in no
 * mapped file, which is not where this entry called from. */
static bool is_beyond_end(const struct stacks_sample *s, const struct stacks_branch *entry)
{
	return s->unwound_end == STACKS_END_ENTRY || (s->unwound_end == STACKS_END_NOWHERE &&
		s->nr_unwound && entry->from.file != MAPS_NOTHING);
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
		break_off(b, "an LBR entry enters a signal handler, but another function is "
			  "running");
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

/* Adds the caller that the LBR shows. Returns false at the end. */
static bool add_recorded(struct builder *b)
{
	const struct stacks_sample *s = b->sample;
	const struct stacks_branch *entry = &s->lbr[b->lbr];
	enum stacks_answer same = STACKS_UNKNOWN;
	const char *wrong;

	if (is_plain(b, entry)) {
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
	else if (is_beyond_end(s, entry))
		same = STACKS_NO;
	else if (check_is_signal(b->code, s, entry))
		return add_signal(b, entry);
	if (same == STACKS_NO) {
		dispute(b);
		return true;
	}
	wrong = check_call(b->code, entry, &b->stack->unverified);
	if (!wrong && !add_lead(b->code, entry->to, b->inner, b->stack))
		wrong = "neighbouring LBR entries disagree about the function between them";
	/* Both LBR and stack show this call: accept it, although the way to it is unknown. */
	if (wrong && same == STACKS_YES && (b->lbr || b->leaf_unwound)) {
		b->stack->unverified++;
	} else if (wrong) {
		break_off(b, wrong);
		return false;
	}
	if (!b->sure && !maps_is_known(entry->to) && same != STACKS_YES)
		b->sure = b->stack->nr_frames;
	push(b->stack, b->inner = entry->from, STACKS_CALL);
	b->lbr++;
	if (b->unwound < s->nr_unwound) {
		b->unwound++;
		b->by_stack = true;
		b->stack->proven = b->stack->nr_frames;
	}
	return true;
}

/* Adds the caller that only the recorded stack shows. Returns false at the end. */
static bool add_unwound(struct builder *b)
{
	struct place back = b->sample->unwound[b->unwound++], from, target;

	switch (b->code->call_before(b->code->ctx, back, &from, &target)) {
	case STACKS_CALL_NONE:
		break_off(b, "a return address in the recorded stack does not follow a call");
		return false;
	case STACKS_CALL_DIRECT:
		if (add_lead(b->code, target, b->inner, b->stack))
			break;
		break_off(b, "a return address in the recorded stack follows a call of another "
			  "function");
		return false;
	case STACKS_CALL_INDIRECT:
		break;
	case STACKS_CALL_UNKNOWN:
		b->stack->unverified++;
		break;
	}
	push(b->stack, b->inner = from, STACKS_UNWOUND);
	b->by_stack = true;
	b->stack->proven = b->stack->nr_frames;
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
		push(b->stack, b->inner = s->unwound[b->unwound++],
		     STACKS_INTERRUPTED);
		b->stack->proven = b->stack->nr_frames;
		if (b->lbr < s->nr_lbr && check_is_signal(b->code, s, &s->lbr[b->lbr]))
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
			push(b->stack, back, STACKS_SIGNAL);
			b->unwound++;
			return add_interrupted(b);
		}
	}
	if (b->lbr < s->nr_lbr)
		return add_recorded(b);
	return unwound && add_unwound(b);
}

/* Whether the stack was followed through all of its recorded callers to its beginning. */
static bool reached_begin(const struct builder *b)
{
	const struct stacks_sample *s = b->sample;

	return s->unwound_end == STACKS_END_ENTRY && b->unwound == s->nr_unwound &&
	       b->by_stack;
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
		return "code without call frame information, which unwinding needs";
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

/* The outer frames belong to the C library and are always the same. It calls main() through
 * the address that it was given; any other caller of main() is the program itself. */
static void settle_at_main(struct stacks_stack *stack, const struct stacks_code *code)
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

static const char reaches_entry[] = "reaches the thread's entry";

static void judge(struct builder *b)
{
	const struct stacks_sample *s = b->sample;
	struct stacks_stack *stack = b->stack;
	bool whole = is_whole(b);

	/* A stack that returns to no mapped file has no caller to be found elsewhere. */
	stack->open = !whole && !b->agreed && stack->nr_frames > s->nr_kernel &&
		      (s->unwound_end != STACKS_END_NOWHERE || !s->nr_unwound);
	if (b->agreed && !whole) {
		stack->nr_frames = b->agreed;
		break_off(b, "the LBR and the recorded stack disagree");
	} else if (stack->verdict == STACKS_BROKEN) {
		return;
	} else if (whole) {
		stack->verdict = b->agreed ? STACKS_DISPUTED : STACKS_COMPLETE;
		stack->reason = b->agreed ?
			"the LBR disagrees with the recorded stack, which reaches the thread's entry" :
			reaches_entry;
	} else if (b->switched) {
		stack->verdict = STACKS_PARTIAL;
		stack->reason = "outer frames are on another stack: the thread switched stacks";
	} else if (s->unwound_end == STACKS_END_WINDOW && b->by_stack) {
		stack->verdict = STACKS_TRUNCATED;
		stack->reason = "the stack continues beyond the recorded window";
	} else if (!s->history && s->depth && s->nr_lbr >= s->depth) {
		stack->verdict = STACKS_TRUNCATED;
		stack->reason = "deeper than the LBR";
	} else {
		judge_history(s, stack);
	}
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
	judge(&b);
	settle_at_main(stack, code);
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
	stack->verdict = STACKS_PARTIAL;
	stack->reason = "no LBR call stack to check against";
}

static void count_kinds(struct stacks_stack *stack)
{
	stack->inferred = 0;
	stack->unwound = 0;
	stack->stitched = 0;
	for (size_t i = 0; i < stack->nr_frames; i++) {
		stack->inferred += stack->frames[i].kind == STACKS_TAIL_CALL;
		stack->unwound += stacks_is_unwound(stack->frames[i].kind);
		stack->stitched += stacks_is_stitched(stack->frames[i].kind);
	}
}

int stacks_build(const struct stacks_sample *s, const struct stacks_code *code,
		 struct stacks_stack *stack)
{
	*stack = (struct stacks_stack){ .frames = stack->frames, .max_frames = stack->max_frames,
					.verdict = STACKS_PARTIAL };
	if (stack_reserve(s, stack))
		return -1;
	for (size_t i = 0; i < s->nr_kernel; i++)
		push(stack, s->kernel[i],
		     i ? STACKS_KERNEL_RETURN : STACKS_KERNEL);
	if (!s->has_user) {
		stack->verdict = STACKS_NO_USER;
		stack->reason = "no user stack";
	} else if (s->has_lbr || s->nr_unwound) {
		build_calls(s, code, stack);
	} else {
		build_from_chain(s, stack);
	}
	proof_judge(s, code, stack);
	count_kinds(stack);
	return 0;
}

void stacks_cut(struct stacks_stack *stack, size_t nr)
{
	stack->nr_frames = nr;
	stack->open = false;
	if (stack->verdict != STACKS_BROKEN) {
		stack->verdict = STACKS_PARTIAL;
		stack->reason = "outer frames may be calls that were left without a return";
	}
	count_kinds(stack);
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
	if (!stack->open) {
		stack->verdict = STACKS_COMPLETE;
		stack->reason = reaches_entry;
	}
	settle_at_main(stack, code);
	/* A known caller of a function need not have called it this time. */
	if (stack->verdict == STACKS_COMPLETE && !whole) {
		stack->verdict = STACKS_UNPROVED;
		stack->reason = "outer frames come from other samples of the thread";
	}
	count_kinds(stack);
	return 0;
}
