// SPDX-License-Identifier: GPL-2.0
/* kmod/lbr/legacy.c against a model of the registers. */
#include "lbr_model.h"

static const struct ls_caps skylake = {
	.lbr_format = 5, .lbr_depth = DEPTH, .lbr_from = MSR_LBR_NHM_FROM,
	.lbr_to = MSR_LBR_NHM_TO, .lbr_info = true, .lbr_filter = true,
};
static const struct ls_caps haswell = {
	.lbr_format = 4, .lbr_depth = 16, .lbr_from = MSR_LBR_NHM_FROM,
	.lbr_to = MSR_LBR_NHM_TO, .lbr_filter = true,
};

static int setup(void **state)
{
	int i;

	ls_caps = skylake;
	tsx = false;
	lbr_legacy_excluded = false;

	(void)state;
	memset(&cpu, 0, sizeof(cpu));
	/* Entries of another task, which must not be seen. */
	for (i = 0; i < DEPTH; i++)
		cpu.from[i] = cpu.to[i] = cpu.info[i] = 0x5ec2e7;
	cpu.tos = 19;
	return 0;
}

/* The innermost calls alone, and no register of the others. */
static void check_innermost(u64 nr)
{
	struct ls_lbr_stack stack;
	u32 depth, i;

	for (depth = 1; depth <= DEPTH; depth++) {
		cpu.reads = 0;
		ls_lbr_legacy_save(&stack, depth, true);
		assert_int_equal(stack.nr, nr < depth ? nr : depth);
		for (i = 0; i < stack.nr; i++)
			assert_int_equal(stack.words[2 * i], 1000 + nr - 1 - i);
		assert_int_equal(cpu.reads, 1 + 2 * stack.nr + (stack.nr < depth));
	}
}

/* The open calls are read, youngest first, from as many registers as there are calls. */
static void test_read(void **state)
{
	struct ls_lbr_stack stack;
	u64 i, nr;

	(void)state;
	for (nr = 0; nr <= 40; nr++) {
		setup(NULL);
		ls_lbr_legacy_clear();
		for (i = 0; i < nr; i++)
			call(1000 + i, 2000 + i);
		cpu.reads = 0;
		ls_lbr_legacy_save(&stack, DEPTH, true);
		assert_int_equal(stack.nr, nr < DEPTH ? nr : DEPTH);
		for (i = 0; i < stack.nr; i++) {
			assert_int_equal(stack.words[2 * i], 1000 + nr - 1 - i);
			assert_int_equal(stack.words[2 * i + 1], 2000 + nr - 1 - i);
		}
		assert_int_equal(cpu.reads, 1 + 2 * stack.nr +
				 (stack.nr < DEPTH));
		cpu.reads = 0;
		memset(&stack, 0, sizeof(stack));
		ls_lbr_legacy_save(&stack, DEPTH, false);
		assert_int_equal(stack.nr, nr < DEPTH ? nr : DEPTH);
		for (i = 0; i < stack.nr; i++)
			assert_int_equal(stack.words[i], 1000 + nr - 1 - i);
		assert_int_equal(cpu.reads, 1 + stack.nr + (stack.nr < DEPTH));
		check_innermost(nr);
	}
}

/*
 * A restored task continues as if it had not been away; returns never reach earlier contents
 * of the registers.
 */
static void test_restore(void **state)
{
	struct ls_lbr_stack saved, seen;
	u64 i, nr;

	(void)state;
	for (nr = 0; nr <= DEPTH; nr++) {
		setup(NULL);
		ls_lbr_legacy_clear();
		for (i = 0; i < nr; i++)
			call(1000 + i, 2000 + i);
		ls_lbr_legacy_save(&saved, DEPTH, true);
		setup(NULL);
		cpu.tos = nr * 7 % DEPTH;
		ls_lbr_legacy_restore(&saved, true);
		for (i = 0; i < 3 * DEPTH; i++) {
			ls_lbr_legacy_save(&seen, DEPTH, true);
			assert_int_equal(seen.nr, i < nr ? nr - i : 0);
			if (seen.nr)
				assert_int_equal(seen.words[0], 999 + seen.nr);
			ret();
		}
		call(77, 78);
		ls_lbr_legacy_save(&seen, DEPTH, true);
		assert_int_equal(seen.nr, 1);
	}
}

/* Without targets only FROM and TOS are written: as many as there are registers. */
static void test_restore_callers(void **state)
{
	struct ls_lbr_stack saved, seen;
	u64 i;

	(void)state;
	ls_lbr_legacy_clear();
	for (i = 0; i < 5; i++)
		call(1000 + i, 2000 + i);
	ls_lbr_legacy_save(&saved, DEPTH, false);
	setup(NULL);
	cpu.writes = 0;
	ls_lbr_legacy_restore(&saved, false);
	assert_int_equal(cpu.writes, DEPTH + 1);
	ls_lbr_legacy_save(&seen, DEPTH, true);
	assert_int_equal(seen.nr, 5);
	for (i = 0; i < 5; i++) {
		assert_int_equal(seen.words[2 * i], 1004 - i);
		assert_int_equal(seen.words[2 * i + 1], 0x5ec2e7);
	}
}

/* An entry that is pushed is as a call, whether there is room for it or not. */
static void test_push(void **state)
{
	struct ls_lbr_stack called, pushed;
	u64 i, nr;

	(void)state;
	for (nr = 0; nr <= 40; nr++) {
		setup(NULL);
		ls_lbr_legacy_clear();
		for (i = 0; i < nr; i++)
			call(1000 + i, 2000 + i);
		cpu.reads = cpu.writes = 0;
		ls_lbr_legacy_push(77, 78, true);
		assert_int_equal(cpu.reads, 1);
		assert_int_equal(cpu.writes, 3);
		ls_lbr_legacy_save(&pushed, DEPTH, true);
		setup(NULL);
		ls_lbr_legacy_clear();
		for (i = 0; i < nr; i++)
			call(1000 + i, 2000 + i);
		call(77, 78);
		ls_lbr_legacy_save(&called, DEPTH, true);
		assert_int_equal(pushed.nr, called.nr);
		assert_memory_equal(pushed.words, called.words,
				    2 * called.nr * sizeof(u64));
		ret();
		ls_lbr_legacy_save(&called, DEPTH, true);
		assert_int_equal(called.nr, nr < DEPTH ? nr : DEPTH - 1);
	}
	/* Without targets TO is not written. */
	setup(NULL);
	ls_lbr_legacy_push(77, 78, false);
	assert_int_equal(cpu.from[20], 77);
	assert_int_equal(cpu.to[20], 0x5ec2e7);
}

/* Registers that a deep C-state has cleared are recognized. */
static void test_holds(void **state)
{
	struct ls_lbr_stack stack;

	(void)state;
	ls_lbr_legacy_clear();
	ls_lbr_legacy_save(&stack, DEPTH, true);
	assert_true(ls_lbr_legacy_holds(&stack));
	call(1, 2);
	ls_lbr_legacy_save(&stack, DEPTH, true);
	assert_true(ls_lbr_legacy_holds(&stack));
	memset(cpu.from, 0, sizeof(cpu.from));
	assert_false(ls_lbr_legacy_holds(&stack));
}

static const struct ls_lbr_mode call_stack = { .call_stack = true };

/* Other people's bits of DEBUGCTL stay, also those set while we were there. */
static void test_start_stop(void **state)
{
	enum { BTF = 1 << 1, FREEZE_SMM = 1 << 14 };
	struct ls_lbr_saved saved;
	int i;

	(void)state;
	cpu.debugctl = FREEZE_SMM | DEBUGCTLMSR_FREEZE_LBRS_ON_PMI;
	cpu.select = 0x1a5;
	assert_false(ls_lbr_legacy_in_use());
	ls_lbr_legacy_start(&saved, &call_stack);
	assert_true(ls_lbr_legacy_in_use());
	assert_int_equal(cpu.debugctl, FREEZE_SMM | DEBUGCTLMSR_LBR);
	assert_int_equal(cpu.select, 0x3c5);
	call(1, 2);
	cpu.debugctl |= BTF;
	ls_lbr_legacy_stop(&saved);
	assert_int_equal(cpu.debugctl, FREEZE_SMM | BTF |
			 DEBUGCTLMSR_FREEZE_LBRS_ON_PMI);
	assert_int_equal(cpu.select, 0x1a5);
	assert_int_equal(cpu.tos, 19);
	for (i = 0; i < DEPTH; i++)
		assert_int_equal(cpu.from[i] | cpu.to[i] | cpu.info[i], 0);
}

/* PT begins while a session runs: it is noticed, and no register is accessed any more. */
static void test_traced(void **state)
{
	const struct ls_lbr_mode mode = { .call_stack = true, .targets = true };
	struct ls_lbr_stack stack = { .nr = 0 };
	u64 words[DEPTH * LBR_WORDS_MAX];
	struct ls_lbr_saved saved;
	int i;

	(void)state;
	ls_lbr_legacy_start(&saved, &mode);
	assert_false(ls_lbr_legacy_lost());
	cpu.rtit_ctl = RTIT_CTL_TRACEEN;
	assert_true(ls_lbr_legacy_lost());
	stack.nr = 3;
	ls_lbr_legacy_save(&stack, DEPTH, true);
	assert_int_equal(stack.nr, 0);
	ls_lbr_legacy_restore(&stack, true);
	ls_lbr_legacy_clear();
	ls_lbr_legacy_push(1, 2, true);
	ls_lbr_legacy_pause();
	ls_lbr_legacy_resume();
	stack.nr = 3;
	ls_lbr_legacy_holds(&stack);
	assert_int_equal(ls_lbr_legacy_read_history(words, DEPTH), 0);
	/* If PT traces a single task, that task has left the CPU. */
	cpu.rtit_ctl = 0;
	assert_true(ls_lbr_legacy_lost());
	cpu.rtit_ctl = RTIT_CTL_TRACEEN;
	ls_lbr_legacy_stop(&saved);
	assert_int_equal(cpu.debugctl & LBR_DEBUGCTL, 0);
	/* The next session has them again. */
	cpu.rtit_ctl = 0;
	ls_lbr_legacy_start(&saved, &mode);
	assert_false(ls_lbr_legacy_lost());
	call(1000, 2000);
	ls_lbr_legacy_save(&stack, DEPTH, true);
	assert_int_equal(stack.nr, 1);
	ls_lbr_legacy_stop(&saved);
	for (i = 0; i < DEPTH; i++)
		assert_int_equal(cpu.from[i], 0);
}

/* Since Ice Lake both can be used. */
static void test_traced_beside(void **state)
{
	const struct ls_lbr_mode mode = { .call_stack = true, .targets = true };
	struct ls_lbr_stack stack;
	struct ls_lbr_saved saved;

	(void)state;
	ls_caps.lbr_beside_pt = true;
	ls_lbr_legacy_start(&saved, &mode);
	cpu.rtit_ctl = RTIT_CTL_TRACEEN;
	assert_false(ls_lbr_legacy_lost());
	call(1000, 2000);
	ls_lbr_legacy_save(&stack, DEPTH, true);
	assert_int_equal(stack.nr, 1);
}

/* An old KVM restores DEBUGCTL as it was during the session, after that has stopped. */
static void test_left_by_kvm(void **state)
{
	enum { FREEZE_SMM = 1 << 14 };
	struct ls_lbr_saved saved = { 0 };

	(void)state;
	cpu.debugctl = FREEZE_SMM | DEBUGCTLMSR_LBR;
	assert_false(ls_lbr_legacy_left(&saved));	/* set by another user */
	cpu.debugctl = FREEZE_SMM;
	ls_lbr_legacy_start(&saved, &call_stack);
	ls_lbr_legacy_stop(&saved);
	assert_false(ls_lbr_legacy_left(&saved));
	cpu.debugctl |= DEBUGCTLMSR_LBR;
	assert_true(ls_lbr_legacy_left(&saved));
	ls_lbr_legacy_start(&saved, &call_stack);
	assert_int_equal(cpu.debugctl, FREEZE_SMM | DEBUGCTLMSR_LBR);
	ls_lbr_legacy_stop(&saved);
	assert_int_equal(cpu.debugctl, FREEZE_SMM);	/* and not as it was found */
}

/* A history is read whole, with INFO where there is one, and stops at a PMI. */
static void test_history(void **state)
{
	const struct ls_lbr_mode mode = { .history = true,
		.filter = LBRSCOPE_FILTER_USER | LBRSCOPE_FILTER_IND_CALL };
	struct ls_lbr_saved saved;
	u64 words[DEPTH * 3];
	u64 i;

	(void)state;
	ls_lbr_legacy_start(&saved, &mode);
	assert_int_equal(cpu.select, 0x1ed);
	assert_int_equal(cpu.debugctl,
			 DEBUGCTLMSR_LBR | DEBUGCTLMSR_FREEZE_LBRS_ON_PMI);
	for (i = 0; i < 40; i++) {
		call(1000 + i, 2000 + i);
		cpu.info[cpu.tos] = 3000 + i;
	}
	ls_lbr_legacy_read_history(words, DEPTH);
	for (i = 0; i < DEPTH; i++) {
		assert_int_equal(words[3 * i], 1039 - i);
		assert_int_equal(words[3 * i + 1], 2039 - i);
		assert_int_equal(words[3 * i + 2], 3039 - i);
	}
	/* as a PMI leaves it before version 4 */
	cpu.debugctl &= ~DEBUGCTLMSR_LBR;
	ls_lbr_legacy_resume();
	assert_true(cpu.debugctl & DEBUGCTLMSR_LBR);
	ls_lbr_legacy_stop(&saved);
	assert_int_equal(cpu.debugctl, 0);
	ls_caps.lbr_calls_as_jumps = true;
	ls_lbr_legacy_start(&saved, &mode);
	assert_int_equal(cpu.select, 0x1ad);
}

/* INFO replaces the sign of the addresses, which are restored when read. */
static void test_history_packed(void **state)
{
	const u64 user = 0x00007fffdeadbeefULL, kernel = 0xffffffff81000000ULL;
	const struct ls_lbr_mode mode = { .history = true };
	struct lbrscope_branch branches[DEPTH];
	const struct lbrscope_branch *b;
	struct ls_lbr_saved saved;
	u64 i;

	(void)state;
	ls_caps.lbr_packs = true;
	ls_lbr_legacy_start(&saved, &mode);
	for (i = 0; i < DEPTH; i++) {
		call(user + i, kernel + i);
		cpu.info[cpu.tos] = 0xe100000000000000ULL + i;
	}
	ls_lbr_legacy_read_history((u64 *)branches, DEPTH);
	for (i = 0; i < DEPTH; i++) {
		b = &branches[DEPTH - 1 - i];
		assert_int_equal(b->from_low, (u32)(user + i));
		assert_int_equal(b->from_high, 0x7fff);
		assert_int_equal(b->cycles, i);
		assert_int_equal(b->to_low, (u32)(kernel + i));
		assert_int_equal(b->to_high, 0xffff);
		assert_int_equal(b->flags, 0xe100);
	}
}

/* The first `depth` entries of a history, and no register of another. */
static void check_history(u32 depth, u32 each, u64 youngest)
{
	u64 words[DEPTH * LBR_WORDS_MAX];
	u32 i;

	memset(words, 0xff, sizeof(words));
	cpu.reads = 0;
	assert_int_equal(ls_lbr_legacy_read_history(words, depth), depth);
	assert_int_equal(cpu.reads, 1 + depth * (ls_caps.lbr_info ? 3 : 2));
	for (i = 0; i < depth; i++)
		assert_int_equal((u32)words[i * each], youngest - i);
	for (i = depth * each; i < DEPTH * LBR_WORDS_MAX; i++)
		assert_int_equal(words[i], ~0ULL);
}

/* Wherever the youngest entry is, it comes first, and the others behind it. */
static void test_history_wraps(void **state)
{
	const struct ls_lbr_mode mode = { .history = true };
	const u64 user = 0x400000;
	struct ls_lbr_saved saved;
	u32 depth;
	u64 n;

	(void)state;
	for (ls_caps.lbr_packs = false; ; ls_caps.lbr_packs = true) {
		u32 each = ls_caps.lbr_packs ? 2 : ls_caps.lbr_info ? 3 : 2;

		ls_lbr_legacy_start(&saved, &mode);
		for (n = 0; n < DEPTH; n++)
			call(user + n, user);
		for (; n < 3 * DEPTH; n++) {
			call(user + n, user);
			for (depth = 1; depth <= ls_caps.lbr_depth; depth++)
				check_history(depth, each, user + n);
		}
		if (ls_caps.lbr_packs)
			break;
	}
}

/* Without TSX, bits 62:61 of a FROM have to be its sign when it is written. */
static void test_sign_extension(void **state)
{
	const u64 user = 0x00007fffdeadbeefULL, kernel = 0xffffffff81000000ULL;
	const u64 flags = 1ULL << 61, mispredicted = 1ULL << 63;
	struct ls_lbr_stack stack = { .nr = 2 };

	(void)state;
	ls_caps = haswell;
	stack.words[0] = user | mispredicted;
	stack.words[2] = kernel & ~(3 * flags);
	ls_lbr_legacy_restore(&stack, true);
	assert_int_equal(cpu.from[1], user | mispredicted);
	assert_int_equal(cpu.from[0], kernel);
	tsx = true;
	stack.words[0] = user | flags;
	ls_lbr_legacy_restore(&stack, true);
	assert_int_equal(cpu.from[1], user | flags);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_read, setup),
		cmocka_unit_test_setup(test_restore, setup),
		cmocka_unit_test_setup(test_restore_callers, setup),
		cmocka_unit_test_setup(test_push, setup),
		cmocka_unit_test_setup(test_holds, setup),
		cmocka_unit_test_setup(test_start_stop, setup),
		cmocka_unit_test_setup(test_traced, setup),
		cmocka_unit_test_setup(test_traced_beside, setup),
		cmocka_unit_test_setup(test_left_by_kvm, setup),
		cmocka_unit_test_setup(test_history, setup),
		cmocka_unit_test_setup(test_history_packed, setup),
		cmocka_unit_test_setup(test_history_wraps, setup),
		cmocka_unit_test_setup(test_sign_extension, setup),
	};

	return cmocka_run_group_tests_name("kmod/lbr_legacy", tests, NULL, NULL);
}
