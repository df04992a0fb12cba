// SPDX-License-Identifier: GPL-2.0
/* ctl/stacks/code_frame.c: the frame of a long function with a frame pointer, whose source says
 * how much is on the stack before each of its instructions. */
#include <time.h>

#include "program.h"

#include "stacks/code_frame.h"

#define ROUNDS	20000
#define BODY	4	/* bytes of push %rbp; mov %rsp, %rbp */
#define SECONDS	5	/* of CPU time: each question about the whole way takes a minute */

/* A round has 3 bytes: one that pushes, one that pops, and a nop. */
static const char source[] =
	"void rounds(void);\n"
	"__asm__(\".globl rounds\\n.type rounds, @function\\nrounds: .cfi_startproc\\n\"\n"
	"  \"push %rbp\\n.cfi_def_cfa_offset 16\\n.cfi_offset 6, -16\\n\"\n"
	"  \"mov %rsp, %rbp\\n.cfi_def_cfa_register 6\\n\"\n"
	"  \".rept 20000\\npush %rax\\npop %rax\\nnop\\n.endr\\n\"\n"
	"  \"pop %rbp\\n.cfi_def_cfa 7, 8\\nret\\n.cfi_endproc\\n.size rounds, . - rounds\\n\");\n"
	"int main(void) { rounds(); return 0; }\n";

static const struct object *object;
static uint64_t rounds;
static struct code_frames frames;

static int setup(void **state)
{
	enum object_state found;

	program_setup(state);
	program_write("p.c", source);
	run("gcc -O2 -o p p.c");
	object = object_open(NULL, 0, program_path("p"), NULL, 0, &found);
	rounds = truth_of("p", "rounds").addr;
	return object ? 0 : -1;
}

static int teardown(void **state)
{
	code_frames_free(&frames);
	object_close((struct object *)object);
	return program_teardown(state);
}

static void ask_round(unsigned int round)
{
	uint64_t addr = rounds + BODY + 3 * (uint64_t)round;
	int64_t bytes[3];

	for (unsigned int i = 0; i < 3; i++)
		assert_true(code_frames_bytes(&frames, object, addr + i, 0, &bytes[i]));
	assert_int_equal(bytes[0], 16);
	assert_int_equal(bytes[1], 24);
	assert_int_equal(bytes[2], 16);
}

/* The order of the questions does not matter, and a long function does not make them dear. */
static void rounds_in_any_order(void **state)
{
	clock_t begin = clock();

	(void)state;
	ask_round(ROUNDS / 2);
	for (unsigned int round = ROUNDS; round-- > 0;)
		if (round % 7 == 3)
			ask_round(round);
	for (unsigned int round = 0; round < ROUNDS; round += 11)
		ask_round(round);
	assert_true(clock() - begin < SECONDS * CLOCKS_PER_SEC);
}

/* Before and behind the frame. */
static void edges(void **state)
{
	int64_t bytes;

	(void)state;
	assert_true(code_frames_bytes(&frames, object, rounds, 0, &bytes));
	assert_int_equal(bytes, 8);
	assert_true(code_frames_bytes(&frames, object, rounds + 1, 0, &bytes));
	assert_int_equal(bytes, 16);
	assert_true(code_frames_bytes(&frames, object, rounds + BODY + 3 * ROUNDS + 1, 0, &bytes));
	assert_int_equal(bytes, 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rounds_in_any_order),
		cmocka_unit_test(edges),
	};

	return cmocka_run_group_tests_name("code_frame", tests, setup, teardown);
}
