// SPDX-License-Identifier: GPL-2.0
/* ctl/stacks/build.c: one recorded sample for each verdict and each way to it. */
#include "test.h"

#include "toy_code.h"

struct expected {
	enum stacks_verdict verdict;
	size_t inferred, unverified, nr;
	struct { uint64_t addr; enum stacks_kind kind; } frames[8];
};

struct stack_case {
	const char *name;
	size_t depth;
	uint64_t leaf;			/* 0: not known */
	size_t nr_lbr;
	struct stacks_branch lbr[4];
	struct expected expected;
};

static const struct stack_case cases[] = {
	{ "complete", 32, 0x455, 3, { CALL(3), CALL(2), CALL(1) },
	  { STACKS_COMPLETE, 0, 0, 4,
	    { { 0x455, STACKS_LEAF }, { 0x310, STACKS_CALL },
	      { 0x210, STACKS_CALL }, { 0x110, STACKS_CALL } } } },
	{ "complete at exactly the LBR's depth", 3, 0x455, 3,
	  { CALL(3), CALL(2), CALL(1) },
	  { STACKS_COMPLETE, 0, 0, 4,
	    { { 0x455, STACKS_LEAF }, { 0x310, STACKS_CALL },
	      { 0x210, STACKS_CALL }, { 0x110, STACKS_CALL } } } },
	{ "complete without a call", 32, 0x155, 0, { },
	  { STACKS_COMPLETE, 0, 0, 1, { { 0x155, STACKS_LEAF } } } },
	{ "truncated", 2, 0x555, 2, { CALL(4), CALL(3) },
	  { STACKS_TRUNCATED, 0, 0, 3,
	    { { 0x555, STACKS_LEAF }, { 0x410, STACKS_CALL },
	      { 0x310, STACKS_CALL } } } },
	{ "partial", 32, 0x555, 2, { CALL(4), CALL(3) },
	  { STACKS_PARTIAL, 0, 0, 3,
	    { { 0x555, STACKS_LEAF }, { 0x410, STACKS_CALL },
	      { 0x310, STACKS_CALL } } } },
	{ "partial with an empty LBR", 32, 0x555, 0, { },
	  { STACKS_PARTIAL, 0, 0, 1, { { 0x555, STACKS_LEAF } } } },
	{ "a from that is no call", 32, 0x455, 2,
	  { CALL(3), { AT(2, 0x30), AT(3, 0) } },
	  { STACKS_BROKEN, 0, 0, 2,
	    { { 0x455, STACKS_LEAF }, { 0x310, STACKS_CALL } } } },
	{ "a direct call that goes elsewhere", 32, 0x455, 1,
	  { { AT(2, 0x10), AT(4, 0) } },
	  { STACKS_BROKEN, 0, 0, 1, { { 0x455, STACKS_LEAF } } } },
	{ "a to that is no entry", 32, 0x455, 1,
	  { { AT(2, 0x20), AT(4, 0x30) } },
	  { STACKS_BROKEN, 0, 0, 1, { { 0x455, STACKS_LEAF } } } },
	{ "a leaf in another function", 32, 0x955, 1, { CALL(1) },
	  { STACKS_BROKEN, 0, 0, 1, { { 0x955, STACKS_LEAF } } } },
	{ "neighbours that disagree", 32, 0x455, 2, { CALL(3), CALL(1) },
	  { STACKS_BROKEN, 0, 0, 2,
	    { { 0x455, STACKS_LEAF }, { 0x310, STACKS_CALL } } } },
	{ "through a PLT stub", 32, 0x955, 1, { { AT(1, 0x20), AT(STUB, 0) } },
	  { STACKS_COMPLETE, 0, 0, 2,
	    { { 0x955, STACKS_LEAF }, { 0x120, STACKS_CALL } } } },
	{ "through a tail call", 32, 0x955, 1, { { AT(1, 0x20), AT(TAIL, 0) } },
	  { STACKS_COMPLETE, 1, 0, 3,
	    { { 0x955, STACKS_LEAF }, { TAIL * 0x100, STACKS_TAIL_CALL },
	      { 0x120, STACKS_CALL } } } },
	{ "in the split-off part", 32, SPLIT * 0x100 + 5, 1,
	  { { AT(1, 0x20), AT(TAIL, 0) } },
	  { STACKS_COMPLETE, 0, 0, 2,
	    { { SPLIT * 0x100 + 5, STACKS_LEAF }, { 0x120, STACKS_CALL } } } },
	{ "code that cannot be read is no contradiction", 32, 0x955, 2,
	  { { AT(BLIND, 0x33), AT(BLIND, 0x44) }, { AT(1, 0x20), AT(BLIND, 0) } },
	  { STACKS_UNPROVED, 0, 4, 3,
	    { { 0x955, STACKS_LEAF }, { BLIND * 0x100 + 0x33, STACKS_CALL },
	      { 0x120, STACKS_CALL } } } },
	{ "no leaf address", 32, 0, 2, { CALL(2), CALL(1) },
	  { STACKS_UNPROVED, 0, 0, 3,
	    { { 0x300, STACKS_LEAF_INFERRED }, { 0x210, STACKS_CALL },
	      { 0x110, STACKS_CALL } } } },
	{ "main() is far enough", 32, 0x9155, 1, { CALL(MAIN) },
	  { STACKS_COMPLETE, 0, 0, 2,
	    { { 0x9155, STACKS_LEAF }, { 0x9010, STACKS_CALL } } } },
	{ "main(), and one of its callers", 32, 0x9155, 2,
	  { CALL(MAIN), { AT(4, 0x20), AT(MAIN, 0) } },
	  { STACKS_COMPLETE, 0, 0, 3,
	    { { 0x9155, STACKS_LEAF }, { 0x9010, STACKS_CALL }, { 0x420, STACKS_CALL } } } },
	{ "main(), and two of its callers", 32, 0x9055, 2,
	  { { AT(4, 0x20), AT(MAIN, 0) }, CALL(3) },
	  { STACKS_COMPLETE, 0, 0, 3,
	    { { 0x9055, STACKS_LEAF }, { 0x420, STACKS_CALL }, { 0x310, STACKS_CALL } } } },
	{ "main() that the program has called", 32, 0x9055, 1,
	  { { AT(MAIN - 1, 0x10), AT(MAIN, 0) } },
	  { STACKS_PARTIAL, 0, 0, 2,
	    { { 0x9055, STACKS_LEAF }, { 0x8f10, STACKS_CALL } } } },
	{ "main() too far within", 32, 0x9055, 3,
	  { { AT(4, 0x20), AT(MAIN, 0) }, CALL(3), CALL(2) },
	  { STACKS_PARTIAL, 0, 0, 4,
	    { { 0x9055, STACKS_LEAF }, { 0x420, STACKS_CALL }, { 0x310, STACKS_CALL },
	      { 0x210, STACKS_CALL } } } },
	{ "main(), and what was left in the LBR", 32, 0x9155, 2,
	  { CALL(MAIN), CALL(3) },
	  { STACKS_COMPLETE, 0, 0, 2,
	    { { 0x9155, STACKS_LEAF }, { 0x9010, STACKS_CALL } } } },
	{ "what is outside is on another stack", 3, 0x555, 3,
	  { CALL(4), { AT(2, 0x20), AT(SWITCH, 0) }, CALL(1) },
	  { STACKS_PARTIAL, 0, 0, 2,
	    { { 0x555, STACKS_LEAF }, { 0x410, STACKS_CALL } } } },
	{ "about to go to another stack", 32, SWITCH * 0x100 + 5, 2,
	  { { AT(2, 0x20), AT(SWITCH, 0) }, CALL(1) },
	  { STACKS_COMPLETE, 0, 0, 3,
	    { { SWITCH * 0x100 + 5, STACKS_LEAF }, { 0x220, STACKS_CALL },
	      { 0x110, STACKS_CALL } } } },
	{ "where it went is no call of this one", 32, 0x455, 2,
	  { CALL(3), { AT(2, 0x30), AT(SWITCH, 0) } },
	  { STACKS_BROKEN, 0, 0, 2,
	    { { 0x455, STACKS_LEAF }, { 0x310, STACKS_CALL } } } },
	{ "an indirect call of unknown target", 32, 0x455, 2,
	  { { AT(3, 0x20), NOWHERE }, { AT(1, 0x20), NOWHERE } },
	  { STACKS_COMPLETE, 0, 2, 3,
	    { { 0x455, STACKS_LEAF }, { 0x320, STACKS_CALL },
	      { 0x120, STACKS_CALL } } } },
	{ "an indirect call from code that cannot be read", 32, 0x955, 1,
	  { { AT(BLIND, 0x33), NOWHERE } },
	  { STACKS_PARTIAL, 0, 2, 2,
	    { { 0x955, STACKS_LEAF }, { BLIND * 0x100 + 0x33, STACKS_CALL } } } },
	{ "frames outside of a contradiction are dropped", 32, 0x455, 3,
	  { CALL(3), { AT(2, 0x20), NOWHERE }, { AT(1, 0x30), AT(2, 0) } },
	  { STACKS_BROKEN, 0, 1, 2,
	    { { 0x455, STACKS_LEAF }, { 0x310, STACKS_CALL } } } },
	{ "a call whose target is unknown", 32, 0x455, 1,
	  { { AT(3, 0x30), NOWHERE } },
	  { STACKS_BROKEN, 0, 0, 1, { { 0x455, STACKS_LEAF } } } },
	{ "no leaf address, and no target that shows it", 32, 0, 2,
	  { { AT(2, 0x20), NOWHERE }, CALL(1) },
	  { STACKS_UNPROVED, 0, 1, 2,
	    { { 0x220, STACKS_CALL }, { 0x110, STACKS_CALL } } } },
	{ "nothing at all", 32, 0, 0, { }, { STACKS_PARTIAL, 0, 0, 0, { } } },
};

/* The bytes of the stack: those of the expected frames. */
static int64_t depth_of(const struct expected *e)
{
	int64_t depth = 0;

	for (size_t i = 0; i < e->nr; i++) {
		depth += e->frames[i].kind != STACKS_TAIL_CALL ? TOY_FRAME : 0;
		if (e->frames[i].addr / 0x100 == MAIN)
			return depth + TOY_BENEATH;
	}
	return depth;
}

static void check(const char *name, const struct stacks_stack *stack,
		  const struct expected *e)
{
	print_message("# %s: %s\n", name, stacks_verdict_name(stack->verdict));
	assert_int_equal(stack->verdict, e->verdict);
	assert_int_equal(stack->inferred, e->inferred);
	assert_int_equal(stack->unverified, e->unverified);
	assert_int_equal(stack->nr_frames, e->nr);
	for (size_t i = 0; i < e->nr; i++) {
		assert_int_equal(stack->frames[i].place.addr, e->frames[i].addr);
		assert_int_equal(stack->frames[i].kind, e->frames[i].kind);
	}
}

/* A call that is known to be plain, one that was seen before, and one that nothing is known of give
 * the same stack. */
static void build_all(const char *name, const struct stacks_sample *sample,
		      struct stacks_stack *stack, const struct expected *e)
{
	const struct stacks_code *const codes[] = { &toy_unlinked, &toy, &toy };

	for (size_t i = 0; i < NR(codes); i++) {
		assert_int_equal(stacks_build(sample, codes[i], stack), 0);
		check(name, stack, e);
	}
}

static void verdict_of_each_case(void **state)
{
	struct stacks_stack stack = { 0 };

	(void)state;
	for (size_t i = 0; i < NR(cases); i++) {
		const struct stack_case *c = &cases[i];
		struct stacks_sample sample = {
			.has_user = true, .has_lbr = true,
			.leaf_known = c->leaf != 0, .leaf = { 2, c->leaf },
			.lbr = c->lbr, .nr_lbr = c->nr_lbr, .depth = c->depth,
			/* With the depth, what is no call is a signal. */
			.stack_known = c->expected.verdict == STACKS_COMPLETE ||
				       c->expected.verdict == STACKS_UNPROVED,
			.stack = depth_of(&c->expected),
		};

		build_all(c->name, &sample, &stack, &c->expected);
	}
	stacks_free(&stack);
}

static void kernel_frames_come_first(void **state)
{
	const struct place kernel[] = { { MAPS_KERNEL, 0xffffffff81000010 },
					{ MAPS_KERNEL, 0xffffffff81000020 } };
	const struct stacks_branch lbr[] = { CALL(1) };
	struct stacks_sample sample = {
		.kernel = kernel, .nr_kernel = 2, .has_user = true,
		.leaf_known = true, .leaf = AT(2, 0x55), .has_lbr = true,
		.lbr = lbr, .nr_lbr = 1, .depth = 32,
		.stack_known = true, .stack = 2 * TOY_FRAME,
	};
	const struct expected with_user = { STACKS_COMPLETE, 0, 0, 4, {
		{ kernel[0].addr, STACKS_KERNEL },
		{ kernel[1].addr, STACKS_KERNEL_RETURN },
		{ 0x255, STACKS_LEAF }, { 0x110, STACKS_CALL } } };
	const struct expected alone = { STACKS_NO_USER, 0, 0, 2, {
		{ kernel[0].addr, STACKS_KERNEL },
		{ kernel[1].addr, STACKS_KERNEL_RETURN } } };
	struct stacks_stack stack = { 0 };

	(void)state;
	assert_int_equal(stacks_build(&sample, &toy, &stack), 0);
	check("kernel above user", &stack, &with_user);
	sample.has_user = sample.leaf_known = false;
	sample.nr_lbr = 0;
	assert_int_equal(stacks_build(&sample, &toy, &stack), 0);
	check("kernel alone", &stack, &alone);
	stacks_free(&stack);
}

/* Frame pointers prove nothing, so such a stack is never complete. */
static void chain_without_lbr_is_partial(void **state)
{
	const struct place chain[] = { AT(2, 0x15), AT(1, 0x15) };
	struct stacks_sample sample = {
		.has_user = true, .leaf_known = true, .leaf = AT(3, 0x55),
		.chain = chain, .nr_chain = 2,
	};
	const struct expected expected = { STACKS_PARTIAL, 0, 2, 3, {
		{ 0x355, STACKS_LEAF }, { 0x215, STACKS_RETURN },
		{ 0x115, STACKS_RETURN } } };
	struct stacks_stack stack = { 0 };

	(void)state;
	assert_int_equal(stacks_build(&sample, &toy, &stack), 0);
	check("chain", &stack, &expected);
	stacks_free(&stack);
}

/* What lies outside of a frame in a file that is not here cannot be told: the LBR is not to blame. */
static void an_absent_file_is_the_cause(void **state)
{
	const struct stacks_branch lbr[] = { { AT(BLIND, 0x33), AT(3, 0) } };
	struct stacks_sample sample = {
		.has_user = true, .leaf_known = true, .leaf = AT(3, 0x55), .has_lbr = true,
		.lbr = lbr, .nr_lbr = 1, .depth = 32,
	};
	struct stacks_stack stack = { 0 };

	(void)state;
	assert_int_equal(stacks_build(&sample, &toy, &stack), 0);
	assert_int_equal(stack.verdict, STACKS_PARTIAL);
	assert_true(stack.evidence & EVIDENCE(NO_OBJECT));
	assert_non_null(strstr(stack.why->reason, "is not here"));
	sample.nr_lbr = 0;
	assert_int_equal(stacks_build(&sample, &toy, &stack), 0);
	assert_false(stack.evidence & EVIDENCE(NO_OBJECT));
	stacks_free(&stack);
}

/* The LBR is short of callers, but the stack would have had them. */
static void a_full_buffer_is_the_cause(void **state)
{
	const struct stacks_branch lbr[] = { CALL(2) };
	struct stacks_sample sample = {
		.has_user = true, .leaf_known = true, .leaf = AT(3, 0x55), .has_lbr = true,
		.lbr = lbr, .nr_lbr = 1, .depth = 32, .crowded = true,
	};
	struct stacks_stack stack = { 0 };

	(void)state;
	assert_int_equal(stacks_build(&sample, &toy, &stack), 0);
	assert_int_equal(stack.verdict, STACKS_PARTIAL);
	assert_non_null(strstr(stack.why->reason, "half full"));
	stacks_free(&stack);
}

/* --- with a recorded piece of the user stack --- */

/* The return addresses of function F's direct and indirect call. */
#define BACK(f)		AT(f, 0x15)
#define BACK_INDIRECT(f) AT(f, 0x25)

struct window_case {
	const char *name;
	size_t depth, nr_lbr;
	struct stacks_branch lbr[4];
	size_t nr_unwound;
	struct place unwound[6];
	enum stacks_end end;
	struct expected expected;
};

static const struct window_case window_cases[] = {
	{ "LBR and window agree", 32, 2, { CALL(2), CALL(1) },
	  3, { AT(3, 0x55), BACK(2), BACK(1) }, STACKS_END_ENTRY,
	  { STACKS_COMPLETE, 0, 0, 3, { { 0x355, STACKS_LEAF },
	    { 0x210, STACKS_CALL }, { 0x110, STACKS_CALL } } } },
	{ "on from where the LBR ends", 2, 2, { CALL(4), CALL(3) },
	  5, { AT(5, 0x55), BACK(4), BACK(3), BACK(2), BACK_INDIRECT(1) },
	  STACKS_END_ENTRY,
	  { STACKS_COMPLETE, 0, 0, 5, { { 0x555, STACKS_LEAF },
	    { 0x410, STACKS_CALL }, { 0x310, STACKS_CALL },
	    { 0x210, STACKS_UNWOUND }, { 0x120, STACKS_UNWOUND } } } },
	{ "no LBR at all", 0, 0, { },
	  3, { AT(3, 0x55), BACK(2), BACK(1) }, STACKS_END_ENTRY,
	  { STACKS_COMPLETE, 0, 0, 3, { { 0x355, STACKS_LEAF },
	    { 0x210, STACKS_UNWOUND }, { 0x110, STACKS_UNWOUND } } } },
	{ "the stack goes on outside", 2, 2, { CALL(5), CALL(4) },
	  4, { AT(6, 0x55), BACK(5), BACK(4), BACK(3) }, STACKS_END_WINDOW,
	  { STACKS_TRUNCATED, 0, 0, 4, { { 0x655, STACKS_LEAF },
	    { 0x510, STACKS_CALL }, { 0x410, STACKS_CALL },
	    { 0x310, STACKS_UNWOUND } } } },
	{ "the LBR goes further than the stack", 32, 2, { CALL(2), CALL(1) },
	  2, { AT(3, 0x55), BACK(2) }, STACKS_END_RULES,
	  { STACKS_COMPLETE, 0, 0, 3, { { 0x355, STACKS_LEAF },
	    { 0x210, STACKS_CALL }, { 0x110, STACKS_CALL } } } },
	{ "the LBR lacks a call", 32, 1, { CALL(1) },
	  3, { AT(3, 0x55), BACK(2), BACK(1) }, STACKS_END_ENTRY,
	  { STACKS_COMPLETE, 0, 0, 3, { { 0x355, STACKS_LEAF },
	    { 0x210, STACKS_UNWOUND }, { 0x110, STACKS_UNWOUND } } } },
	{ "the LBR has what is left, behind the entry", 32, 3,
	  { CALL(2), CALL(1), CALL(3) },
	  3, { AT(3, 0x55), BACK(2), BACK(1) }, STACKS_END_ENTRY,
	  { STACKS_COMPLETE, 0, 0, 3, { { 0x355, STACKS_LEAF },
	    { 0x210, STACKS_CALL }, { 0x110, STACKS_CALL } } } },
	{ "two stories, and neither comes to an end", 32, 2, { CALL(4), CALL(3) },
	  3, { AT(5, 0x55), BACK(4), BACK_INDIRECT(2) }, STACKS_END_RULES,
	  { STACKS_DISPUTED, 0, 0, 2, { { 0x555, STACKS_LEAF },
	    { 0x410, STACKS_CALL } } } },
	{ "the LBR goes on behind a stack that returns nowhere", 32, 2, { CALL(4), CALL(3) },
	  2, { AT(5, 0x55), BACK(4) }, STACKS_END_NOWHERE,
	  { STACKS_DISPUTED, 0, 0, 2, { { 0x555, STACKS_LEAF }, { 0x410, STACKS_CALL } } } },
	{ "the LBR goes on from where no file is mapped", 32, 2,
	  { CALL(4), { { MAPS_NOTHING, 0x7044 }, AT(4, 0) } },
	  2, { AT(5, 0x55), BACK(4) }, STACKS_END_NOWHERE,
	  { STACKS_PARTIAL, 0, 1, 3, { { 0x555, STACKS_LEAF },
	    { 0x410, STACKS_CALL }, { 0x7044, STACKS_CALL } } } },
	{ "a stack of its own ends before any thread's begin", 0, 0, { },
	  2, { AT(5, 0x55), BACK(4) }, STACKS_END_ENTRY,
	  { STACKS_COMPLETE, 0, 0, 2, { { 0x555, STACKS_LEAF },
	    { 0x410, STACKS_UNWOUND } } } },
	{ "the LBR is of another stack", 32, 2, { CALL(4), CALL(1) },
	  2, { AT(5, 0x55), BACK(4) }, STACKS_END_ENTRY,
	  { STACKS_COMPLETE, 0, 0, 2, { { 0x555, STACKS_LEAF }, { 0x410, STACKS_CALL } } } },
	{ "another stack was switched to, and that is no dispute", 32, 3,
	  { CALL(4), { AT(2, 0x20), AT(SWITCH, 0) }, CALL(1) },
	  3, { AT(5, 0x55), BACK(4), BACK_INDIRECT(7) }, STACKS_END_ENTRY,
	  { STACKS_COMPLETE, 0, 0, 3, { { 0x555, STACKS_LEAF },
	    { 0x410, STACKS_CALL }, { 0x720, STACKS_UNWOUND } } } },
	{ "a return address behind no call", 0, 0, { },
	  3, { AT(3, 0x55), AT(2, 0x77), BACK(1) }, STACKS_END_ENTRY,
	  { STACKS_BROKEN, 0, 0, 1, { { 0x355, STACKS_LEAF } } } },
	{ "a return address behind another function's call", 0, 0, { },
	  3, { AT(3, 0x55), BACK(1), BACK(1) }, STACKS_END_WINDOW,
	  { STACKS_BROKEN, 0, 0, 1, { { 0x355, STACKS_LEAF } } } },
	{ "the same, but memory leads on to the thread's entry", 0, 0, { },
	  3, { AT(3, 0x55), BACK(3), BACK(1) }, STACKS_END_ENTRY,
	  { STACKS_UNPROVED, 0, 2, 3, { { 0x355, STACKS_LEAF }, { 0x310, STACKS_UNWOUND },
	    { 0x110, STACKS_UNWOUND } } } },
	{ "in a signal handler", 32, 2, { CALL(5), CALL(1) },
	  5, { AT(6, 0x55), BACK(5), AT(TRAMPOLINE, 1), AT(2, 0x44), BACK(1) },
	  STACKS_END_ENTRY,
	  { STACKS_COMPLETE, 0, 0, 5, { { 0x655, STACKS_LEAF },
	    { 0x510, STACKS_CALL }, { TRAMPOLINE * 0x100 + 1, STACKS_SIGNAL },
	    { 0x244, STACKS_INTERRUPTED }, { 0x110, STACKS_CALL } } } },
	{ "in the end of a signal handler", 32, 1, { CALL(1) },
	  3, { AT(TRAMPOLINE, 0x55), AT(2, 0x44), BACK(1) }, STACKS_END_ENTRY,
	  { STACKS_COMPLETE, 0, 0, 3, { { TRAMPOLINE * 0x100 + 0x55, STACKS_LEAF },
	    { 0x244, STACKS_INTERRUPTED }, { 0x110, STACKS_CALL } } } },
	{ "a tail call that only the stack shows", 0, 0, { },
	  3, { AT(9, 0x55), BACK(TAIL - 1), BACK(1) }, STACKS_END_RULES,
	  { STACKS_BROKEN, 1, 0, 3, { { 0x955, STACKS_LEAF },
	    { TAIL * 0x100, STACKS_TAIL_CALL },
	    { (TAIL - 1) * 0x100 + 0x10, STACKS_UNWOUND } } } },
};

static void verdict_with_a_recorded_stack(void **state)
{
	struct stacks_stack stack = { 0 };

	(void)state;
	for (size_t i = 0; i < NR(window_cases); i++) {
		const struct window_case *c = &window_cases[i];
		struct stacks_sample sample = {
			.has_user = true, .has_lbr = c->depth != 0,
			.leaf_known = true, .leaf = c->unwound[0],
			.lbr = c->lbr, .nr_lbr = c->nr_lbr, .depth = c->depth,
			.unwound = c->unwound, .nr_unwound = c->nr_unwound,
			.unwound_end = c->end,
			.stack_known = c->expected.verdict == STACKS_COMPLETE ||
				       c->expected.verdict == STACKS_UNPROVED,
			.stack = depth_of(&c->expected),
		};

		build_all(c->name, &sample, &stack, &c->expected);
		/* No caller is looked for where the stack itself ends. */
		if (c->end == STACKS_END_NOWHERE)
			assert_false(stack.open);
		/* All that the window has, and nothing that only the LBR has. */
		assert_true(stack.proven <= c->nr_unwound + stack.inferred);
		if (c->end == STACKS_END_ENTRY && c->expected.nr > 1 &&
		    stack.verdict == STACKS_COMPLETE)
			assert_int_equal(stack.proven, stack.nr_frames);
	}
	stacks_free(&stack);
}

static void what_is_cut_off_is_said(void **state)
{
	static const struct stacks_branch lbr[] = { CALL(3), CALL(2), CALL(1) };
	struct stacks_sample sample = {
		.has_user = true, .has_lbr = true, .leaf_known = true,
		.leaf = { 2, 0x455 }, .lbr = lbr, .nr_lbr = NR(lbr), .depth = 32,
	};
	struct stacks_stack stack = { 0 };

	(void)state;
	assert_int_equal(stacks_build(&sample, &toy, &stack), 0);
	assert_int_equal(stack.proven, 0);
	stacks_cut(&stack, 2);
	check("cut", &stack, &(struct expected){ STACKS_PARTIAL, 0, 0, 2,
		{ { 0x455, STACKS_LEAF }, { 0x310, STACKS_CALL } } });
	assert_false(stack.open);
	stacks_free(&stack);
}

/* If the sampled address is not the one that the unwinding began at, as with precise events,
 * the two may be in different functions. */
static void another_leaf_is_no_part_of_the_stack(void **state)
{
	const struct place unwound[] = { AT(3, 0x55), BACK_INDIRECT(2), BACK(1) };
	const struct stacks_branch lbr[] = { { AT(2, 0x20), AT(3, 0) }, CALL(1) };
	struct stacks_sample sample = {
		.has_user = true, .leaf_known = true, .leaf = AT(9, 0x55),
		.unwound = unwound, .nr_unwound = 3,
		.unwound_end = STACKS_END_ENTRY,
	};
	const struct expected alone = { STACKS_PARTIAL, 0, 0, 1, {
		{ 0x955, STACKS_LEAF } } };
	const struct expected with_lbr = { STACKS_BROKEN, 0, 0, 1, {
		{ 0x955, STACKS_LEAF } } };
	struct stacks_stack stack = { 0 };

	(void)state;
	assert_int_equal(stacks_build(&sample, &toy, &stack), 0);
	check("another leaf, without LBR", &stack, &alone);
	sample.has_lbr = true;
	sample.depth = 32;
	sample.lbr = lbr;
	sample.nr_lbr = 2;
	assert_int_equal(stacks_build(&sample, &toy, &stack), 0);
	check("another leaf", &stack, &with_lbr);
	stacks_free(&stack);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(verdict_of_each_case),
		cmocka_unit_test(kernel_frames_come_first),
		cmocka_unit_test(chain_without_lbr_is_partial),
		cmocka_unit_test(an_absent_file_is_the_cause),
		cmocka_unit_test(a_full_buffer_is_the_cause),
		cmocka_unit_test(verdict_with_a_recorded_stack),
		cmocka_unit_test(what_is_cut_off_is_said),
		cmocka_unit_test(another_leaf_is_no_part_of_the_stack),
	};

	return cmocka_run_group_tests_name("stacks", tests, NULL, NULL);
}
