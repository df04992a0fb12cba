// SPDX-License-Identifier: GPL-2.0
/*
 * ctl/stacks/replay.c: the calls that stay open behind each kind of branch.
 *
 * The code is a toy: function F of file 2 is the addresses F * 0x100 up to the next; 0x.10 in
 * it is a call of F + 1, of 5 bytes, 0x.20 a return, 0x.30 a jump, 0x.38 one that leaves the
 * function. Nothing else is a branch, so all lines within a function are straight.
 */
#include "test.h"

#include "stacks/replay.h"

#define AT(a)		{ 2, a }
#define KERNEL		{ MAPS_KERNEL, 0xffffffff81000000 }
#define CALL(f, g)	{ AT((f) * 0x100 + 0x10), AT((g) * 0x100), REPLAY_UNKNOWN }
#define RETURN(f, g)	{ AT((f) * 0x100 + 0x20), AT((g) * 0x100 + 0x15), REPLAY_UNKNOWN }
#define GAP		{ .kind = REPLAY_GAP }

static enum stacks_step toy_step(void *ctx, struct place from, struct place to)
{
	(void)ctx;
	(void)to;
	switch (from.addr % 0x100) {
	case 0x10:
		return STACKS_STEP_CALL;
	case 0x20:
		return STACKS_STEP_RETURN;
	case 0x38:
		return STACKS_STEP_ELSEWHERE;
	default:
		return STACKS_STEP_JUMP;
	}
}

static enum stacks_call toy_call_before(void *ctx, struct place back,
					struct place *from, struct place *target)
{
	(void)ctx;
	*from = (struct place){ back.file, back.addr - 5 };
	*target = (struct place){ back.file, (back.addr / 0x100 + 1) * 0x100 };
	return from->addr % 0x100 == 0x10 ? STACKS_CALL_DIRECT : STACKS_CALL_NONE;
}

static enum stacks_answer toy_straight(void *ctx, struct place from, struct place to)
{
	(void)ctx;
	return from.addr / 0x100 == to.addr / 0x100 && from.addr <= to.addr ?
		STACKS_YES : STACKS_NO;
}

static enum stacks_lead toy_lead(void *ctx, struct place entered, struct place at)
{
	(void)ctx;
	return entered.addr / 0x100 == at.addr / 0x100 ? STACKS_LEAD_SAME :
							 STACKS_LEAD_NONE;
}

static const struct stacks_code toy = {
	.step = toy_step, .call_before = toy_call_before, .straight = toy_straight,
	.lead = toy_lead,
};

static const struct {
	const char *name;
	struct replay_branch branches[8];	/* oldest first */
	size_t nr;
	uint64_t leaf;				/* 0: not known */
	enum stacks_history history;
	uint64_t open[4];			/* the functions that called, newest first */
	size_t returned;			/* calls of which the history has only the return */
} cases[] = {
	{ "calls", { CALL(1, 2), CALL(2, 3) }, 2, 0x304, STACKS_HISTORY_WHOLE, { 2, 1 }, 0 },
	{ "a call that has returned", { CALL(1, 2), CALL(2, 3), RETURN(3, 2) }, 3, 0x216,
	  STACKS_HISTORY_WHOLE, { 1 }, 0 },
	{ "a return out of what was called before", { RETURN(3, 2), RETURN(2, 1),
	  { AT(0x118), AT(0x108), 0 }, CALL(1, 4) }, 4, 0x400, STACKS_HISTORY_WHOLE, { 1 }, 2 },
	{ "a return to elsewhere", { CALL(1, 2), CALL(2, 3), RETURN(3, 7) }, 3, 0x716,
	  STACKS_HISTORY_GAP, { }, 0 },
	{ "a return to elsewhere, and then a call", { CALL(1, 2), RETURN(2, 7), { AT(0x718), AT(0x708), 0 },
	  CALL(7, 8) }, 4, 0x800, STACKS_HISTORY_GAP, { 7 }, 0 },
	{ "a jump to elsewhere", { CALL(1, 2), { AT(0x238), AT(0x740), REPLAY_UNKNOWN } }, 2,
	  0x744, STACKS_HISTORY_GAP, { }, 0 },
	{ "an entry that went lost", { CALL(1, 2), GAP, CALL(2, 3) }, 3, 0x304,
	  STACKS_HISTORY_GAP, { 2 }, 0 },
	{ "a gap that no record shows", { CALL(1, 2), CALL(5, 3) }, 2, 0x304,
	  STACKS_HISTORY_GAP, { 5 }, 0 },
	{ "a system call", { CALL(1, 2), { AT(0x204), KERNEL, 0 }, { KERNEL, AT(0x206), 0 } },
	  3, 0x208, STACKS_HISTORY_WHOLE, { 1 }, 0 },
	{ "a signal", { CALL(1, 2), { KERNEL, AT(0x600), 0 } }, 2, 0x604,
	  STACKS_HISTORY_GAP, { }, 0 },
	{ "a sample elsewhere", { CALL(1, 2) }, 1, 0x904, STACKS_HISTORY_ELSEWHERE, { }, 0 },
	{ "a sample in the kernel", { CALL(1, 2), { AT(0x204), KERNEL, 0 } }, 2, 0,
	  STACKS_HISTORY_WHOLE, { 1 }, 0 },
	{ "nothing", { }, 0, 0x100, STACKS_HISTORY_ELSEWHERE, { }, 0 },
};

static void what_is_open(void **state)
{
	struct replay_branch newest_first[8];
	struct stacks_branch calls[16];

	(void)state;
	for (size_t i = 0; i < NR(cases); i++) {
		struct stacks_sample s = { .leaf_known = cases[i].leaf,
					   .leaf = AT(cases[i].leaf) };
		struct replay replay = { newest_first, cases[i].nr, true };
		size_t nr = 0, made = cases[i].returned;

		print_message("# %s\n", cases[i].name);
		for (size_t j = 0; j < cases[i].nr; j++)
			newest_first[j] = cases[i].branches[cases[i].nr - 1 - j];
		for (size_t j = 0; j < cases[i].nr; j++)
			made += cases[i].branches[j].from.addr % 0x100 == 0x10;
		replay_sample(&replay, &toy, calls, &s);
		assert_int_equal(s.history, cases[i].history);
		while (nr < NR(cases[i].open) && cases[i].open[nr])
			nr++;
		assert_int_equal(s.nr_lbr, nr);
		assert_int_equal(s.nr_made, made);
		for (size_t j = 0; j < made; j++)
			assert_int_equal(s.made[j].from.addr % 0x100, 0x10);
		for (size_t j = 0; j < nr; j++)
			assert_int_equal(s.lbr[j].from.addr, cases[i].open[j] * 0x100 + 0x10);
		assert_true(s.leaf_known);
		assert_int_equal(s.leaf_inferred, !cases[i].leaf);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_open),
	};

	return cmocka_run_group_tests_name("replay", tests, NULL, NULL);
}
